"""A file of orders as a gzip stream."""

import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Final

_PIECE: Final = 1 << 18
_GZIP: Final = 31
"""zlib's window bits for a gzip header and trailer."""


def gzipped(file: Path) -> Iterator[bytes]:
    """The file's bytes, packed unless they are gzip already; a large file is never held whole."""
    with file.open("rb") as source:
        piece = source.read(_PIECE)
        if piece.startswith(b"\x1f\x8b"):
            while piece:
                yield piece
                piece = source.read(_PIECE)
            return
        pack = zlib.compressobj(wbits=_GZIP)
        while piece:
            if packed := pack.compress(piece):
                yield packed
            piece = source.read(_PIECE)
        yield pack.flush()
