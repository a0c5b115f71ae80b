"""Whether a document's stored figures add up, and if not, a sentence that says which do not and by how much.

Shops round line by line or at the subtotal, and let totals be edited; whoever reads the document must
learn it from us, not from an auditor. Nothing is ever corrected.
"""

from collections.abc import Iterator, Sequence
from decimal import ROUND_HALF_UP, Decimal
from typing import Final

from babel.numbers import get_currency_precision

from app.documents.money import decimals_of
from app.documents.sums import Kind, Sum, Sums, line_amount
from app.orders.model import Order

_PRINTED: Final = "; all are printed as stored."


def contradictions(order: Order, sums: Sums, *, gross: bool) -> Iterator[str]:
    """One sentence for each printed figure that is not what its parts come to; none where a part is unknown."""
    parts = _parts(order, sums, gross=gross)
    yield from _compared("the stored total", order.total, parts, order.currency)
    if order.taxes:
        rates = [(row.name or "tax", row.amount) for row in (*sums.rows, *sums.included) if row.kind is Kind.TAX]
        yield from _compared("the stored tax", order.total_tax, rates, order.currency)


def _parts(order: Order, sums: Sums, *, gross: bool) -> list[tuple[str, Decimal | None]]:
    """What the total is made of: the rows above it, or the lines themselves where no row was needed."""
    if any(row.kind is Kind.SUBTOTAL for row in sums.rows) or not order.lines:
        return [(_named(row), row.amount) for row in sums.rows]
    return [("lines", line_amount(line, gross=gross)) for line in order.lines]


def _named(row: Sum) -> str:
    return row.kind.value


def _compared(
    name: str, stored: Decimal | None, parts: Sequence[tuple[str, Decimal | None]], currency: str
) -> Iterator[str]:
    amounts = [amount for _name, amount in parts if amount is not None]
    if stored is None or not amounts or len(amounts) < len(parts):
        return
    difference = stored - sum(amounts)
    if difference and not _is_rounding(stored, amounts, currency):
        more = "more" if difference > 0 else "less"
        yield f"{_sum_of(parts)} = {sum(amounts):f}, but {name} is {stored:f}, {abs(difference):f} {more}{_PRINTED}"


def _sum_of(parts: Sequence[tuple[str, Decimal | None]]) -> str:
    """The parts by what they are, so that a thousand lines are one figure."""
    by_name: dict[str, Decimal] = {}
    for name, amount in parts:
        by_name[name] = by_name.get(name, Decimal(0)) + (Decimal(0) if amount is None else amount)
    return " + ".join(f"{name} {amount:f}" for name, amount in by_name.items())


def _is_rounding(stored: Decimal, amounts: Sequence[Decimal], currency: str) -> bool:
    """Whether the parts have more decimals than the total can hold, and come to it once rounded to them.

    WooCommerce stores totals rounded to the currency, and their parts unrounded if asked for six decimals.
    """
    decimals = max(decimals_of(stored), get_currency_precision(currency) if currency else 2)
    if all(decimals_of(amount) <= decimals for amount in amounts):
        return False
    in_one_go = _rounded(sum(amounts, Decimal(0)), decimals)
    return stored in {in_one_go, sum(_rounded(amount, decimals) for amount in amounts)}


def _rounded(amount: Decimal, decimals: int) -> Decimal:
    return amount.quantize(Decimal(1).scaleb(-decimals), rounding=ROUND_HALF_UP)
