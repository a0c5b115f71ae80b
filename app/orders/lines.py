"""The lines of an order or of a refund: products, charges, tax rates."""

from collections.abc import Sequence
from decimal import Decimal

from app.orders.fields import Fields, UnreadableOrder
from app.orders.meta import read_meta, value_under
from app.orders.model import Charge, Line, TaxLine, TaxShare


def read_line(fields: Fields, unit_keys: Sequence[str] = ()) -> Line:
    """A product line; a deleted product has id 0 or none, and no SKU.

    `unit_keys` are the keys of the line's metadata that may hold what its quantity counts.
    """
    return Line(
        id=fields.whole("id"),
        name=fields.text("name"),
        sku=fields.text("sku"),
        quantity=_read_quantity(fields),
        subtotal=fields.money("subtotal"),
        subtotal_tax=fields.money("subtotal_tax"),
        total=fields.money("total"),
        total_tax=fields.money("total_tax"),
        price=fields.money("price"),
        tax_class=fields.text("tax_class"),
        taxes=tuple(map(_read_tax_share, fields.rows("taxes"))),
        meta=read_meta(fields),
        product_id=fields.whole("product_id") or None,
        unit=value_under(fields, unit_keys),
        bundled_by=fields.whole("bundled_by", "composite_parent") or None,
    )


def read_charge(fields: Fields, *titles: str) -> Charge:
    """A shipping line or a fee, whose title goes by one of the given names."""
    return Charge(
        title=fields.text(*titles),
        total=fields.money("total", "amount"),
        total_tax=fields.money("total_tax"),
        taxes=_read_shares_of_charge(fields),
        method=fields.text("method_id").partition(":")[0],
    )


def read_tax_line(fields: Fields) -> TaxLine:
    """One rate's row; the old API calls its label `title` and has one `total` for all."""
    return TaxLine(
        rate_id=fields.text("rate_id"),
        label=fields.text("label", "title", "rate_code", "code"),
        percent=fields.money("rate_percent"),
        compound=fields.flag("compound"),
        tax_total=fields.money("tax_total", "total"),
        shipping_tax_total=fields.money("shipping_tax_total"),
        code=fields.text("rate_code", "code"),
    )


def _read_tax_share(fields: Fields) -> TaxShare:
    return TaxShare(rate_id=fields.text("id"), total=fields.money("total"), subtotal=fields.money("subtotal"))


def _read_shares_of_charge(fields: Fields) -> Sequence[TaxShare]:
    """No document prints them: a shape that cannot be read, as the old API has it, spoils no order."""
    try:
        return tuple(map(_read_tax_share, fields.rows("taxes")))
    except UnreadableOrder:
        return ()


def _read_quantity(fields: Fields) -> Decimal:
    quantity = fields.money("quantity")
    if quantity is None:
        fields.warn(f"{fields.path('quantity')} is missing; it was taken for 1.")
        return Decimal(1)
    return quantity
