"""What a quantity counts, as a code of UN/ECE Recommendation 20 (BT-130)."""

import re
from collections.abc import Mapping
from decimal import Decimal
from typing import Final

ONE: Final = "C62"

_CODES: Final[Mapping[str, tuple[str, ...]]] = {
    ONE: ("one", "pc", "pcs", "piece", "pieces", "unit", "units", "each", "stk", "stück", "pz", "ud"),
    "H87": (),
    "PR": ("pair", "pairs", "paar"),
    "SET": ("set", "sets"),
    "DZN": ("dozen",),
    "KGM": ("kg", "kilo", "kilogram", "kilograms", "kilogramm"),
    "GRM": ("g", "gram", "grams", "gramm"),
    "MGM": ("mg",),
    "TNE": ("t", "tonne", "tonnes"),
    "LBR": ("lb", "lbs", "pound", "pounds"),
    "ONZ": ("oz", "ounce", "ounces"),
    "LTR": ("l", "ltr", "litre", "litres", "liter"),
    "CLT": ("cl",),
    "MLT": ("ml",),
    "MTR": ("m", "metre", "metres", "meter"),
    "CMT": ("cm",),
    "MMT": ("mm",),
    "FOT": ("ft", "foot", "feet"),
    "INH": ("in", "inch", "inches"),
    "YRD": ("yd", "yard", "yards"),
    "MTK": ("m2", "m²", "sqm", "qm"),
    "MTQ": ("m3", "m³"),
    "FTK": ("ft2", "ft²", "sqft"),
    "MIN": ("min", "minute", "minutes"),
    "HUR": ("h", "hour", "hours", "stunde", "stunden"),
    "DAY": ("day", "days", "tag", "tage"),
    "WEE": ("week", "weeks"),
    "MON": ("month", "months"),
    "ANN": ("year", "years"),
    "KWH": ("kwh",),
}
"""The codes that shops need, each with the words that shops write for it."""

_BY_WORD: Final = {word: code for code, words in _CODES.items() for word in words}
_PACKAGE: Final = re.compile(r"X[0-9A-Z]{2}")
"""Packages of UN/ECE Recommendation 21 stand in the list behind an X: XBX is a box."""


def unit_code(written: str, quantity: Decimal) -> str | None:
    """The code of what a shop wrote; None if it is no unit that we know, or if nobody says what a fraction is of."""
    if not written:
        return ONE if quantity == quantity.to_integral_value() else None
    code = written.strip().upper()
    if code in _CODES or _PACKAGE.fullmatch(code):
        return code
    return _BY_WORD.get(written.strip().rstrip(".").lower())
