"""An order as an invoice: refunds do not touch it, and no figure on it is ours."""

from app.documents.contract import StoreSettings
from app.documents.facts import order_facts
from app.documents.numbering import invoiced, other_number, warn_of_number
from app.documents.owed import require_content
from app.documents.priced import priced_table
from app.documents.view import DocumentView, Party
from app.documents.writer import Writer
from app.orders.model import Order


def invoice_view(order: Order, store: StoreSettings) -> DocumentView:
    """Put an order into the words, numbers and dates of its store; raises `NotOwed` for one with nothing in it."""
    require_content(order)
    writer = Writer(invoiced(order), store)
    warn_of_number(writer, order, store)
    table = priced_table(writer, total="total", empty="no_items")
    frame = writer.frame(
        "invoice",
        moment=order.date,
        facts=(
            writer.fact("invoice_number", writer.order.number),
            writer.dated("date", order.date),
            writer.fact("order_number", other_number(order)),
            writer.fact("payment", order.payment_method),
            writer.dated("paid", order.paid_date),
        ),
        parties=(writer.bill_to(), _ship_to(writer)),
        note=writer.note(),
    )
    return DocumentView(frame, table, order_facts(writer.order), tuple(writer.warnings))


def _ship_to(writer: Writer) -> Party | None:
    """Where it is another address than the buyer's."""
    order = writer.order
    lines = () if order.shipping.is_empty() else writer.address(order.shipping)
    return None if lines == writer.address(order.billing) else writer.party("ship_to", lines)
