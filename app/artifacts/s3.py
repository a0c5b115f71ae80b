"""Artifacts in a bucket of S3, or of any server that speaks its protocol.

A small object is one conditional request, so that the first writer wins whatever happens. A large one is
an upload in parts, which S3 shows when the last part is in; that nobody else made the object meanwhile
rests on the keys, of which each has one writer.
"""

import asyncio
import io
import tempfile
import uuid
from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, Final, cast

import obstore
from obstore.exceptions import AlreadyExistsError

from app.artifacts.connecting import connect, s3_faults
from app.artifacts.faults import disk_faults
from app.artifacts.store import ArtifactMissing, ArtifactsUnavailable

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

MARKER: Final = "sheaf-folder-id"
"""The object that tells one place from another; without it a place is not ours."""
PART: Final = 8 << 20
"""Bytes of one request. S3 takes 10,000 parts of at least 5 MiB, so an archive may have 80 GiB."""
PARTS_AT_ONCE: Final = 4
"""Parts under way: with those of `PART` bytes, what an upload takes of memory."""
NO_BUCKET: Final = "S3 has no such bucket, or not with our things in it"
SILENCE: Final = timedelta(seconds=20)
"""How long a server may say nothing: parts at once must get through a slow line in this time."""


class BucketStore:
    """One S3 object per artifact, below a prefix. The bucket must exist; it is not ours to make."""

    def __init__(self, bucket: str, prefix: str, identity: str | None = None, *, silence: timedelta = SILENCE) -> None:
        self._bucket = connect(bucket, prefix, silence=silence)
        self._identity = identity

    @property
    def identity(self) -> str | None:
        """The id that the prefix must have; None while nobody knows it yet."""
        return self._identity

    def check(self) -> None:
        """Raise `ArtifactsUnavailable` unless the bucket is there, with our id under the prefix."""
        try:
            with s3_faults():
                found = bytes(obstore.get(self._bucket, MARKER).bytes()).decode().strip()
        except FileNotFoundError:
            raise ArtifactsUnavailable(NO_BUCKET) from None
        if self._identity not in (None, found):
            raise ArtifactsUnavailable("another place stands where the artifacts were")

    def identify(self) -> str:
        """The id that lies under the prefix, made on first use: tells whether two hosts see one place."""
        if not self._has(MARKER):
            self._create(MARKER, str(uuid.uuid4()).encode())
        with self.open(MARKER) as file:
            return file.read().decode().strip()

    def put(self, key: str, write: Callable[[BinaryIO], None]) -> None:
        """Create an object from what `write` writes; an object that exists is kept as it is.

        All of it is written to a temporary file first, so a writer that fails has sent nothing. An upload
        that is cut short stays invisible; obstore takes its parts back if only the end of it is refused.
        """
        self.check()
        with disk_faults(), tempfile.TemporaryFile() as file:
            write(cast(BinaryIO, file))
            length = file.seek(0, io.SEEK_END)
            file.seek(0)
            if length <= PART:
                self._create(key, file.read())
            elif not self._has(key):
                self._upload(key, cast(BinaryIO, file))

    def _create(self, key: str, content: bytes) -> None:
        try:
            with s3_faults():
                obstore.put(self._bucket, key, content, mode="create", use_multipart=False)
        except AlreadyExistsError:
            return
        except FileNotFoundError:
            raise ArtifactsUnavailable(NO_BUCKET) from None

    def _upload(self, key: str, file: BinaryIO) -> None:
        try:
            with s3_faults():
                obstore.put(self._bucket, key, file, chunk_size=PART, max_concurrency=PARTS_AT_ONCE)
        except FileNotFoundError:
            raise ArtifactsUnavailable(NO_BUCKET) from None

    def open(self, key: str) -> BinaryIO:
        """Read an object from its beginning on, in bounded memory; raises `ArtifactMissing`."""
        try:
            with s3_faults():
                found = obstore.get(self._bucket, key)
                if found.meta["size"] <= PART:
                    return io.BytesIO(found.bytes())
        except FileNotFoundError:
            raise self._missing(key) from None
        return cast(BinaryIO, io.BufferedReader(_Windows(self, key, found.meta["size"]), buffer_size=PART))

    def window(self, key: str, *, start: int, end: int) -> memoryview:
        """The bytes from `start` up to `end`; raises `ArtifactMissing`."""
        try:
            with s3_faults():
                return memoryview(obstore.get_range(self._bucket, key, start=start, end=end))
        except FileNotFoundError:
            raise self._missing(key) from None

    async def read_range(self, key: str, *, start: int, end: int) -> bytes:
        """The bytes from `start` up to `end`, without blocking the event loop; raises `ArtifactMissing`."""
        try:
            with s3_faults():
                return bytes(await obstore.get_range_async(self._bucket, key, start=start, end=end))
        except FileNotFoundError:
            raise await asyncio.to_thread(self._missing, key) from None

    def size(self, key: str) -> int:
        """The object's length in bytes; raises `ArtifactMissing`."""
        try:
            with s3_faults():
                return obstore.head(self._bucket, key)["size"]
        except FileNotFoundError:
            raise self._missing(key) from None

    def delete(self, key: str) -> None:
        """Remove an object; removing what is not there is fine."""
        with s3_faults():
            obstore.delete(self._bucket, key)

    def clear(self, folder: str, *, keep: str | None) -> int:
        """Remove a folder's objects but `keep`; says how many went."""
        gone = [key for key in self.keys(f"{folder}/") if key != keep]
        if gone:
            with s3_faults():
                obstore.delete(self._bucket, gone)
        return len(gone)

    def keys(self, prefix: str = "") -> Iterator[str]:
        """Keys that begin with `prefix`, page by page."""
        # obstore's own prefix is whole folders only
        folder = prefix.rpartition("/")[0] or None
        with s3_faults():
            for page in obstore.list(self._bucket, folder, chunk_size=1000):
                for key in (found["path"] for found in page):
                    if "/" in key and key.startswith(prefix):
                        yield key

    def path(self, key: str) -> Path | None:
        """None: there is no local file."""
        return None

    def parts(self) -> Iterator[tuple[str, str]]:
        """None: unfinished uploads have no key, and obstore can neither list nor abort them.

        A lifecycle rule of the bucket (AbortIncompleteMultipartUpload) removes what killed writers left.
        """
        return iter(())

    def _has(self, key: str) -> bool:
        try:
            with s3_faults():
                obstore.head(self._bucket, key)
        except FileNotFoundError:
            return False
        return True

    def _missing(self, key: str) -> ArtifactMissing:
        # a bucket that is gone looks like missing objects; that must not be taken for truth
        self.check()
        return ArtifactMissing(key)


class _Windows(io.RawIOBase):
    """A large object, asked for window by window: no request outlives a slow reader."""

    def __init__(self, store: BucketStore, key: str, size: int) -> None:
        self._store = store
        self._key = key
        self._size = size
        self._position = 0

    def readable(self) -> bool:
        return True

    def readall(self) -> bytes:
        # the inherited one would ask for 8 KiB at a time
        return b"".join(iter(lambda: self.read(PART) or b"", b""))

    def readinto(self, buffer: "WriteableBuffer") -> int:
        target = memoryview(buffer)
        end = min(self._position + len(target), self._size)
        if end == self._position:
            return 0
        found = self._store.window(self._key, start=self._position, end=end)
        target[: len(found)] = found
        self._position += len(found)
        return len(found)
