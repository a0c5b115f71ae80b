"""Where the common VAT of the European Union holds, by country and state as WooCommerce writes them."""

from typing import Final

from stdnum.eu.vat import MEMBER_STATES

_MEMBERS: Final = frozenset(state.upper() for state in MEMBER_STATES)
"""With Northern Ireland (XI), which counts as one for goods."""
# Directive 2006/112/EC, article 7: Monaco counts as France.
_COUNTED_IN: Final = {"MC": "FR"}
# Article 6: the Canary Islands, Ceuta and Melilla are outside of it; WooCommerce has them as provinces of Spain.
_OUTSIDE: Final = frozenset({("ES", "GC"), ("ES", "TF"), ("ES", "CE"), ("ES", "ML")})


def vat_country(country: str, state: str = "") -> str:
    """The country whose VAT holds at an address: `MC` is France; the Canary Islands are no part of Spain here."""
    return f"{country}-{state.upper()}" if (country, state.upper()) in _OUTSIDE else _COUNTED_IN.get(country, country)


def is_in_union(vat_country: str) -> bool:
    """Whether the common VAT holds there."""
    return vat_country in _MEMBERS
