"""Bundles: a line that is sold as one, and the lines of what is in it, which plugins store beside it.

The shop's own figures make sure that nothing is paid twice: either the bundle has a price or its parts
have. What is ours is to show the parts under their bundle, and to count what is packed once.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from app.orders.model import Line


def under_their_bundles(lines: Sequence[Line]) -> tuple[Line, ...]:
    """The lines with each part behind the line that it is a part of, all else in the shop's order.

    A part whose bundle is not among the lines, or is a part of itself, stands for itself.
    """
    if all(line.bundled_by is None for line in lines):
        return tuple(lines)
    known = {line.id: line for line in reversed(lines) if line.id is not None}
    own = [line if _is_in_bundle(line, known) else replace(line, bundled_by=None) for line in lines]
    parts: dict[int | None, list[Line]] = {}
    for line in own:
        if line.bundled_by is not None:
            parts.setdefault(line.bundled_by, []).append(line)
    return tuple(found for line in own if line.bundled_by is None for found in _with_parts(line, parts))


def bundles_among(lines: Iterable[Line]) -> frozenset[int]:
    """The ids of the lines that are bundles: boxes around their parts, no pieces of their own."""
    return frozenset(line.bundled_by for line in lines if line.bundled_by is not None)


def _is_in_bundle(line: Line, known: Mapping[int, Line]) -> bool:
    """Whether the way up from a line leads to another one that stands for itself."""
    seen: set[int] = set()
    while line.bundled_by is not None:
        if line.bundled_by in seen or line.bundled_by not in known:
            return False
        seen.add(line.bundled_by)
        line = known[line.bundled_by]
    return bool(seen)


def _with_parts(line: Line, parts: dict[int | None, list[Line]]) -> Iterable[Line]:
    yield line
    # a second line of the same id gets none: each part is shown once
    for part in parts.pop(line.id, ()):
        yield from _with_parts(part, parts)
