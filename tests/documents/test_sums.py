"""The rows between the lines and the total are the shop's figures, each of them once."""

from decimal import Decimal
from zoneinfo import ZoneInfo

from shop_orders import line, order

from app.documents.sums import Kind, Sum, is_gross, sums_of
from app.orders.model import Order
from app.orders.reading import read_order


def read(**changes: object) -> Order:
    return read_order(order(**changes), time_zone=ZoneInfo("UTC"))


def rows_of(shop_order: Order, *, gross: bool = False) -> list[tuple[Kind, str, str]]:
    return [(row.kind, row.name, str(row.amount)) for row in sums_of(shop_order, gross=gross).rows]


def test_plain_order_has_its_subtotal_and_its_tax():
    assert rows_of(read()) == [(Kind.SUBTOTAL, "", "10.00"), (Kind.TAX, "VAT", "2.00")]


def test_untaxed_order_needs_no_rows_at_all():
    assert rows_of(read(tax_lines=[], total_tax="0.00")) == []


def test_coupons_that_do_not_explain_the_discount_share_one_row():
    coupons = [{"code": "a", "discount": "1.00"}, {"code": "b", "discount": "1.00"}]

    assert (Kind.DISCOUNT, "a, b", "-3.00") in rows_of(read(coupon_lines=coupons, discount_total="3.00"))


def test_coupon_of_free_shipping_is_listed():
    coupons = [{"code": "save", "discount": "2.00"}, {"code": "freeship", "discount": "0.00"}]

    rows = rows_of(read(coupon_lines=coupons, discount_total="2.00"))

    assert [row for row in rows if row[0] is Kind.DISCOUNT] == [
        (Kind.DISCOUNT, "save", "-2.00"),
        (Kind.DISCOUNT, "freeship", "-0.00"),
    ]


def test_shipping_without_a_method_is_not_lost():
    assert (Kind.SHIPPING, "", "5.00") in rows_of(read(shipping_total="5.00"))


def test_tax_on_shipping_is_added_once():
    rate = {"rate_id": 1, "label": "VAT", "tax_total": "2.00", "shipping_tax_total": "1.00"}

    assert (Kind.TAX, "VAT", "3.00") in rows_of(read(tax_lines=[rate], total_tax="3.00"))
    assert (Kind.TAX, "VAT", "2.00") in rows_of(read(tax_lines=[rate], total_tax="2.00"))


def test_prices_with_tax_put_the_tax_after_the_total():
    sums = sums_of(read(prices_include_tax=True), gross=True)

    assert sums.rows == [Sum(Kind.SUBTOTAL, "", Decimal("12.00"))]
    assert [row.amount for row in sums.included] == [Decimal("2.00")]


def test_prices_are_net_where_a_tax_is_unknown():
    assert is_gross(read(prices_include_tax=True))
    assert not is_gross(read(prices_include_tax=True, line_items=[line(subtotal_tax=None)]))
    assert not is_gross(read(prices_include_tax=False))
