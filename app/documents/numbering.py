"""The number of an invoice: the order's own, or the one that another plugin of the shop has given it."""

from dataclasses import replace

from app.documents.contract import StoreSettings
from app.documents.writer import Writer
from app.orders.model import Order


def invoiced(order: Order) -> Order:
    """The order under the number of its invoice."""
    return replace(order, number=order.invoice_number) if order.invoice_number else order


def other_number(order: Order) -> str:
    """The order's own number, if its invoice has another."""
    return order.number if order.invoice_number not in ("", order.number) else ""


def warn_of_number(writer: Writer, order: Order, store: StoreSettings) -> None:
    """Warn where the store numbers its invoices otherwise and this order has no such number."""
    if store.number_keys and not order.invoice_number:
        keys = ", ".join(store.number_keys)
        writer.warnings.append(f"The order has no invoice number ({keys}); its own number was printed.")
