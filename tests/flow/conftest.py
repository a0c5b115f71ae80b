"""Installations that the flow tests share: starting one costs seconds."""

from contextlib import ExitStack

import pytest
from sqlalchemy import select

from app.database.engines import sync_engine
from app.database.tables import JobRow
from app.database.transactions import Database
from app.domain.lifecycle import ACTIVE
from app.exports.operating import fail
from tests.installation import distributed, embedded
from tests.lasting import lasting
from tests.migrated import LIMITS, migrated_database


@pytest.fixture(params=["embedded", "distributed"])
def installation(request, tmp_path_factory):
    """A calm installation of each kind: one `serve`, and API plus two workers on servers."""

    def start():
        folder = tmp_path_factory.mktemp(request.param)
        if request.param == "embedded":
            return embedded(folder)
        postgres = request.getfixturevalue("postgres_server")
        redis = request.getfixturevalue("redis_server")
        return distributed(folder, migrated_database(postgres), redis.url)

    return lasting(request, start, kind=request.param)


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


@pytest.fixture(scope="module")
def _standing(postgres_server, redis_server, tmp_path_factory):
    folder = tmp_path_factory.mktemp("standing")
    url = migrated_database(postgres_server)
    settings = {"SHEAF_LEASE_SECONDS": "4", "SHEAF_CHECKPOINT_EVERY": "2"}
    with distributed(folder, url, redis_server.url, workers=0, **settings) as installation:
        yield installation


@pytest.fixture
def bare(_standing):
    """A distributed installation without a worker, shared by a module: a test damages the workers that it adds.

    Its checkpoints come after every second document.
    """
    yield _standing
    for worker in _standing.workers:
        if worker.poll() is None:
            worker.kill()  # a frozen one too
            worker.wait()
    database = Database(sync_engine(_standing.database_url, LIMITS))
    with database.transaction() as tx:
        active = tx.scalars(select(JobRow.id).where(JobRow.state.in_(ACTIVE))).all()
        for job_id in active:
            fail(tx, job_id, note="its test is over")
    database.close()
