"""Artifacts in a folder: what only a folder has, its files and their tidiness."""

import stat
from pathlib import Path

import pytest

from app.artifacts.opening import open_artifacts
from app.artifacts.store import ArtifactsUnavailable


@pytest.fixture
def store(tmp_path):
    return open_artifacts(str(tmp_path / "artifacts"))


def put(store, key, content=b"content"):
    store.put(key, lambda file: file.write(content))


def test_an_object_is_a_file_that_the_web_server_can_send(store):
    put(store, "job/1-1")

    assert store.path("job/1-1").read_bytes() == b"content"


def test_a_writer_that_fails_leaves_no_file(store):
    def fail(file):
        file.write(b"half")
        raise RuntimeError("stop")

    with pytest.raises(RuntimeError):
        store.put("job/1-1", fail)

    assert list((store.root / "job").iterdir()) == []


def test_a_full_disk_is_told_from_a_broken_one(store, tmp_path):
    """`/dev/full` answers every write as a full disk does."""

    def overflow(_file):
        with Path("/dev/full").open("wb", buffering=0) as full:
            full.write(b"x")

    def break_down(_file):
        (tmp_path / "missing").open()

    told = []
    for write in (overflow, break_down):
        with pytest.raises(ArtifactsUnavailable) as fault:
            store.put("job/1-1", write)
        told.append((str(fault.value), fault.value.disk_full))

    assert told == [("ENOSPC", True), ("ENOENT", False)]
    assert list((store.root / "job").iterdir()) == []


def test_a_missing_folder_is_a_fault(store):
    store.root.rename(store.root.with_name("away"))

    for ask in (store.open, store.size, store.path):
        with pytest.raises(ArtifactsUnavailable):
            ask("job/1-1")


def test_deleting_and_clearing_take_the_jobs_folder_with_the_last_object(store):
    for attempt in (1, 2, 3):
        put(store, f"job/1-{attempt}")
    (store.root / "job" / "1-9.abc.part").write_bytes(b"half")

    store.delete("job/1-1")
    store.delete("job/1-1")
    assert store.clear("job", keep="job/1-3") == 2
    assert list(store.keys()) == ["job/1-3"]
    assert store.clear("job", keep=None) == 1
    assert store.clear("job", keep=None) == 0
    assert not (store.root / "job").exists()


def test_what_is_being_written_is_told_by_its_key_and_goes_by_its_name(store):
    told = []

    def look(file):
        told.extend(store.parts())
        store.delete(told[0][1])
        file.write(b"in vain")

    with pytest.raises(ArtifactsUnavailable, match="ENOENT"):
        store.put("job/1-1", look)

    assert [(key, name.startswith("job/1-1.")) for key, name in told] == [("job/1-1", True)]
    assert list(store.parts()) == list(store.keys()) == []


def test_documents_are_readable_by_their_owner_alone(store):
    assert stat.S_IMODE(store.root.stat().st_mode) == 0o700
