"""A shop's order as our own: WooCommerce REST v3 and its forerunners, as real shops send them.

Stored figures are the truth: nothing is recomputed or repaired. Field names in second place are
those of the old API (v1–v3 of 2013–2016), or of versions between.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import tzinfo
from decimal import Decimal
from functools import partial

from app.orders.bundles import under_their_bundles
from app.orders.dates import instant, local_date
from app.orders.fields import Fields, UnreadableOrder, whole_number
from app.orders.lines import read_charge, read_line, read_tax_line
from app.orders.meta import read_meta, value_under
from app.orders.model import Address, Coupon, Order
from app.orders.refunds import read_refund, read_refunds
from app.orders.vat_keys import VAT_KEYS

__all__ = ["UnreadableOrder", "read_order", "read_refund"]


def read_order(
    payload: Mapping[str, object],
    refunds: Sequence[Mapping[str, object]] = (),
    *,
    time_zone: tzinfo,
    number_keys: Sequence[str] = (),
    vat_keys: Sequence[str] = (),
    unit_keys: Sequence[str] = (),
) -> Order:
    """The order in a payload; full refund objects win over the short entries inside it.

    `time_zone` is the shop's: dates without zone are read in it; `number_keys` are the keys of the order's metadata
    that may hold the number of its invoice, `vat_keys` those that may hold the customer's VAT number before the ones
    that are known, `unit_keys` those of a line that may hold what its quantity counts. Raises `UnreadableOrder`.
    """
    fields = Fields(payload, "", [])
    order_id = fields.whole("id")
    if order_id is None or order_id <= 0:
        raise UnreadableOrder("order_id_invalid", "the id is not a whole number above zero", "id")
    order = Order(
        id=order_id,
        number=fields.literal("number", "order_number") or str(order_id),
        status=fields.text("status").lower().removeprefix("wc-"),
        currency=fields.text("currency").upper(),
        currency_symbol=fields.text("currency_symbol"),
        date=local_date(fields, "date_created", time_zone, legacy="created_at"),
        instant=instant(fields, "date_created", time_zone, legacy="created_at"),
        paid_date=local_date(fields, "date_paid", time_zone),
        modified=instant(fields, "date_modified", time_zone, legacy="updated_at"),
        prices_include_tax=fields.flag("prices_include_tax"),
        customer_id=fields.whole("customer_id"),
        billing=_read_address(fields.part("billing", "billing_address")),
        shipping=_read_address(fields.part("shipping", "shipping_address")),
        payment_method=(fields.text("payment_method_title") or fields.part("payment_details").text("method_title")),
        customer_note=fields.text("customer_note", "note"),
        lines=under_their_bundles(tuple(map(partial(read_line, unit_keys=unit_keys), fields.rows("line_items")))),
        shipping_lines=tuple(read_charge(row, "method_title", "method_id") for row in fields.rows("shipping_lines")),
        fees=tuple(read_charge(row, "name", "title") for row in fields.rows("fee_lines")),
        coupons=tuple(map(_read_coupon, fields.rows("coupon_lines"))),
        taxes=tuple(map(read_tax_line, fields.rows("tax_lines"))),
        refunds=read_refunds(fields, refunds, time_zone, unit_keys),
        discount_total=fields.money("discount_total", "total_discount"),
        shipping_total=fields.money("shipping_total", "total_shipping"),
        shipping_tax=fields.money("shipping_tax"),
        cart_tax=fields.money("cart_tax"),
        total=fields.money("total"),
        total_tax=fields.money("total_tax"),
        meta=read_meta(fields),
        parent_id=parent_id_of(payload),
        completed_date=local_date(fields, "date_completed", time_zone),
        is_vat_exempt=value_under(fields, ("is_vat_exempt",)).lower() in ("yes", "1", "true"),
        vat_number=value_under(fields, (*vat_keys, *VAT_KEYS)),
        invoice_number=value_under(fields, number_keys),
    )
    _note_over_refund(fields, order)
    return replace(order, warnings=tuple(fields.warnings)) if fields.warnings else order


def _read_address(fields: Fields) -> Address:
    return Address(
        first_name=fields.text("first_name"),
        last_name=fields.text("last_name"),
        company=fields.text("company"),
        address_1=fields.text("address_1"),
        address_2=fields.text("address_2"),
        city=fields.text("city"),
        state=fields.text("state"),
        postcode=fields.text("postcode"),
        country=fields.text("country").upper(),
        email=fields.text("email"),
        phone=fields.text("phone"),
    )


def parent_id_of(payload: Mapping[str, object]) -> int | None:
    """The order that an order is a part of; shops write 0 for none."""
    parent = whole_number(payload.get("parent_id"))
    return parent if parent is not None and parent > 0 else None


def _read_coupon(fields: Fields) -> Coupon:
    return Coupon(
        code=fields.text("code"),
        discount=fields.money("discount", "amount"),
        discount_tax=fields.money("discount_tax"),
    )


def _note_over_refund(fields: Fields, order: Order) -> None:
    refunded = sum((refund.amount for refund in order.refunds if refund.amount is not None), Decimal(0))
    if order.total is not None and refunded > max(order.total, Decimal(0)):
        fields.warn("The refunds are larger than the order's total; both are shown as stored.")
