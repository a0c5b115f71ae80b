"""Rows that may be too high for a page: they are broken, and the last one keeps some of its text for the sums.

A row that is kept together and does not fit under the heading of an empty page would be set without
that heading; and a row that ends where its page does would leave the sums a page for themselves.
"""

from dataclasses import replace
from typing import Final, TypeVar

from app.documents import figures
from app.documents.view import PackedLine, PricedLine
from app.documents.writer import Writer

AnyLine = TypeVar("AnyLine", PricedLine, PackedLine)

TALL: Final = "tall"
"""The row may be broken."""
BEGUN: Final = "tall begun"
"""The next row goes on with its text."""
REST: Final = "rest"
"""The end of the text of the row before."""

KEPT: Final = 160
"""Characters that the sums keep: three lines, of which a word may be cut off."""


def shape_of(*texts: str) -> str:
    """The class of a row with these texts under each other."""
    return TALL if figures.is_tall(*texts) else ""


def split(name: str) -> tuple[str, str]:
    """A tall name as what comes first and what the sums keep, between two words if there are any near.

    Nothing comes first if the name is not tall.
    """
    if not figures.is_tall(name):
        return "", name
    place = max(name.rfind(" ", 0, -KEPT), name.rfind("\n", 0, -KEPT))
    place = place if place > len(name) - 2 * KEPT else len(name) - KEPT
    return name[:place].rstrip(), name[place:].lstrip()


def divided(writer: Writer, last: list[AnyLine], *, blank: tuple[str, ...]) -> list[AnyLine]:
    """The last line, if there is one: in two rows if it is so tall that what follows must keep some of it.

    `blank` names the cells that the second row leaves empty.
    """
    begin, end = split(writer.order.lines[-1].name) if last else ("", "")
    if not begin:
        return last
    (whole,) = last
    begun = writer.name(replace(writer.order.lines[-1], name=begin))
    shape = f"{REST} {shape_of(whole.details)}".strip()
    rest = replace(whole, name=writer.apart(end), shape=shape, **dict.fromkeys(blank, ""))
    return [replace(whole, name=begun, details="", shape=BEGUN), rest]
