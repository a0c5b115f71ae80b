"""Patterns of file names: which an owner may ask for, and what becomes of one for a document."""

import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Final

from app.domain.filenames import key, portable, word
from app.domain.layouts import combined_name

DEFAULT_PATTERN: Final = "{type}-{number}"
MAX_PATTERN: Final = 100
"""Characters of a pattern."""
MAX_TEXT_BYTES: Final = 60
"""UTF-8 bytes of what stands between the placeholders."""
MAX_NAME_BYTES: Final = 200
"""UTF-8 bytes of a name without its ending; leaves room for `~2`, the ending and a folder in 255."""

PLACEHOLDERS: Final[Mapping[str, int]] = {"type": 20, "number": 100, "date": 10, "customer": 60}
"""Each with the UTF-8 bytes that it is cut to."""

PATTERN_SHAPE: Final = (
    r'^[^<>:"/\\|?*~\u0000-\u001f\u007f]*\{(type|number|date|customer)\}[^<>:"/\\|?*~\u0000-\u001f\u007f]*$'
)
"""What most refused patterns do not match, for OpenAPI."""

_PLACEHOLDER: Final = re.compile(r"\{([^{}]*)\}")
_FORBIDDEN: Final = frozenset('<>:"|?*~')


class PatternRefused(Exception):
    """A pattern that no file can be named by; `reason` says why."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


@dataclass(frozen=True, slots=True)
class Named:
    """What a document's file can be named by; unknown is empty."""

    document_type: str
    number: str
    order_id: int | None
    date: str
    """ISO 8601 `YYYY-MM-DD`."""
    customer: str


def check_pattern(pattern: str) -> None:
    """Raise `PatternRefused` unless a portable name can be made by the pattern."""
    if not pattern.strip():
        raise PatternRefused("is empty")
    if len(pattern) > MAX_PATTERN:
        raise PatternRefused(f"has more than {MAX_PATTERN} characters")
    names = _PLACEHOLDER.findall(pattern)
    text = _PLACEHOLDER.sub("", pattern)
    known = ", ".join(f"{{{name}}}" for name in PLACEHOLDERS)
    for name in names:
        if name not in PLACEHOLDERS:
            raise PatternRefused(f"has the unknown placeholder {{{name}}}; there are {known}")
        if names.count(name) > 1:
            raise PatternRefused(f"has the placeholder {{{name}}} twice")
    if not names:
        raise PatternRefused(f"has no placeholder; there are {known}")
    if "{" in text or "}" in text:
        raise PatternRefused("has a brace that belongs to no placeholder")
    if "/" in text or "\\" in text:
        raise PatternRefused("has a path in it; all documents lie in one folder")
    for char in text:
        if char in _FORBIDDEN or unicodedata.category(char).startswith("C"):
            raise PatternRefused(f"has the character {char!r}, which not every system takes in a file name")
    if text.casefold().endswith(".pdf") and pattern.endswith(text[-4:]):
        raise PatternRefused("ends in `.pdf`, which is added to every name")
    if len(text.encode()) > MAX_TEXT_BYTES:
        raise PatternRefused(f"has more than {MAX_TEXT_BYTES} bytes between its placeholders")


def stem_by(pattern: str, named: Named) -> str:
    """A portable stem of at most `MAX_NAME_BYTES`; not yet unique, and never that of a combined PDF."""
    values = {
        "type": word(named.document_type),
        "number": named.number,
        "date": named.date,
        "customer": named.customer,
    }
    fallbacks = {"number": "" if named.order_id is None else str(named.order_id), "date": "undated"}

    def value_of(found: re.Match[str]) -> str:
        name = found[1]
        most = PLACEHOLDERS[name]
        return portable(values[name], most) or portable(fallbacks.get(name, ""), most) or "unnamed"

    name = portable(_PLACEHOLDER.sub(value_of, pattern), MAX_NAME_BYTES) or "unnamed"
    return f"_{name}" if _is_combined(name, named.document_type) else name


def _is_combined(name: str, document_type: str) -> bool:
    return _combined(document_type).fullmatch(key(name)) is not None


@cache
def _combined(document_type: str) -> re.Pattern[str]:
    """The keys of the names of combined PDFs."""
    name = key(combined_name(document_type, part=1, parts=1).removesuffix(".pdf"))
    return re.compile(rf"{re.escape(name)}(-\d+)?")
