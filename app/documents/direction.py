"""Texts of one direction inside of a document of the other, each kept in one piece."""

import re
from typing import Final
from unicodedata import bidirectional

FIRST_STRONG_ISOLATE: Final = "\u2068"
LEFT_TO_RIGHT_ISOLATE: Final = "\u2066"
POP_ISOLATE: Final = "\u2069"
LEFT_TO_RIGHT_MARK: Final = "\u200e"
RIGHT_TO_LEFT_MARK: Final = "\u200f"
_ISOLATES: Final = dict.fromkeys(map(ord, "\u2066\u2067\u2068\u2069"))

_LEFT_TO_RIGHT: Final = frozenset({"L", "EN", "ES", "ET", "CS", "ON", "NSM", "BN", "WS", "S", "B"})
"""The bidirectional classes that never turn a left-to-right text around."""

_STRONG: Final = frozenset({"L", "R", "AL"})

_NUMBER: Final = re.compile(
    r"(?<![0-9A-Za-z])(?:"
    r"(?:\+|0)[0-9]+(?:[ ().\-/]{1,2}[0-9]+)+"  # a phone number: +966 (5) 555-0100
    r"|[0-9]+(?:[-./:][0-9A-Za-z]+)+"  # a date, a time, an article number: 2024-03-05, 10:30, 42-X-7
    r"|\[U\+[0-9A-F]+\]"  # the code of a character that no font has
    r")(?![0-9A-Za-z:])"
)
"""Numbers of several parts. Next to letters from right to left the parts would change places: `555-050`."""


def apart(text: str, *, is_mirrored: bool) -> str:
    """Keep a text's own direction, whatever stands around it: `14 Harbour Row` in an Arabic document.

    An isolate ends with its line, and with an end of its own inside of the text.
    """
    if not is_mirrored and all(bidirectional(char) in _LEFT_TO_RIGHT for char in text):
        return text
    # The mark stands in for the isolate where a line is broken inside of it.
    end = POP_ISOLATE + (RIGHT_TO_LEFT_MARK if is_mirrored else LEFT_TO_RIGHT_MARK)
    lines = _with_numbers_apart(text.translate(_ISOLATES)).split("\n")
    return "\n".join(f"{FIRST_STRONG_ISOLATE}{line}{end}" if line else "" for line in lines)


def _with_numbers_apart(text: str) -> str:
    """Keep each number of several parts in the order in which it was typed; behind Latin letters it is anyway."""

    def kept(number: re.Match[str]) -> str:
        classes = (bidirectional(char) for char in reversed(text[: number.start()]))
        before = next((one for one in classes if one in _STRONG), "")
        return number[0] if before == "L" else f"{LEFT_TO_RIGHT_ISOLATE}{number[0]}{POP_ISOLATE}"

    if all(bidirectional(char) in _LEFT_TO_RIGHT for char in text):
        return text
    return _NUMBER.sub(kept, text)
