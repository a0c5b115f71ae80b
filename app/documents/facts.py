"""What the manifest says of a document, from the same order that was printed."""

from decimal import Decimal

from app.documents.contract import DocumentFacts
from app.orders.model import Order


def order_facts(order: Order) -> DocumentFacts:
    """The facts of an invoice; a figure that the shop did not store stays empty."""
    total, tax = order.total, order.total_tax
    return DocumentFacts(
        number=order.number,
        date="" if order.date is None else order.date.date().isoformat(),
        customer=order.customer_name(),
        country=order.billing.country,
        currency=order.currency,
        net="" if total is None or tax is None else _text(total - tax),
        tax="" if tax is None else _text(tax),
        total="" if total is None else _text(total),
    )


def _text(amount: Decimal) -> str:
    """All digits as stored; nothing is never below zero."""
    return f"{amount or amount.copy_abs():f}"
