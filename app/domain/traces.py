"""The W3C trace that a request belongs to: https://www.w3.org/TR/trace-context/ section 3.2."""

import re
from typing import Final

TRACE_PARENT_LIKE: Final = f"00-{'_' * 32}-{'_' * 16}-__"
"""What every value that we keep looks like, as a LIKE pattern."""

_FORM: Final = re.compile(r"([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?")
_SAMPLED: Final = 0x01


def read_trace_parent(header: str) -> str | None:
    """A `traceparent` in the form of version 00, or None if the header is not valid.

    Of later versions only what the recommendation lets us know is taken: the two ids, and whether the trace
    is sampled.
    """
    found = _FORM.fullmatch(header)
    if found is None:
        return None
    version, trace_id, parent_id, flags, more = found.groups()
    if version == "ff" or not int(trace_id, 16) or not int(parent_id, 16):
        return None
    if version == "00":
        return header if more is None else None
    return f"00-{trace_id}-{parent_id}-{int(flags, 16) & _SAMPLED:02x}"


def trace_id_of(trace_parent: str) -> str:
    """The trace's own id, by which logs are found."""
    return trace_parent.split("-")[1]
