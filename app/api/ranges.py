"""Which bytes of a download were asked for (RFC 9110, section 14): pure, one range at most."""

import re
from dataclasses import dataclass
from typing import Final

_RANGE: Final = re.compile(r"\s*([0-9]*)\s*-\s*([0-9]*)\s*", re.ASCII)


@dataclass(frozen=True, slots=True)
class Part:
    """The bytes from `start` up to `end`, which is not of them."""

    start: int
    end: int


class RangeMalformed(ValueError):
    """The header cannot be read as a range of bytes."""


class RangeNotSatisfiable(ValueError):
    """No byte of the range exists."""


def requested_part(range_header: str | None, if_range: str | None, *, etag: str, size: int) -> Part | None:
    """The part that was asked for; None for all of it.

    As the framework answers for files, so that a store makes no difference; but several ranges at once are
    answered with everything, as any server may. Raises `RangeMalformed` and `RangeNotSatisfiable`.
    """
    if range_header is None or if_range not in (None, etag):
        return None
    unit, is_given, ranges = range_header.partition("=")
    if not is_given or unit.strip().lower() != "bytes":
        raise RangeMalformed
    if "," in ranges:
        return None
    found = _RANGE.fullmatch(ranges)
    if found is None or found.groups() == ("", ""):
        raise RangeMalformed
    first, last = found.groups()
    start = int(first) if first else max(size - int(last), 0)
    end = min(int(last) + 1, size) if first and last else size
    if start >= size:
        raise RangeNotSatisfiable
    if start >= end:
        raise RangeMalformed
    return Part(start, end)
