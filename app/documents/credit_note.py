"""A credit note: one refund, dated by it, beside the invoice that it corrects."""

from app.documents.contract import StoreSettings
from app.documents.credited import credited, refund_of
from app.documents.decimals import decimals_among
from app.documents.facts import order_facts
from app.documents.numbering import invoiced, warn_of_number
from app.documents.priced import priced_table
from app.documents.view import DocumentView
from app.documents.writer import Writer
from app.orders.model import Order


def credit_note_view(order: Order, store: StoreSettings, refund_id: int | None) -> DocumentView:
    """Put one refund of an order into words; raises `UnreadableOrder` if the order has no such refund."""
    refund = refund_of(order, refund_id)
    credit = credited(invoiced(order), refund)
    writer = Writer(credit, store)
    # a refund may be one amount alone, such as 5.0: its shop writes two decimals nevertheless
    writer.decimals = max(writer.decimals, decimals_among(order))
    warn_of_number(writer, order, store)
    if refund.date is None:
        writer.warnings.append("The refund has no date: the shop's full refund was not imported.")
    has_parts = bool(credit.shipping_lines or credit.fees)
    table = priced_table(
        writer, total="total_credited", empty="only_charges" if has_parts else "only_amount", rates=order.taxes
    )
    frame = writer.frame(
        "credit_note",
        moment=refund.date,
        facts=(
            writer.fact("credit_note_number", credit.number),
            writer.dated("date", refund.date),
            writer.fact("for_invoice", invoiced(order).number),
            writer.dated("invoice_date", order.date),
        ),
        parties=(writer.bill_to(),),
        note=writer.party("reason", refund.reason.splitlines()),
    )
    return DocumentView(frame, table, order_facts(credit), tuple(writer.warnings))
