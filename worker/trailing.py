"""The digest of a file that is being written, made by a thread beside its writer."""

import errno
import os
from concurrent.futures import Future, ThreadPoolExecutor
from hashlib import sha256
from types import TracebackType
from typing import BinaryIO, Final, Self

PIECE: Final = 1 << 20
"""Bytes that are read and hashed at a time; neither takes the interpreter's lock."""
STRIDE: Final = 4 << 20
"""Bytes that are new when the thread is told of them."""


class TrailingDigest:
    """The SHA-256 of a file whose writer tells up to where it will not change any more.

    The file is open for reading too, and is written from its beginning on.
    """

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="digest")
        self._digest = sha256()
        self._hashed = self._told = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, _kind: type[BaseException] | None, _error: BaseException | None, _: TracebackType | None
    ) -> None:
        self._thread.shutdown(cancel_futures=True)

    def follow(self) -> None:
        """What stands before the writer's place is final; raises `OSError` if it cannot be written."""
        if self._file.tell() - self._told >= STRIDE:
            self._tell()

    def end(self) -> str:
        """The hexadecimal digest of all that stands before the writer's place; raises `OSError`."""
        self._tell().result()
        return self._digest.hexdigest()

    def _tell(self) -> Future[None]:
        self._file.flush()
        self._told = self._file.tell()
        # an error of one piece of work is that of the next one too, which goes on from the same place
        return self._thread.submit(self._hash_up_to, self._told)

    def _hash_up_to(self, end: int) -> None:
        while self._hashed < end:
            piece = os.pread(self._file.fileno(), min(PIECE, end - self._hashed), self._hashed)
            if not piece:
                raise OSError(errno.EIO, "what was written is not there")
            self._digest.update(piece)
            self._hashed += len(piece)
