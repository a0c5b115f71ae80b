"""How many decimals the amounts of an order have: those that its shop writes, the same for all of them.

A shop writes `19.80` and `7.92`; what makes numbers of its texts on the way leaves 19.8 and 7.92.
"""

from decimal import Decimal

from babel.numbers import get_currency_precision

from app.documents.money import decimals_of
from app.orders.model import Order


def decimals_among(order: Order) -> int:
    """The most that any amount of the order has, but no more than its currency; more are one amount's own."""
    amounts = [
        *(order.total, order.total_tax, order.discount_total, order.shipping_total, order.shipping_tax),
        *(amount for line in order.lines for amount in (line.total, line.total_tax, line.subtotal, line.subtotal_tax)),
        *(amount for charge in (*order.shipping_lines, *order.fees) for amount in (charge.total, charge.total_tax)),
        *(amount for coupon in order.coupons for amount in (coupon.discount, coupon.discount_tax)),
        *(amount for rate in order.taxes for amount in (rate.tax_total, rate.shipping_tax_total)),
    ]
    most = max((decimals_of(amount) for amount in amounts if amount is not None), default=0)
    return min(most, get_currency_precision(order.currency) if order.currency else 2)


def padded(amount: Decimal, decimals: int) -> Decimal:
    """The same amount with at least so many decimals."""
    return amount if decimals_of(amount) >= decimals else amount.quantize(Decimal(1).scaleb(-decimals))
