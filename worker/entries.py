"""Entries of a ZIP: dated by an order, the same on every system."""

import zipfile
from functools import lru_cache
from typing import Final

DOS_EPOCH: Final = (1980, 1, 1, 0, 0, 0)
DOS_END: Final = (2107, 12, 31, 0, 0, 0)
"""The dates that a ZIP can hold."""


def entry_of(name: str, date: str, *, size: int = 0) -> zipfile.ZipInfo:
    """An ordinary file of that date (`YYYY-MM-DD`, or empty); one that is written in pieces tells its size first."""
    entry = zipfile.ZipInfo(name, _dos_date(date))
    entry.create_system = 3
    entry.external_attr = 0o100644 << 16
    entry.file_size = size
    return entry


@lru_cache(maxsize=512)
def _dos_date(date: str) -> tuple[int, int, int, int, int, int]:
    if not date:
        return DOS_EPOCH
    year, month, day = (int(part) for part in date.split("-"))
    return min(max((year, month, day, 0, 0, 0), DOS_EPOCH), DOS_END)
