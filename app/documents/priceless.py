"""Texts without the prices that shops write into them: `Gift wrap (+$5.00)` is `Gift wrap` to a packer."""

import re
import unicodedata
from typing import Final

_BRACKETED: Final = re.compile(r"\s*[(\[]([^()\[\]]*\d[^()\[\]]*)[)\]]")


def without_prices(text: str, *, currency: str) -> str:
    """The text less each bracket that holds a number beside a currency's sign or the given currency's code.

    Add-ons are labelled so; a price in free text is what somebody wrote, and stays.
    """
    return _BRACKETED.sub(lambda found: "" if _is_price(found[1], currency) else found[0], text).strip()


def _is_price(text: str, currency: str) -> bool:
    return any(unicodedata.category(char) == "Sc" for char in text) or (bool(currency) and currency in text)
