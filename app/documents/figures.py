"""How much room the texts of a document need, so that no number is ever broken and no page without its heading.

An estimate that errs on the wide side, in ems: measuring each text with its font would take as long
as setting it.
"""

import unicodedata
from collections.abc import Iterable
from typing import Final

DIGIT: Final = 0.58
MARK: Final = 0.3
"""A point, a comma, a sign, a space."""
LETTER: Final = 0.95
IDEOGRAPH: Final = 1.1

# What fits, by class of the style sheet, narrowest first. Beyond the last one a text may be broken.
COLUMNS: Final = (("normal", 7.5), ("wide", 11.8), ("widest", 16.0))
SUMS: Final = (("normal", 29.0), ("widest", 38.0))
ENDLESS: Final = "endless"

LINE: Final = 20.0
"""The narrowest column of items, in ems."""
TALL: Final = 24
"""Lines of a row that may be broken over pages: about half of one. A row that is kept together and does not fit
under the heading of an empty page would be set without that heading."""

_QUANTITY: Final = 3.8
_MANY: Final = 7.5
_RATE: Final = 4.8


def columns_class(amounts: Iterable[str], quantities: Iterable[str], rates: Iterable[str]) -> str:
    """The classes of a table of lines: for its amounts, its quantities and its rates of tax."""
    classes = [_fitting(COLUMNS, amounts)]
    quantity = _longest(quantities)
    if quantity > _QUANTITY:
        classes.append("many" if quantity <= _MANY else "countless")
    if _longest(word for rate in rates for word in rate.split(" ")) > _RATE:
        classes.append("long-rates")
    return " ".join(classes)


def sums_class(amounts: Iterable[str]) -> str:
    """The class of the block of sums."""
    return _fitting(SUMS, amounts)


def is_tall(*texts: str) -> bool:
    """Whether a row with these texts under each other may be too high to be kept on one page."""
    lines = (line for text in texts for line in text.split("\n"))
    return sum(1 + int(width(line) / LINE) for line in lines) > TALL


def width(text: str) -> float:
    """The width of one line of text in ems, never less than it is."""
    return sum(_width(char) for char in text)


def _width(char: str) -> float:
    category = unicodedata.category(char)
    if category == "Nd":
        return DIGIT
    if category in {"Cf", "Mn"}:
        return 0
    if char in ".,'’\N{NO-BREAK SPACE}\N{NARROW NO-BREAK SPACE} ":
        return MARK
    return IDEOGRAPH if unicodedata.east_asian_width(char) in "WF" else LETTER


def _longest(texts: Iterable[str]) -> float:
    return max(map(width, texts), default=0)


def _fitting(steps: Iterable[tuple[str, float]], texts: Iterable[str]) -> str:
    longest = _longest(texts)
    return next((name for name, most in steps if longest <= most), ENDLESS)
