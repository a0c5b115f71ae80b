"""The part of the style that is a store's own: its colour, and the room for what it prints at the foot of each page."""

from collections.abc import Iterable
from dataclasses import dataclass
from math import ceil
from typing import Final

from app.documents.figures import width
from app.domain.contrast import is_colour

FOOT_COLUMN: Final = 29.0
"""Ems of one of two columns at the foot: half of the text width of A4 less its gap, at 7.5 pt."""

_INK: Final = "#1c1c1c"
_ROW: Final = 3.97
"""Millimetres of a row at the foot: 7.5 pt, and half of it between rows."""
_ABOVE: Final = 2.0
"""Millimetres between the foot's hairline and its first row."""


@dataclass(frozen=True, slots=True)
class Dress:
    """What makes the documents of one store look other than those of the next."""

    accent: str = ""
    """`#rrggbb`; anything else is ink."""
    foot_rows: int = 0
    """Rows of text at the foot of each page; none: no foot."""

    def css(self) -> str:
        """The style sheet that goes over the frame's; the frame's own margins are those without a foot."""
        accent = self.accent if is_colour(self.accent) else _INK
        rules = [f"html {{ --accent: {accent} }}"]
        if self.foot_rows:
            foot = self.foot_rows * _ROW + _ABOVE
            line = f"padding-top: {foot + 9:.2f}mm"
            rules += [
                f"@page {{ margin-bottom: {foot + 26:.2f}mm; @bottom-left {{ {line} }} @bottom-right {{ {line} }} }}",
                f".foot {{ bottom: -{foot + 5:.2f}mm }}",
            ]
        return "\n".join(rules)


PLAIN: Final = Dress()
"""Of a store that has set nothing."""


def rows_of(lines: Iterable[str], *, columns: int) -> int:
    """How many rows these lines take in one of so many columns, never less than it is."""
    room = FOOT_COLUMN if columns > 1 else 2 * FOOT_COLUMN
    return sum(max(1, ceil(width(line) / room)) for line in lines)
