"""Codes that an e-invoice takes: of currencies (ISO 4217) and of countries (ISO 3166-1 alpha-2), as CLDR has them."""

from functools import cache
from typing import Final

from babel import Locale
from babel.core import get_global

# Two letters in CLDR's list that are no country's of ISO 3166-1.
_NO_COUNTRIES: Final = frozenset({"AC", "CP", "CQ", "DG", "EA", "EU", "EZ", "IC", "QO", "TA", "UN", "XA", "XB", "ZZ"})


def is_currency(code: str) -> bool:
    """Whether there is or was such a currency."""
    return code in get_global("all_currencies")


def is_country(code: str) -> bool:
    """Whether there is such a country; that of Kosovo (XK) is not of ISO's list, and taken as the standard takes it."""
    return code in _countries()


@cache
def _countries() -> frozenset[str]:
    return frozenset(code for code in map(str, Locale("en").territories) if len(code) == 2) - _NO_COUNTRIES
