"""The main job with its artifacts in S3: an API process and two workers that share no folder."""

import hashlib
import time
from uuid import uuid4

import pytest

from tests.flow.test_main_job import text_of
from tests.installation import STARTED_WITHIN, distributed
from tests.migrated import migrated_database
from tests.s3 import SECRET
from tests.shop import orders


@pytest.fixture(scope="module")
def prefix():
    return f"flow/{uuid4().hex}"


@pytest.fixture(scope="module")
def installation(postgres_server, redis_server, s3_server, prefix, tmp_path_factory):
    """Both workers are at work before it is used, so that both get their share."""
    folder = tmp_path_factory.mktemp("s3")
    url = migrated_database(postgres_server)
    settings = {**s3_server.environment, "SHEAF_ARTIFACTS": s3_server.address(prefix), "SHEAF_CHECKPOINT_EVERY": "4"}
    with distributed(folder, url, redis_server.url, **settings) as running:
        give_up_at = time.monotonic() + STARTED_WITHIN
        while not all("worker.started" in log for log in worker_logs(running)):
            assert time.monotonic() < give_up_at, running.logs()
            time.sleep(0.05)
        yield running


@pytest.fixture(scope="module")
def alice(installation):
    with installation.owner() as client:
        client.load(orders(200))
        yield client


def worker_logs(installation):
    return [(installation.folder / f"worker-{number}.log").read_text() for number in range(2)]


def test_two_workers_make_an_archive_that_is_downloaded_in_parts(installation, s3_server, prefix, alice):
    thirty = [5000 + number for number in range(1, 31)]

    export = alice.until_over(alice.create(selection={"order_ids": thirty}, sort="number"))

    assert export["state"] == "completed", installation.logs()
    assert all(export["id"] in log for log in worker_logs(installation))
    assert not installation.artifacts.exists()
    link, archive = export["links"]["archive"], alice.archive(export)
    assert len(archive.documents) == 30
    assert "Muster-30" in text_of(archive.zip.read("invoice-00030.pdf"))
    digest = hashlib.sha256(archive.content).hexdigest()
    assert export["archive"]["sha256"] == digest
    size = len(archive.content)
    head = alice.head(link)
    assert (head.status_code, head.content) == (200, b"")
    assert {name: head.headers[name] for name in ("etag", "content-length", "accept-ranges", "content-type")} == {
        "etag": f'"{digest}"',
        "content-length": str(size),
        "accept-ranges": "bytes",
        "content-type": "application/zip",
    }
    assert head.headers["content-disposition"].endswith('.zip"')
    part = alice.get(link, headers={"Range": "bytes=10-19", "If-Range": f'"{digest}"'})
    assert (part.status_code, part.content) == (206, archive.content[10:20])
    assert part.headers["content-range"] == f"bytes 10-19/{size}"
    rest = alice.get(link, headers={"Range": f"bytes={size - 5}-"})
    assert (rest.status_code, rest.content) == (206, archive.content[-5:])
    changed = alice.get(link, headers={"Range": "bytes=10-19", "If-Range": '"other"'})
    assert (changed.status_code, changed.content) == (200, archive.content)
    outside = alice.get(link, headers={"Range": f"bytes={size}-"})
    assert (outside.status_code, outside.headers["content-range"]) == (416, f"bytes */{size}")
    # the steps' documents go once the archive is there
    alice.until(export, lambda _: len(s3_server.keys(f"{prefix}/{export['id']}")) == 1, within=20)


def test_a_cancelled_export_leaves_no_object(s3_server, prefix, alice):
    export = alice.create()
    alice.until_rendered(export, 8)
    assert s3_server.keys(f"{prefix}/{export['id']}")

    assert alice.post(export["links"]["cancel"]).status_code == 202

    assert alice.until_over(export, within=30)["state"] == "cancelled"
    alice.until(export, lambda _: s3_server.keys(f"{prefix}/{export['id']}") == [], within=30)


def test_an_archive_that_is_gone_is_told_before_anything_is_sent(s3_server, prefix, alice):
    export = alice.until_over(alice.create(selection={"order_ids": [5001]}))
    for key in s3_server.keys(f"{prefix}/{export['id']}"):
        s3_server.delete(key)

    gone = alice.get(export["links"]["archive"])

    assert (gone.status_code, gone.json()["code"]) == (503, "artifacts_unavailable")


def test_no_log_holds_the_secret(installation):
    assert not any(SECRET in log.read_text() for log in installation.folder.glob("*.log"))
