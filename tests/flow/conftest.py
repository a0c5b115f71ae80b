"""Installations that the flow tests share: starting one costs seconds."""

from contextlib import ExitStack

import pytest

from tests.installation import distributed, embedded
from tests.migrated import migrated_database


@pytest.fixture(scope="session", params=["embedded", "distributed"])
def installation(request, tmp_path_factory):
    """A calm installation of each kind: one `serve`, and API plus two workers on servers."""
    folder = tmp_path_factory.mktemp(request.param)
    if request.param == "embedded":
        with embedded(folder) as running:
            yield running
        return
    postgres = request.getfixturevalue("postgres_server")
    redis = request.getfixturevalue("redis_server")
    with distributed(folder, migrated_database(postgres), redis.url) as running:
        yield running


@pytest.fixture
def shop(installation, request):
    """A key for a store that no other test uses."""
    return f"shop-{abs(hash(request.node.nodeid))}"


@pytest.fixture
def alice(installation, shop):
    """An owner with an empty store of her own."""
    with installation.owner("alice", shop) as client:
        yield client


@pytest.fixture
def settled(alice):
    """Leaves no active export behind for the next test to wait on."""
    yield alice
    for export in alice.get("/v1/exports", params={"state": ["queued", "processing", "cancelling"]}).json()["items"]:
        alice.post(export["links"]["cancel"])
        alice.until_over(export, within=30)


@pytest.fixture
def scene(postgres_server, redis_server, tmp_path):
    """Starts a distributed installation of its own, which a test may damage."""
    with ExitStack() as running:

        def start(*, redis=True, workers=2, **environment):
            url = migrated_database(postgres_server)
            return running.enter_context(
                distributed(tmp_path, url, redis_server.url if redis else None, workers=workers, **environment)
            )

        yield start
