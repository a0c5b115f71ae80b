"""Files of orders as they are named on the command line: plain or gzip, `-` for standard input."""

import sys
from collections.abc import Iterator
from pathlib import Path

_PIECE = 1 << 20


def pieces(file: Path) -> Iterator[bytes]:
    """The content in pieces of a mebibyte; raises `OSError`, or `zlib.error` for a gzip file that is broken."""
    import gzip

    if str(file) == "-":
        while piece := sys.stdin.buffer.read(_PIECE):
            yield piece
        return
    with file.open("rb") as plain:
        is_gzip = plain.read(2) == b"\x1f\x8b"
        plain.seek(0)
        with gzip.open(plain) if is_gzip else plain as stream:
            while piece := stream.read(_PIECE):
                yield piece
