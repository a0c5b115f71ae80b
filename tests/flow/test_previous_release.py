"""The release before this one, on this one's schema and beside this one's workers, as in every deploy.

`make previous REV=…` renews the archive that it is unpacked from.
"""

import subprocess
import sys
import tarfile
from pathlib import Path

import pytest

from tests.installation import ROOT, OwnerClient, distributed, run
from tests.shop import orders

ARCHIVE = Path(__file__).parents[1] / "previous" / "sheaf-previous.tar.xz"

ATTEMPTS = 10

RENDER = """
import sys
from app.documents.contract import DocumentType, RenderRequest, StoreSettings
from app.documents.render import render_document
store = StoreSettings(name="S", address=(), tax_id="", locale="en", time_zone="UTC", paper="A4")
print(render_document(RenderRequest(DocumentType.INVOICE, sys.argv[1], "[]", store)).sha256)
"""


@pytest.fixture(scope="module")
def previous(tmp_path_factory):
    """The tree of the previous release."""
    tree = tmp_path_factory.mktemp("previous")
    with tarfile.open(ARCHIVE) as archive:
        # a Python before 3.11.4 has no filters, one after it wants to be told; the archive is our own
        archive.extractall(tree, **({"filter": "data"} if hasattr(tarfile, "data_filter") else {}))
    # the previous release is started by a module of another name
    (tree / "app" / "cli" / "__main__.py").write_text("from app.cli.main import main\n\nmain()\n")
    return tree


def rendered_by(tree: Path) -> str:
    """The digest of one document as the renderer of a release makes it."""
    payload = '{"id":1,"number":"1","status":"completed","currency":"EUR","total":"1.00","line_items":[]}'
    command = [sys.executable, "-c", RENDER, payload]
    return subprocess.run(command, cwd=tree, capture_output=True, text=True, check=True, timeout=120).stdout


def documents(archive) -> dict[str, bytes]:
    """Each document of an archive by its name."""
    return {name: archive.zip.read(name) for name in archive.documents}


def test_the_previous_release_works_on_this_schema_and_beside_this_release(
    postgres_server, redis_server, tmp_path, previous, monkeypatch
):
    url = postgres_server.url(postgres_server.create_database())
    monkeypatch.setattr("tests.installation.ROOT", previous)
    # its processes run while the schema is brought to this release
    own = {"SHEAF_DATABASE_URL": url, "SHEAF_ARTIFACTS": str(tmp_path)}

    def migrate(_url):
        run("db", "upgrade", environment=own)

    with distributed(
        tmp_path, url, redis_server.url, workers=1, prepare=migrate, SHEAF_CHECKPOINT_EVERY="2"
    ) as installation:
        installation.until_started(0)
        token = run("tokens", "create", "--owner", "alice", "--store", "demo", environment=own)
        with OwnerClient(installation, token) as client:
            client.load(orders(16))
            monkeypatch.setattr("tests.installation.ROOT", ROOT)
            run("db", "upgrade", environment=installation.environment)

            alone = client.until_over(client.create())
            assert alone["state"] == "completed", installation.logs()
            made_alone = documents(client.archive(alone))
            assert len(made_alone) == 16
            is_same = rendered_by(previous) == rendered_by(ROOT)

            installation.add_worker()
            installation.until_started(1)
            # one of them may be done before the other has begun: once both are warm they share
            for _ in range(ATTEMPTS):
                beside = client.until_over(client.create())

                assert beside["state"] == "completed", installation.logs()
                assert documents(client.archive(beside)).keys() == made_alone.keys()
                # the archive's lists may differ: one of the two releases writes them
                assert not is_same or documents(client.archive(beside)) == made_alone
                logs = [(installation.folder / f"worker-{number}.log").read_text() for number in (0, 1)]
                if all(beside["id"] in log for log in logs):
                    break
            else:
                pytest.fail(f"never both in {ATTEMPTS} exports:\n{installation.logs()}")
