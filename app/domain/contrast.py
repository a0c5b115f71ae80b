"""How well a colour can be read on white paper: the contrast ratio of WCAG 2.2."""

import re
from typing import Final

READABLE: Final = 4.5
"""The least for text of any size (WCAG 2.2, success criterion 1.4.3)."""

_COLOUR: Final = re.compile(r"#[0-9a-f]{6}")


def is_colour(text: str) -> bool:
    """Whether it is a colour as `#1a4d8f`, in small letters."""
    return _COLOUR.fullmatch(text) is not None


def on_white(colour: str) -> float:
    """The contrast of `#rrggbb` against white: from 1, which is white itself, to 21 for black."""
    red, green, blue = (_linear(int(colour[place : place + 2], 16) / 255) for place in (1, 3, 5))
    # relative luminance; white has 1, and 0.05 is the light that a page reflects
    return 1.05 / (0.2126 * red + 0.7152 * green + 0.0722 * blue + 0.05)


def _linear(channel: float) -> float:
    """One channel of sRGB without its gamma, as WCAG defines it."""
    return channel / 12.92 if channel <= 0.04045 else ((channel + 0.055) / 1.055) ** 2.4
