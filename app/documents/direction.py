"""Texts of one direction inside of a document of the other, each kept in one piece."""

from typing import Final
from unicodedata import bidirectional

FIRST_STRONG_ISOLATE: Final = "\u2068"
POP_ISOLATE: Final = "\u2069"
LEFT_TO_RIGHT_MARK: Final = "\u200e"
RIGHT_TO_LEFT_MARK: Final = "\u200f"
_ISOLATES: Final = dict.fromkeys(map(ord, "\u2066\u2067\u2068\u2069"))

_LEFT_TO_RIGHT: Final = frozenset({"L", "EN", "ES", "ET", "CS", "ON", "NSM", "BN", "WS", "S", "B"})
"""The bidirectional classes that never turn a left-to-right text around."""


def apart(text: str, *, is_mirrored: bool) -> str:
    """Keep a text's own direction, whatever stands around it: `14 Harbour Row` in an Arabic document.

    An isolate ends with its line, and with an end of its own inside of the text.
    """
    if not is_mirrored and all(bidirectional(char) in _LEFT_TO_RIGHT for char in text):
        return text
    # The mark stands in for the isolate where a line is broken inside of it.
    end = POP_ISOLATE + (RIGHT_TO_LEFT_MARK if is_mirrored else LEFT_TO_RIGHT_MARK)
    lines = text.translate(_ISOLATES).split("\n")
    return "\n".join(f"{FIRST_STRONG_ISOLATE}{line}{end}" if line else "" for line in lines)
