"""How the sample shop adds up: WooCommerce's default, tax rounded line by line."""

from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal

from catalogue import Rate

ZERO = Decimal(0)


@dataclass(frozen=True)
class Amount:
    """A net amount and its tax by rate id."""

    net: Decimal
    taxes: dict[int, Decimal]

    @property
    def tax(self) -> Decimal:
        """All of its tax."""
        return sum(self.taxes.values(), ZERO)


def rounded(amount: Decimal, decimals: int) -> Decimal:
    """To the shop's decimals, half away from zero; never minus zero."""
    return amount.quantize(Decimal(1).scaleb(-decimals), ROUND_HALF_UP) + ZERO


def taxed(price: Decimal, rates: list[Rate], decimals: int, *, is_gross: bool) -> Amount:
    """The net amount and taxes of a price, which has them inside (`is_gross`) or not."""
    net = price / (1 + _total_rate(rates)) if is_gross else price
    taxes = {rate.id: rounded(net * factor, decimals) for rate, factor in _factors(rates)}
    if is_gross:
        return Amount(rounded(price, decimals) - sum(taxes.values(), ZERO), taxes)
    return Amount(rounded(net, decimals), taxes)


def _factors(rates: list[Rate]) -> list[tuple[Rate, Decimal]]:
    plain = sum((rate.percent for rate in rates if not rate.compound), ZERO) / 100
    return [(rate, rate.percent / 100 * (1 + plain if rate.compound else 1)) for rate in rates]


def _total_rate(rates: list[Rate]) -> Decimal:
    return sum((factor for _, factor in _factors(rates)), ZERO)
