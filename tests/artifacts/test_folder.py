"""Artifacts in a folder: whole or not at all, and never somebody else's."""

import stat
from uuid import UUID, uuid4

import pytest

from app.artifacts.folder import FolderStore
from app.artifacts.keys import ArtifactKey
from app.artifacts.opening import ArtifactsAddressInvalid, open_artifacts
from app.artifacts.store import ArtifactMissing, ArtifactsUnavailable


@pytest.fixture
def store(tmp_path):
    return open_artifacts(str(tmp_path / "artifacts"))


def put(store, key, content=b"content"):
    store.put(key, lambda file: file.write(content))


def test_what_was_put_can_be_read(store):
    put(store, "job/1-1")

    with store.open("job/1-1") as file:
        assert file.read() == b"content"
    assert store.size("job/1-1") == 7
    assert store.path("job/1-1").read_bytes() == b"content"
    assert list(store.keys()) == list(store.keys("job/")) == ["job/1-1"]
    assert list(store.keys("job/2")) == []


def test_an_object_that_exists_is_kept_as_it_is(store):
    put(store, "job/1-1", b"first")
    put(store, "job/1-1", b"second")

    assert store.path("job/1-1").read_bytes() == b"first"


def test_a_writer_that_fails_leaves_nothing(store):
    def fail(file):
        file.write(b"half")
        raise RuntimeError("stop")

    with pytest.raises(RuntimeError):
        store.put("job/1-1", fail)

    assert list(store.keys()) == []
    assert list((store.root / "job").iterdir()) == []


def test_a_missing_object_is_missing_and_a_missing_folder_is_a_fault(store):
    with pytest.raises(ArtifactMissing):
        store.open("job/1-1")

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


def test_documents_are_readable_by_their_owner_alone(store):
    assert stat.S_IMODE(store.root.stat().st_mode) == 0o700


def test_two_hosts_can_tell_whether_they_see_one_folder(store, tmp_path):
    assert store.identify() == FolderStore(store.root).identify()
    assert open_artifacts(str(tmp_path / "other")).identify() != store.identify()


def test_an_address_of_another_kind_is_refused():
    with pytest.raises(ArtifactsAddressInvalid, match="ftp://"):
        open_artifacts("ftp://host/folder")


def test_only_names_of_ours_are_keys():
    key = ArtifactKey(uuid4(), 12, 3)

    assert ArtifactKey.parse(str(key)) == key
    for text in (
        "sheaf-folder-id",
        f"{key}x",
        f"{key.job_id}/12",
        "a/1-1",
        f"{key.job_id}/01-3",
        f"{UUID(int=1)}/1--1",
    ):
        assert ArtifactKey.parse(text) is None
