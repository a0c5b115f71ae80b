"""A postal address as the lines of an envelope, in the order that its country is used to."""

import re
from typing import Final

from babel import Locale

from app.orders.model import Address

CITY_STATE_POSTCODE: Final = frozenset("US CA AU IN BR MX NZ ZA PH".split())  # noqa: SIM905 a table, not a sentence
"""`Austin, TX 78701`. Elsewhere the postcode comes before the city, as in most of the world."""

POSTCODE_LAST: Final = frozenset("GB IE GG JE IM SG HK TW JP KR CN TH".split())  # noqa: SIM905 as above
"""The city on its line, then the postcode on its own."""

# Codes such as JP13 or TR34 mean something to the shop software only.
_STATE_CODE: Final = re.compile(r"[A-Z]{0,2}\d+")


def address_lines(address: Address, *, locale: Locale) -> tuple[str, ...]:
    """The lines to print, without empty ones; the country by its name in the reader's language."""
    name = f"{address.first_name} {address.last_name}".strip()
    lines = (
        name,
        address.company,
        address.address_1,
        address.address_2,
        *_place(address),
        locale.territories.get(address.country, address.country),
    )
    return tuple(line for line in lines if line)


def _place(address: Address) -> tuple[str, ...]:
    state = "" if _STATE_CODE.fullmatch(address.state) else address.state
    if address.country in CITY_STATE_POSTCODE:
        return (_joined(", ", address.city, _joined(" ", state, address.postcode)),)
    if address.country in POSTCODE_LAST:
        return (_joined(", ", address.city, state), address.postcode)
    return (_joined(", ", _joined(" ", address.postcode, address.city), state),)


def _joined(separator: str, *parts: str) -> str:
    return separator.join(part for part in parts if part)
