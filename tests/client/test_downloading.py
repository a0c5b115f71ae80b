"""An archive on disk is whole and right, or it is not there."""

import fcntl
import hashlib
import resource
import signal
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from uuid import UUID

import httpx
import pytest

from app.client import ArchiveDamaged, DownloadRefused, Existing, Unreachable
from app.client.downloading import name_of
from tests.cli.running import Owner, Running
from tests.client.awkward import Behaviour, proxy


@dataclass(frozen=True)
class Finished:
    """A completed export and its archive's digest and size."""

    owner: Owner
    id: UUID
    sha256: str
    bytes: int

    def is_at(self, path: Path) -> bool:
        return hashlib.sha256(path.read_bytes()).hexdigest() == self.sha256


@pytest.fixture(scope="module")
def finished(server: Running) -> Iterator[Finished]:
    owner = server.owner("few")
    with owner.client() as client:
        *_, export = client.wait(client.create_export().id)
        assert export.archive is not None
        yield Finished(owner, export.id, export.archive.sha256, export.archive.bytes)


@pytest.fixture
def target(tmp_path: Path) -> Path:
    return tmp_path / "new" / "invoices.zip"


def part_of(target: Path) -> Path:
    return target.with_name(f"{target.name}.part")


def test_an_archive_is_saved_under_its_name_and_nothing_beside_it(finished, target):
    told: list[tuple[int, int]] = []

    with finished.owner.client() as client:
        client.download(finished.id, target, on_bytes=lambda *now: told.append(now))

    assert finished.is_at(target)
    assert list(target.parent.iterdir()) == [target]
    assert told[-1] == (finished.bytes, finished.bytes)


def test_a_download_that_is_cut_goes_on_where_it_stood(finished, target):
    with (
        proxy(finished.owner.url, Behaviour(cut_after=20_000), Behaviour(cut_after=15_000), Behaviour()) as between,
        finished.owner.client(url=between.url) as client,
    ):
        client.download(finished.id, target)

    assert finished.is_at(target)
    rests = [head for head in between.heads if "if-range" in head]
    assert len(rests) == 2
    assert all(f'if-range: "{finished.sha256}"' in head for head in rests)


def test_a_later_call_goes_on_where_an_earlier_one_gave_up(finished, target):
    with (
        proxy(finished.owner.url, Behaviour(cut_after=20_000), Behaviour(cut_after=0)) as between,
        finished.owner.client(url=between.url, patience=0.3) as client,
        pytest.raises(Unreachable),
    ):
        client.download(finished.id, target)
    assert not target.exists()
    came = part_of(target).stat().st_size
    assert 0 < came < finished.bytes

    with proxy(finished.owner.url, Behaviour()) as between, finished.owner.client(url=between.url) as client:
        client.download(finished.id, target)

    assert finished.is_at(target)
    assert f"range: bytes={came}-" in between.heads[-1]


@pytest.mark.parametrize("size", [500, 1_000_000])
def test_a_rest_of_something_else_is_no_harm(finished, target, size):
    target.parent.mkdir()
    part_of(target).write_bytes(b"x" * size)

    with finished.owner.client() as client:
        client.download(finished.id, target)

    assert finished.is_at(target)


def test_spoiled_bytes_are_never_left_behind(finished, target):
    with (
        proxy(finished.owner.url, Behaviour(spoil_at=10_000)) as between,
        finished.owner.client(url=between.url) as client,
        pytest.raises(ArchiveDamaged),
    ):
        client.download(finished.id, target)

    assert list(target.parent.iterdir()) == []


def test_a_file_in_the_way_is_kept_unless_told_otherwise(finished, target):
    target.parent.mkdir()
    target.write_text("mine")

    with finished.owner.client() as client:
        with pytest.raises(DownloadRefused):
            client.download(finished.id, target)
        assert target.read_text() == "mine"
        client.download(finished.id, target, existing=Existing.REPLACE)

    assert finished.is_at(target)


def test_a_place_that_cannot_be_written_is_told_as_such(finished):
    with finished.owner.client() as client, pytest.raises(DownloadRefused, match=r"/proc/x\.zip cannot be written"):
        client.download(finished.id, Path("/proc/x.zip"))


def test_a_full_disk_keeps_what_came_and_leaves_no_archive(finished, target):
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, hard))
    try:
        with finished.owner.client() as client, pytest.raises(DownloadRefused, match="cannot be written"):
            client.download(finished.id, target)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))

    assert not target.exists()


def test_two_downloads_do_not_write_one_file(finished, target):
    target.parent.mkdir()
    with part_of(target).open("ab") as held, finished.owner.client() as client:
        fcntl.flock(held, fcntl.LOCK_EX)

        with pytest.raises(DownloadRefused, match="another download"):
            client.download(finished.id, target)

    assert not target.exists()


@pytest.mark.parametrize(
    ("disposition", "name"),
    [
        ('attachment; filename="invoices-2026.zip"', "invoices-2026.zip"),
        ('attachment; filename="../../etc/cron.d/x.zip"', "x.zip"),
        (r'attachment; filename="C:\\Windows\\evil.zip"', "evil.zip"),
        ("attachment; filename*=UTF-8''..%2F..%2F%C3%A4%20b.zip", "ä-b.zip"),
        ('attachment; filename=".."', "export.zip"),
        ('attachment; filename="run.exe"', "run.exe.zip"),
        ("attachment", "export.zip"),
        ("", "export.zip"),
    ],
)
def test_the_servers_name_is_never_a_path(disposition, name):
    assert name_of(httpx.Headers({"content-disposition": disposition}), "export", ending=".zip") == name
