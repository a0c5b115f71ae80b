"""A file of orders as a gzip stream."""

import os
import zlib
from collections.abc import Callable, Iterator
from itertools import chain
from pathlib import Path
from typing import IO, Final

_PIECE: Final = 1 << 18
_GZIP: Final = 31
"""zlib's window bits for a gzip header and trailer."""


OnBytes = Callable[[int, int], None]
"""Told how many bytes there are, and how many there will be."""


def gzipped(file: Path, on_bytes: OnBytes | None = None) -> Iterator[bytes]:
    """The file's bytes, packed unless they are gzip already; a large file is never held whole."""
    with file.open("rb") as source:
        pieces = _read(source, on_bytes or _nobody)
        first = next(pieces, b"")
        if first.startswith(b"\x1f\x8b"):
            yield first
            yield from pieces
            return
        pack = zlib.compressobj(wbits=_GZIP)
        for piece in chain((first,), pieces):
            if packed := pack.compress(piece):
                yield packed
        yield pack.flush()


def _read(source: IO[bytes], on_bytes: OnBytes) -> Iterator[bytes]:
    size = os.fstat(source.fileno()).st_size
    while piece := source.read(_PIECE):
        yield piece
        # asked for the next one: this one has been sent
        on_bytes(source.tell(), size)


def _nobody(_done: int, _all: int) -> None:
    return
