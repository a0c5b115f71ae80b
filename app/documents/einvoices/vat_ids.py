"""Which of the numbers that people type are VAT numbers: by their country's own form and check digits."""

from collections.abc import Iterable
from typing import Final

from stdnum.eu import vat as european
from stdnum.exceptions import ValidationError
from stdnum.util import clean, get_cc_module

_GREECE: Final = ("GR", "EL")
"""Its country, and what its numbers begin with (BR-CO-09)."""
_NEIGHBOURS: Final = frozenset({"GB", "CH", "NO"})
"""Countries outside of the European Union whose VAT numbers begin with them, and have check digits."""


def vat_id(number: str, *, country: str = "") -> str:
    """The number as an e-invoice has it, its country in front; empty if it is none.

    Shops often keep it without the country: then it is that of `country`, if its form and check digits say so too.
    """
    typed = clean(number, " -./").strip().upper()
    return _checked(typed) or (_checked(_prefix(country) + typed) if country else "")


def country_of(vat_id: str) -> str:
    """The ISO 3166 code of the country that gave a number; that of Northern Ireland is XI."""
    return _GREECE[0] if vat_id.startswith(_GREECE[1]) else vat_id[:2]


def first_vat_id(numbers: Iterable[str]) -> str:
    """The first VAT number among the numbers of a seller."""
    return next(filter(None, map(vat_id, numbers)), "")


def _prefix(country: str) -> str:
    return _GREECE[1] if country == _GREECE[0] else country


def _checked(typed: str) -> str:
    prefix = typed[:2]
    if not (prefix.isalpha() and prefix.isascii() and any(char.isdigit() for char in typed)):
        return ""
    try:
        if prefix == _GREECE[1] or prefix.lower() in european.MEMBER_STATES:
            return european.validate(typed)
        module = get_cc_module(prefix, "vat") if prefix in _NEIGHBOURS else None
        if module is None:
            return ""
        module.validate(typed)
    except ValidationError:
        return ""
    return typed
