"""The archive to a file: resumed after a cut, checked, and only then under its own name."""

import base64
import binascii
import fcntl
import hashlib
import os
import re
from collections.abc import Iterator
from contextlib import aclosing, contextmanager
from dataclasses import dataclass
from email.message import Message
from enum import Enum
from functools import partial
from io import BufferedRandom
from pathlib import Path, PureWindowsPath

import httpx

from app.client.errors import ArchiveDamaged, DownloadRefused, NotUnderstood, Unreachable
from app.client.transport import Call, Transport, backoff, reason_of
from app.client.uploading import OnBytes
from app.deadline.backoff import Backoff
from app.domain.filenames import stem


class Existing(Enum):
    """What happens to a file that is in the way."""

    KEEP = "keep"
    REPLACE = "replace"


@dataclass(frozen=True, slots=True)
class RemoteArchive:
    """What the server says of an archive."""

    name: str
    """A bare, portable file name."""
    bytes: int
    sha256: str
    """Hex; empty if the server does not say."""
    etag: str


async def describe(transport: Transport, path: str, *, silence: float, patience: float) -> RemoteArchive:
    """Ask for one byte: unlike HEAD, a refusal comes with its reason."""
    call = Call("GET", path, silence, headers={"Range": "bytes=0-0"})
    async with transport.stream(call, patience=patience) as response:
        headers = response.headers
        if response.status_code == httpx.codes.PARTIAL_CONTENT:
            size = headers.get("content-range", "").rpartition("/")[2]
            # the one byte: a connection that is read to its end can be used again
            await transport.wire.read(response)
        else:
            size = headers.get("content-length", "")
        if not size.isdigit():
            raise NotUnderstood("The server does not say how large the archive is.")
        name = name_of(headers, "export", ending=".zip")
        return RemoteArchive(name, int(size), _sha256(headers), headers.get("etag", ""))


async def download(
    transport: Transport,
    path: str,
    archive: RemoteArchive,
    target: Path,
    *,
    existing: Existing,
    on_bytes: OnBytes | None,
    silence: float,
    patience: float,
) -> Path:
    """Write the archive to `target`; see `Verbs.download`."""
    _require_free(target, existing)
    part = target.with_name(f"{target.name}.part")
    try:
        with _held(part) as file:
            fetch = _Fetch(transport, path, archive, file, on_bytes, silence)
            if not await fetch.fill(patience):
                part.unlink()
                raise ArchiveDamaged(f"What came is not the archive; nothing was written to {target}.")
            await transport.wire.work(partial(os.fsync, file.fileno()))
            _require_free(target, existing)
            # still under our lock: nobody can write to a file that has its final name
            part.replace(target)
    except OSError as error:
        # a full disk, a folder that is not ours; what came before is kept in the part
        raise DownloadRefused(f"{target} cannot be written: {error.strerror}.") from error
    return target


class _Fetch:
    """Fills a file with the rest of an archive."""

    def __init__(
        self,
        transport: Transport,
        path: str,
        archive: RemoteArchive,
        file: BufferedRandom,
        on_bytes: OnBytes | None,
        silence: float,
    ) -> None:
        self._transport = transport
        self._path = path
        self._archive = archive
        self._file = file
        self._on_bytes = on_bytes
        self._silence = silence

    async def fill(self, patience: float) -> bool:
        """Complete the file; whether it is the archive now."""
        had_rest = self._file.seek(0, os.SEEK_END) > 0
        await self._complete(patience)
        if await self._is_right():
            return True
        if not had_rest:
            return False
        # what an earlier run left was of something else: once more, from the beginning
        self._file.truncate(0)
        await self._complete(patience)
        return await self._is_right()

    async def _complete(self, seconds: float) -> None:
        """Ask for the rest until it is there; every byte that comes renews the patience."""
        pauses = backoff(seconds)
        while (begin := self._begin()) < self._archive.bytes:
            try:
                await self._ask_for_rest(begin, pauses)
            except httpx.TransportError as cause:
                error = Unreachable(self._transport.url, reason_of(cause))
                if self._file.tell() > begin:
                    pauses = backoff(seconds)
                await self._transport.pause(pauses, error)
            else:
                if self._file.tell() <= begin:
                    raise NotUnderstood("The server sent nothing of the archive's rest.")

    async def _is_right(self) -> bool:
        return await self._transport.wire.work(partial(_sha256_of, self._file)) == self._archive.sha256

    def _begin(self) -> int:
        length = self._file.seek(0, os.SEEK_END)
        if length > self._archive.bytes:
            length = self._file.truncate(0)
            self._file.seek(0)
        return length

    async def _ask_for_rest(self, begin: int, pauses: Backoff) -> None:
        headers = {"Accept-Encoding": "identity"}
        if begin and self._archive.etag:
            headers |= {"Range": f"bytes={begin}-", "If-Range": self._archive.etag}
        call = Call("GET", self._path, self._silence, headers=headers, has_deadline=False)
        async with self._transport.stream(call, patience=pauses.left) as response:
            if response.status_code == httpx.codes.PARTIAL_CONTENT:
                if not response.headers.get("content-range", "").startswith(f"bytes {begin}-"):
                    raise NotUnderstood("The server answered with another part of the archive than was asked for.")
            else:
                # the whole of it: the server took no notice of the range
                self._file.truncate(0)
                self._file.seek(0)
            # as they come: pieces of a size would be gathered, and lost with the connection
            async with aclosing(self._transport.wire.pieces(response)) as pieces:
                async for piece in pieces:
                    # into the page cache: less than a thread would cost
                    self._file.write(piece)
                    if self._on_bytes is not None:
                        self._on_bytes(self._file.tell(), self._archive.bytes)


def _sha256_of(file: BufferedRandom) -> str:
    file.seek(0)
    return hashlib.file_digest(file, "sha256").hexdigest()


@contextmanager
def _held(part: Path) -> Iterator[BufferedRandom]:
    part.parent.mkdir(parents=True, exist_ok=True)
    with part.open("ab+") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise _busy(part) from None
        # it may have got its final name between our open and our lock
        if not part.exists() or not os.path.samestat(part.stat(), os.fstat(file.fileno())):
            raise _busy(part)
        yield file


def _busy(part: Path) -> DownloadRefused:
    return DownloadRefused(f"{part} is being written by another download.")


def _require_free(target: Path, existing: Existing) -> None:
    if target.is_dir():
        raise DownloadRefused(f"{target} is a folder.")
    if existing is Existing.KEEP and target.exists():
        raise DownloadRefused(f"{target} exists.")


def name_of(headers: httpx.Headers, fallback: str, *, ending: str) -> str:
    """The bare, portable name with this ending that the server gives a file, else the fallback."""
    parsed = Message()
    parsed["content-disposition"] = headers.get("content-disposition", "")
    # a path in it, of either system, is not ours to follow
    bare = PureWindowsPath(parsed.get_filename() or f"{fallback}{ending}").name
    name = stem(bare.removesuffix(ending), fallback)
    return f"{name}{ending}"


def _sha256(headers: httpx.Headers) -> str:
    found = re.search(r"\bsha-256=:([A-Za-z0-9+/=]+):", headers.get("repr-digest", ""))
    try:
        return base64.b64decode(found[1], validate=True).hex() if found else ""
    except binascii.Error:
        return ""
