"""The rows between the last line and the total of an invoice, from stored figures only."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum

from app.orders.model import Charge, Coupon, Line, Order, TaxLine


class Kind(StrEnum):
    """What a row is about; the values are keys of the texts."""

    SUBTOTAL = "subtotal"
    DISCOUNT = "discount"
    SHIPPING = "shipping"
    FEE = "fee"
    TAX = "tax"


@dataclass(frozen=True, slots=True)
class Sum:
    """One row: what it is about, the shop's name for it if any, and its amount if one is stored."""

    kind: Kind
    name: str
    amount: Decimal | None
    rate: TaxLine | None = None


@dataclass(frozen=True, slots=True)
class Sums:
    """The rows in reading order; those of `included` say what is in the total and stand after it."""

    rows: Sequence[Sum]
    included: Sequence[Sum]


def is_gross(order: Order) -> bool:
    """Whether prices are printed with tax, as the customer saw them; only if each tax is known."""
    taxes = [line.subtotal_tax for line in order.lines]
    taxes += [charge.total_tax for charge in (*order.shipping_lines, *order.fees)]
    taxes += [coupon.discount_tax for coupon in order.coupons]
    return order.prices_include_tax and None not in taxes


def line_amount(line: Line, *, gross: bool) -> Decimal | None:
    """A line before coupons, which have rows of their own."""
    net, tax = (line.total, line.total_tax) if line.subtotal is None else (line.subtotal, line.subtotal_tax)
    return _with_tax(net, tax, gross=gross)


def line_discount(line: Line, *, gross: bool) -> Decimal | None:
    """What coupons took off a line; None where it is not known."""
    return _with_tax(_less(line.subtotal, line.total), _less(line.subtotal_tax, line.total_tax), gross=gross)


def sums_of(order: Order, *, gross: bool) -> Sums:
    """Every row of the order, in the order of reading: subtotal, discounts, shipping, fees, taxes."""
    taxes = _taxes(order)
    rows = [
        *_discounts(order, gross=gross),
        *_shipping(order, gross=gross),
        *(_charge(Kind.FEE, fee, gross=gross) for fee in order.fees),
        *(() if gross else taxes),
    ]
    if order.lines and (rows or gross):
        rows.insert(0, Sum(Kind.SUBTOTAL, "", _total(line_amount(line, gross=gross) for line in order.lines)))
    return Sums(rows, taxes if gross else ())


def _discounts(order: Order, *, gross: bool) -> list[Sum]:
    """One row per coupon if the coupons explain the stored discount, else one row for all of it."""
    if order.coupons and _explains((coupon.discount for coupon in order.coupons), order.discount_total):
        return [_coupon(coupon, gross=gross) for coupon in order.coupons]
    if not order.discount_total:
        return []
    tax = _total(_less(line.subtotal_tax, line.total_tax) for line in order.lines)
    codes = ", ".join(coupon.code for coupon in order.coupons if coupon.code)
    return [Sum(Kind.DISCOUNT, codes, _negated(_with_tax(order.discount_total, tax, gross=gross)))]


def _coupon(coupon: Coupon, *, gross: bool) -> Sum:
    return Sum(Kind.DISCOUNT, coupon.code, _negated(_with_tax(coupon.discount, coupon.discount_tax, gross=gross)))


def _shipping(order: Order, *, gross: bool) -> list[Sum]:
    """One row per method if the methods explain the stored shipping, else one row for all of it."""
    methods = order.shipping_lines
    if methods and _explains((method.total for method in methods), order.shipping_total):
        return [_charge(Kind.SHIPPING, method, gross=gross) for method in methods]
    if not order.shipping_total and not methods:
        return []
    return [Sum(Kind.SHIPPING, "", _with_tax(order.shipping_total, order.shipping_tax, gross=gross))]


def _charge(kind: Kind, charge: Charge, *, gross: bool) -> Sum:
    return Sum(kind, charge.title, _with_tax(charge.total, charge.total_tax, gross=gross))


def _taxes(order: Order) -> list[Sum]:
    """One row per rate, those of 0 % too; without rates, the stored tax in one row.

    A rate's tax on shipping is stored apart from its other tax. Some shops count it into both; the
    order's own sum of tax tells.
    """
    if not order.taxes:
        return [Sum(Kind.TAX, "", order.total_tax)] if order.total_tax else []
    counts_shipping = _total(rate.tax_total for rate in order.taxes) == order.total_tax is not None
    return [
        Sum(Kind.TAX, rate.label, rate.tax_total if counts_shipping else _tax_amount(rate), rate)
        for rate in order.taxes
    ]


def _tax_amount(rate: TaxLine) -> Decimal | None:
    return _total(part for part in (rate.tax_total, rate.shipping_tax_total) if part is not None)


def _explains(parts: Iterable[Decimal | None], whole: Decimal | None) -> bool:
    total = _total(parts)
    return total is not None and (whole is None or total == whole)


def _total(parts: Iterable[Decimal | None]) -> Decimal | None:
    """Add up, or None if a part is missing or there is none."""
    known = list(parts)
    if not known or None in known:
        return None
    first, *others = (part for part in known if part is not None)
    return sum(others, first)


def _with_tax(net: Decimal | None, tax: Decimal | None, *, gross: bool) -> Decimal | None:
    if net is None or not gross:
        return net
    return net + (tax or 0)


def _less(whole: Decimal | None, part: Decimal | None) -> Decimal | None:
    return None if whole is None or part is None else whole - part


def _negated(amount: Decimal | None) -> Decimal | None:
    return None if amount is None else amount.copy_negate()
