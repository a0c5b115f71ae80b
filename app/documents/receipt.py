"""A receipt: what was paid, when and by which method. A refund later on does not undo that."""

from dataclasses import replace

from app.documents.contract import StoreSettings
from app.documents.facts import order_facts
from app.documents.owed import NotOwed, require_content
from app.documents.priced import priced_table
from app.documents.view import DocumentView
from app.documents.writer import Writer
from app.orders.model import Order


def receipt_view(order: Order, store: StoreSettings) -> DocumentView:
    """Put a paid order into words; raises `NotOwed` for one that the shop has no date of payment for.

    The status does not count: shops complete orders that are paid by invoice weeks later.
    """
    if order.paid_date is None:
        raise NotOwed("not_paid", "The shop stored no date of payment for this order")
    require_content(order)
    writer = Writer(order, store)
    table = priced_table(writer, total="total_paid", empty="no_items")
    frame = writer.frame(
        "receipt",
        moment=order.paid_date,
        facts=(
            writer.dated("paid", order.paid_date),
            writer.fact("payment", order.payment_method),
            writer.fact("order_number", order.number),
            writer.fact("invoice_number", order.invoice_number),
            writer.dated("order_date", order.date),
        ),
        parties=(writer.bill_to(),),
    )
    manifest = replace(order_facts(order), date=order.paid_date.date().isoformat())
    return DocumentView(frame, table, manifest, tuple(writer.warnings))
