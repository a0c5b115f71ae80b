"""A packing slip: what goes into the parcel and where it goes, without a price anywhere."""

from dataclasses import replace
from decimal import Decimal

from app.documents import figures, tall
from app.documents.contract import StoreSettings
from app.documents.facts import order_facts
from app.documents.owed import require_lines
from app.documents.priceless import without_prices
from app.documents.view import DocumentView, PackedLine, PackingTable, Party, Row
from app.documents.writer import Writer
from app.orders.bundles import bundles_among
from app.orders.model import Line, Order


def packing_slip_view(order: Order, store: StoreSettings) -> DocumentView:
    """Put an order into the words of its store, for whoever packs and carries it; raises `NotOwed` without lines."""
    require_lines(order)
    writer = Writer(order, store)
    methods = (without_prices(method.title, currency=order.currency) for method in order.shipping_lines)
    frame = writer.frame(
        "packing_slip",
        moment=order.date,
        facts=(
            writer.fact("order_number", order.number),
            writer.dated("order_date", order.date),
            writer.fact("shipping_method", ", ".join(method for method in methods if method)),
        ),
        parties=(_ship_to(writer),),
        note=writer.note(),
    )
    # Nothing with a price is printed, so none is in the manifest either.
    manifest = replace(order_facts(order), currency="", net="", tax="", total="")
    return DocumentView(frame, _table(writer), manifest, tuple(writer.warnings))


def _ship_to(writer: Writer) -> Party | None:
    """Where the parcel goes, with a phone for the carrier; to the buyer's address if there is no other."""
    order = writer.order
    receiver = order.billing if order.shipping.is_empty() else order.shipping
    lines = writer.address(receiver)
    if not lines:
        writer.warnings.append("The order has no address to send it to.")
    phone = order.shipping.phone or order.billing.phone
    phones = (writer.wording("phone", number=writer.apart(phone)),) if phone else ()
    return writer.party("ship_to", (*lines, *phones))


def _table(writer: Writer) -> PackingTable:
    order, wording = writer.order, writer.wording
    lines = [_line(writer, line) for line in order.lines]
    has_skus = any(line.sku for line in lines)
    lines[-1:] = tall.divided(writer, lines[-1:], blank=("sku", "quantity"))
    return PackingTable(
        columns={key: wording(key) for key in ("sku_column", "item", "quantity")},
        lines=lines,
        has_skus=has_skus,
        width=4 if has_skus else 3,
        figures=figures.columns_class(amounts=(), quantities=(line.quantity for line in lines), rates=()),
        empty=wording("no_items"),
        pieces=Row(wording("pieces"), writer.quantity(_pieces(order))) if lines else None,
    )


def _line(writer: Writer, line: Line) -> PackedLine:
    currency = writer.order.currency
    unpriced = [
        replace(
            meta,
            label=without_prices(meta.label, currency=currency),
            value=without_prices(meta.value, currency=currency),
        )
        for meta in line.meta
    ]
    kept = replace(line, meta=tuple(meta for meta in unpriced if meta.label and meta.value))
    name, details = writer.name(line), " · ".join(writer.attributes(kept))
    return PackedLine(
        sku=writer.apart(line.sku),
        name=name,
        details=details,
        quantity=writer.quantity(line.quantity),
        shape=tall.shape_of(name, details) or tall.shape_of(line.sku),
    )


def _pieces(order: Order) -> Decimal:
    """What lies in the parcel: the parts of a bundle, not the bundle beside them."""
    bundles = bundles_among(order.lines)
    return sum((line.quantity for line in order.lines if line.id not in bundles), Decimal(0))
