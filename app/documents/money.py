"""Amounts as a reader of the store's language writes them, with the digits that the shop stored."""

from copy import copy
from decimal import ROUND_HALF_UP, Decimal
from functools import lru_cache
from typing import Final

from babel import Locale
from babel.numbers import NumberPattern, get_currency_symbol, get_territory_currencies

from app.documents.coverage import lacking
from app.documents.language import territory_of

SHARED_SYMBOLS: Final = frozenset({"$", "kr", "kr.", "Kr", "Kr.", "Rs", "Rs.", "₨", "R", "L", "F", "K", "﷼"})
"""Signs of several currencies: kept only where a reader takes them for their own money."""

FINEST: Final = 6
"""How many decimals the price of a piece may have where its amount has fewer: `3.525`, twice of which are `7.05`."""

NO_BREAK_SPACE: Final = "\N{NO-BREAK SPACE}"


def amount_text(amount: Decimal, *, currency: str, locale: Locale) -> str:
    """Print an amount with exactly its own decimals: never scaled, never padded, never `-0.00`.

    The currency's sign stands where the locale puts it; without a currency the number is bare.
    """
    if amount.is_zero():
        amount = amount.copy_abs()
    return _pattern(locale, currency, decimals_of(amount)).apply(amount, locale)


def decimals_of(amount: Decimal) -> int:
    """How many decimals the shop wrote: 2 for `7.90`, 0 for `3508`."""
    exponent = amount.as_tuple().exponent
    return max(0, -exponent) if isinstance(exponent, int) else 0


def unit_price(amount: Decimal, quantity: Decimal) -> Decimal | None:
    """The price of one piece, with so many decimals that the pieces come to the amount again; None for no pieces.

    Those of the amount, or more up to `FINEST`; money that is counted in whole units stays whole.
    """
    if quantity.is_zero():
        return None
    decimals = decimals_of(amount)
    finest = max(decimals, FINEST) if decimals else 0
    prices = [_rounded(amount / quantity, places) for places in range(decimals, finest + 1)]
    return next((price for price in prices if _rounded(price * quantity, decimals) == amount), prices[0])


def _rounded(amount: Decimal, decimals: int) -> Decimal:
    return amount.quantize(Decimal(1).scaleb(-decimals), rounding=ROUND_HALF_UP)


def quantity_text(quantity: Decimal, *, locale: Locale) -> str:
    """Print a quantity without idle zeros: `2`, `1.5`."""
    return str(locale.decimal_formats[None].apply(quantity, locale, decimal_quantization=False))


def percent_text(percent: Decimal, *, locale: Locale) -> str:
    """Print a rate such as `19%` or `8,875 %`; the argument is in per cent."""
    return str(locale.percent_formats[None].apply(percent / 100, locale, decimal_quantization=False))


def currency_sign(currency: str, *, locale: Locale) -> str:
    """The locale's sign for a currency, or its code where that could mean another one or no font has it."""
    sign = get_currency_symbol(currency, locale)
    if lacking(sign) or (sign in SHARED_SYMBOLS and currency not in _own_currencies(locale)):
        return currency
    return sign


@lru_cache(maxsize=64)
def _own_currencies(locale: Locale) -> frozenset[str]:
    territory = territory_of(locale)
    return frozenset(get_territory_currencies(territory)) if territory else frozenset()


@lru_cache(maxsize=256)
def _pattern(locale: Locale, currency: str, decimals: int) -> NumberPattern:
    """The locale's pattern for an amount, with the decimals and the sign already in it."""
    source = locale.currency_formats["standard"] if currency else locale.decimal_formats[None]
    pattern: NumberPattern = copy(source)
    pattern.frac_prec = (decimals, decimals)
    if currency:
        sign = currency_sign(currency, locale=locale)
        plus, minus = source.prefix
        pattern.prefix = (_signed(plus, sign, before_number=True), _signed(minus, sign, before_number=True))
        plus, minus = source.suffix
        pattern.suffix = (_signed(plus, sign, before_number=False), _signed(minus, sign, before_number=False))
    return pattern


def _signed(text: str, sign: str, *, before_number: bool) -> str:
    """Put the sign in; letters next to the number are set off by a space, as CLDR asks."""
    if before_number and sign[-1:].isalpha() and text.endswith(("¤", "¤-")):
        sign += NO_BREAK_SPACE
    elif not before_number and sign[:1].isalpha() and text.startswith("¤"):
        sign = NO_BREAK_SPACE + sign
    return text.replace("¤", sign)
