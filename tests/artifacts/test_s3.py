"""Artifacts in a bucket: what only a network can do to them, against a real server."""

import asyncio
import hashlib
import os
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from pathlib import Path
from uuid import uuid4

import pytest

from app.artifacts.opening import open_artifacts
from app.artifacts.s3 import PART, BucketStore
from app.artifacts.store import ArtifactMissing, ArtifactsUnavailable
from tests.s3 import BUCKET, KEY_ID, SECRET, running_s3
from tests.servers import free_port

ROOT = Path(__file__).parents[2]
BOUNDED = 60.0
"""Ten times what any of these takes: a stop, not a figure."""


@pytest.fixture
def store(s3_environment):
    return open_artifacts(s3_environment.address(f"large/{uuid4().hex}"))


@pytest.fixture(scope="module")
def own_server(s3_server):
    """A server to freeze and to kill; skipped with the shared one."""
    with running_s3() as server:
        yield server


@pytest.fixture
def unreliable(own_server, monkeypatch):
    """A store on it."""
    for name, value in own_server.environment.items():
        monkeypatch.setenv(name, value)
    store = BucketStore(BUCKET, uuid4().hex)
    store.identify()
    yield store
    own_server.thaw()


def put(store, key, content=b"content"):
    store.put(key, lambda file: file.write(content))


def every_call(store):
    """Each way to talk to the server, with an object that needs it."""
    return {
        "identify": store.identify,
        "put": lambda: put(store, "job/1-2"),
        "upload": lambda: put(store, "job/1-3", bytes(2 * PART)),
        "open": lambda: store.open("job/1-1"),
        "size": lambda: store.size("job/1-1"),
        "read_range": lambda: asyncio.run(store.read_range("job/1-1", start=0, end=1)),
        "keys": lambda: list(store.keys()),
        "clear": lambda: store.clear("job", keep=None),
        "delete": lambda: store.delete("job/1-1"),
    }


def assert_unavailable(store, *, because):
    for name, call in every_call(store).items():
        begun_at = time.monotonic()
        with pytest.raises(ArtifactsUnavailable, match=because) as unavailable:
            call()
        assert time.monotonic() - begun_at < BOUNDED, name
        assert SECRET not in str(unavailable.value), name
        assert KEY_ID not in str(unavailable.value), name
        # nor chained to what obstore says: that ends in logs
        assert unavailable.value.__cause__ is None, name
        assert unavailable.value.__suppress_context__, name


def test_an_archive_larger_than_a_part_is_put_and_read_whole_and_kept(store):
    content = os.urandom(3 * PART + 5)
    put(store, "job/1-1", content)
    put(store, "job/1-1", bytes(4 * PART))

    with store.open("job/1-1") as file:
        assert b"".join(iter(lambda: file.read(3_000_001), b"")) == content
    with store.open("job/1-1") as file:
        assert file.read() == content
    assert asyncio.run(store.read_range("job/1-1", start=PART - 1, end=PART + 1)) == content[PART - 1 : PART + 1]
    assert store.path("job/1-1") is None
    assert list(store.parts()) == []


def test_memory_is_flat_however_large_an_archive_is(s3_environment):
    pieces, spare = 100, 80
    program = f"""
import hashlib
from app.artifacts.opening import open_artifacts
from tests.processes import MIB, peak_memory
def mib():
    return peak_memory() // MIB
store = open_artifacts({s3_environment.address(uuid4().hex)!r})
store.put("job/1-1", lambda file: file.write(b"small"))
before = mib()
store.put("job/2-1", lambda file: file.writelines(bytes([n]) * 1048576 for n in range({pieces})))
written = mib()
digest = hashlib.sha256()
with store.open("job/2-1") as file:
    while piece := file.read(1048576):
        digest.update(piece)
print(written - before, mib() - before, digest.hexdigest())
"""
    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=False)

    assert done.returncode == 0, done.stderr
    written, read, digest = done.stdout.split()
    assert digest == hashlib.sha256(b"".join(bytes([n]) * 1048576 for n in range(pieces))).hexdigest()
    # four parts under way, a window and their copies: nearer to nothing than to the object
    assert int(written) < spare, done.stdout
    assert int(read) < spare, done.stdout


@pytest.mark.parametrize(
    ("name", "value"), [("AWS_SECRET_ACCESS_KEY", "not-the-secret"), ("AWS_ACCESS_KEY_ID", "NOTTHEKEYID")]
)
def test_wrong_credentials_are_told_and_not_shown(store, monkeypatch, name, value):
    monkeypatch.setenv(name, value)

    wrong = BucketStore(BUCKET, "anywhere")

    assert_unavailable(wrong, because="refuses our credentials")
    for call in every_call(wrong).values():
        with pytest.raises(ArtifactsUnavailable) as unavailable:
            call()
        assert value not in str(unavailable.value)


def test_a_bucket_that_is_not_there_is_no_missing_object(s3_environment):
    absent = BucketStore("no-such-bucket", "anywhere")

    for name, call in every_call(absent).items():
        if name != "delete":  # removing what is not there is fine
            with pytest.raises(ArtifactsUnavailable):
                call()


def test_a_place_whose_marker_is_gone_has_lost_nothing(store):
    put(store, "job/1-1")
    store.delete("sheaf-folder-id")

    with pytest.raises(ArtifactsUnavailable):
        store.open("job/1-2")


def test_a_server_that_is_not_there_is_told_in_time(s3_environment, monkeypatch):
    monkeypatch.setenv("AWS_ENDPOINT_URL", f"http://127.0.0.1:{free_port()}")

    assert_unavailable(BucketStore(BUCKET, "anywhere"), because="no usable answer")


def test_an_endpoint_that_is_none_is_told_by_its_variables_name(s3_environment, monkeypatch):
    monkeypatch.setenv("AWS_ENDPOINT_URL", "storage.example:secret")

    with pytest.raises(ArtifactsUnavailable, match="AWS_ENDPOINT_URL is no address") as unavailable:
        BucketStore(BUCKET, "anywhere")

    assert "secret" not in str(unavailable.value)


def test_plain_http_is_spoken_only_to_an_endpoint_that_says_so(s3_environment, monkeypatch):
    monkeypatch.delenv("AWS_ENDPOINT_URL")
    monkeypatch.setenv("AWS_ENDPOINT_URL_S3", s3_environment.environment["AWS_ENDPOINT_URL"])
    plain = BucketStore(BUCKET, "plain")
    plain.identify()
    put(plain, "job/1-1")

    monkeypatch.setenv("AWS_ENDPOINT_URL_S3", s3_environment.environment["AWS_ENDPOINT_URL"].replace("http:", "https:"))

    with pytest.raises(ArtifactsUnavailable):
        BucketStore(BUCKET, "plain").size("job/1-1")


def test_a_frozen_server_is_told_in_time(own_server, unreliable):
    put(unreliable, "job/1-1")
    own_server.freeze()

    assert_unavailable(BucketStore(BUCKET, "frozen", silence=timedelta(seconds=0.3)), because="no usable answer")


def test_a_frozen_server_neither_holds_the_event_loop_nor_a_reader_that_goes(own_server, unreliable):
    put(unreliable, "job/1-1")
    patient = BucketStore(BUCKET, "patient", silence=timedelta(hours=1))
    own_server.freeze()

    async def scene():
        reading = asyncio.create_task(patient.read_range("job/1-1", start=0, end=1))
        for _ in range(20):
            await asyncio.sleep(0.01)  # the loop goes on
        assert not reading.done()
        reading.cancel()
        with pytest.raises(asyncio.CancelledError):
            await reading

    asyncio.run(asyncio.wait_for(scene(), BOUNDED))


def test_an_upload_that_the_server_died_in_is_never_seen(own_server, unreliable):
    half_way, killed = threading.Event(), threading.Event()
    parts = iter(range(100))

    def write(file):
        file.write(bytes(6 * PART))
        read = file.read

        def read_but_stop_half_way(size=-1):
            if next(parts) == 5:
                half_way.set()
                assert killed.wait(BOUNDED)
            return read(size)

        file.read = read_but_stop_half_way

    with ThreadPoolExecutor(1) as pool:
        uploading = pool.submit(unreliable.put, "job/1-1", write)
        assert half_way.wait(BOUNDED)
        own_server.kill()
        killed.set()
        with pytest.raises(ArtifactsUnavailable):
            uploading.result(BOUNDED)
    own_server.start()

    with pytest.raises(ArtifactMissing):
        unreliable.size("job/1-1")
    assert list(unreliable.keys()) == []
    put(unreliable, "job/1-1", bytes(2 * PART))
    assert unreliable.size("job/1-1") == 2 * PART
