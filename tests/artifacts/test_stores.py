"""What every store promises: whole or not at all, and never somebody else's."""

import asyncio
import io
import zipfile
from concurrent.futures import ThreadPoolExecutor
from uuid import UUID, uuid4

import pytest

from app.artifacts.keys import ArtifactKey
from app.artifacts.opening import ArtifactsAddressInvalid, open_artifacts
from app.artifacts.store import ArtifactMissing, ArtifactsUnavailable
from app.artifacts.sweeping import Found, found_in


def put(store, key, content=b"content"):
    store.put(key, lambda file: file.write(content))


def get(store, key):
    with store.open(key) as file:
        return file.read()


def test_what_was_put_can_be_read(store):
    put(store, "job/1-1")

    with store.open("job/1-1") as file:
        assert file.read() == b"content"
    assert store.size("job/1-1") == 7
    assert list(store.keys()) == list(store.keys("job/")) == ["job/1-1"]
    assert list(store.keys("jo")) == list(store.keys("job/1")) == ["job/1-1"]
    assert list(store.keys("job/2")) == []


def test_it_is_read_bit_by_bit_and_by_ranges(store):
    put(store, "job/1-1", b"0123456789")

    with store.open("job/1-1") as file:
        assert [file.read(4) for _ in range(4)] == [b"0123", b"4567", b"89", b""]
    assert asyncio.run(store.read_range("job/1-1", start=3, end=6)) == b"345"


def test_an_empty_object_is_an_object(store):
    put(store, "job/1-1", b"")

    assert (store.size("job/1-1"), get(store, "job/1-1")) == (0, b"")


def test_an_archive_can_be_written_into_it(store):
    def write(file):
        with zipfile.ZipFile(file, "w") as archive, archive.open("a.txt", "w") as entry:
            entry.write(b"content")

    store.put("job/1-1", write)

    with zipfile.ZipFile(io.BytesIO(get(store, "job/1-1"))) as archive:
        assert archive.read("a.txt") == b"content"


def test_an_object_that_exists_is_kept_as_it_is(store):
    put(store, "job/1-1", b"first")
    put(store, "job/1-1", b"second")

    assert get(store, "job/1-1") == b"first"


def test_of_many_writers_at_once_one_wins_for_good(store):
    with ThreadPoolExecutor(8) as pool:
        seen = list(pool.map(lambda writer: (put(store, "job/1-1", bytes([writer])), get(store, "job/1-1")), range(8)))

    assert {content for _, content in seen} == {get(store, "job/1-1")}


def test_a_writer_that_fails_leaves_nothing(store):
    def fail(file):
        file.write(b"half")
        raise RuntimeError("stop")

    with pytest.raises(RuntimeError):
        store.put("job/1-1", fail)

    assert list(store.keys()) == []
    with pytest.raises(ArtifactMissing):
        store.size("job/1-1")


def test_a_missing_object_is_missing(store):
    for ask in (store.open, store.size, lambda key: asyncio.run(store.read_range(key, start=0, end=1))):
        with pytest.raises(ArtifactMissing):
            ask("job/1-1")


def test_deleting_and_clearing_leave_only_what_is_kept(store):
    for attempt in (1, 2, 3):
        put(store, f"job/1-{attempt}")
    put(store, "job-2/1-1")

    store.delete("job/1-1")
    store.delete("job/1-1")
    assert store.clear("job", keep="job/1-3") == 1
    assert sorted(store.keys()) == ["job-2/1-1", "job/1-3"]
    assert store.clear("job", keep=None) == 1
    assert store.clear("job", keep=None) == 0
    assert list(store.keys()) == ["job-2/1-1"]


def test_what_goes_while_others_are_listed_is_no_fault(store):
    names = {f"job-{number}/1-1" for number in range(3)}
    for name in names:
        put(store, name)

    listing = store.keys()
    first = next(listing)
    for name in names - {first}:
        store.delete(name)

    assert set(listing) < names


def test_what_lies_there_is_told_but_for_what_others_named(store):
    first, second = uuid4(), uuid4()
    keys = [ArtifactKey(first, 1, 1), ArtifactKey(first, 2, 1), ArtifactKey(second, 3, 1)]
    for key in keys:
        put(store, str(key))
    put(store, "somebody/elses")

    assert sorted(found_in(store), key=str) == sorted((Found(key, str(key)) for key in keys), key=str)


def test_a_place_without_our_identity_is_not_ours(place):
    mine, other = place(), place()
    identity = open_artifacts(mine).identify()
    open_artifacts(other)

    open_artifacts(mine, identity).check()
    stranger = open_artifacts(other, identity)

    for ask in (stranger.check, lambda: put(stranger, "job/1-1"), lambda: stranger.open("job/1-1")):
        with pytest.raises(ArtifactsUnavailable):
            ask()
    assert list(open_artifacts(other).keys()) == []


def test_two_hosts_can_tell_whether_they_see_one_place(place):
    mine, other = place(), place()

    assert open_artifacts(mine).identify() == open_artifacts(mine).identify()
    assert open_artifacts(other).identify() != open_artifacts(mine).identify()


@pytest.mark.parametrize(
    "address",
    [
        "ftp://host/folder",
        "s3://",
        "s3://UPPER/prefix",
        "s3://key:secret@bucket/prefix",
        "s3://bucket/../other",
        "s3://bucket//prefix",
        "s3://bucket/prefix?region=here",
    ],
)
def test_an_address_of_another_kind_is_refused_and_nothing_of_it_repeated(address):
    with pytest.raises(ArtifactsAddressInvalid) as refused:
        open_artifacts(address)

    assert "SHEAF_ARTIFACTS" in str(refused.value)
    assert "secret" not in str(refused.value)


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
