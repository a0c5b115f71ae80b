"""A refund read as an order of what was given back, so that one table prints both.

Everything on it is negative, as WooCommerce stores it: quantities, lines, taxes and the total, so
that the totals of invoices and credit notes add up to what was sold.
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from decimal import Decimal

from app.orders.fields import UnreadableOrder
from app.orders.model import Charge, Line, Order, Refund, TaxLine


def refund_of(order: Order, refund_id: int | None) -> Refund:
    """The refund of an order by the shop's id; raises `UnreadableOrder`."""
    for refund in order.refunds:
        if refund.id is not None and refund.id == refund_id:
            return refund
    raise UnreadableOrder("refund_not_found", f"The order has no refund with the id {refund_id}", "refunds")


def credited(order: Order, refund: Refund) -> Order:
    """The order of a refund, numbered by both ids and dated by the refund, each figure as stored.

    The shop's ids of orders and refunds are drawn from one sequence, so no two credit notes of a
    store have the same number.
    """
    sign = _sign(refund)
    lines = tuple(_line(line, sign) for line in refund.lines)
    shipping = tuple(_charge(charge, sign) for charge in refund.shipping_lines)
    fees = tuple(_charge(charge, sign) for charge in refund.fees)
    tax = _total([*(line.total_tax for line in lines), *(charge.total_tax for charge in (*shipping, *fees))])
    return replace(
        order,
        number=f"{order.number}-{refund.id}",
        date=refund.date,
        instant=refund.instant,
        lines=lines,
        shipping_lines=shipping,
        fees=fees,
        coupons=(),
        taxes=_taxes(order, refund, sign, tax),
        discount_total=None,
        shipping_total=None,
        shipping_tax=None,
        total=None if refund.amount is None else _times(refund.amount, -1),
        total_tax=tax,
    )


def _sign(refund: Refund) -> int:
    """−1 for a shop that wrote what it gave back without the minus."""
    charges = (*refund.shipping_lines, *refund.fees)
    parts = _total([*(line.total for line in refund.lines), *(charge.total for charge in charges)])
    return -1 if parts is not None and parts > 0 else 1


def _line(line: Line, sign: int) -> Line:
    """A line before and after coupons is the same here: what was given back was the price paid."""
    total, tax = _times(line.total, sign), _times(line.total_tax, sign)
    return replace(
        line,
        quantity=_turned(line.quantity.copy_abs(), -1),
        subtotal=total,
        subtotal_tax=tax,
        total=total,
        total_tax=tax,
        price=None if line.price is None else line.price.copy_abs(),
    )


def _charge(charge: Charge, sign: int) -> Charge:
    return replace(charge, total=_times(charge.total, sign), total_tax=_times(charge.total_tax, sign))


def _taxes(order: Order, refund: Refund, sign: int, tax: Decimal | None) -> Sequence[TaxLine]:
    """The refund's own rows; without them the order's only rate, which all of the tax must be of."""
    if not refund.taxes and len(order.taxes) == 1 and tax:
        return (replace(order.taxes[0], tax_total=tax, shipping_tax_total=None),)
    return tuple(
        replace(
            rate,
            tax_total=_times(rate.tax_total, sign),
            shipping_tax_total=_times(rate.shipping_tax_total, sign),
            percent=_percent(order, rate),
        )
        for rate in refund.taxes
    )


def _percent(order: Order, rate: TaxLine) -> Decimal | None:
    """A refund's row may lack the percentage that the order's row of the same rate has."""
    known = {own.rate_id: own.percent for own in order.taxes}
    return known.get(rate.rate_id) if rate.percent is None else rate.percent


def _total(parts: Iterable[Decimal | None]) -> Decimal | None:
    """What is known of the parts, added up; None if nothing is."""
    known = [part for part in parts if part is not None]
    return sum(known[1:], known[0]) if known else None


def _times(amount: Decimal | None, sign: int) -> Decimal | None:
    return None if amount is None else _turned(amount, sign)


def _turned(amount: Decimal, sign: int) -> Decimal:
    """The amount with all its digits, its sign turned if `sign` is −1; never a negative zero."""
    return amount.copy_abs() if amount.is_zero() else amount.copy_negate() if sign < 0 else amount
