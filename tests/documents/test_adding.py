"""Stored figures that contradict each other are named with their difference; those that agree are left in peace."""

from zoneinfo import ZoneInfo

import pytest
from shop_orders import line, order

from app.documents.adding import contradictions
from app.documents.sums import is_gross, sums_of
from app.orders.reading import read_order

END = "; all are printed as stored."


def contradictions_of(**changes: object) -> list[str]:
    shop_order = read_order(order(**changes), time_zone=ZoneInfo("UTC"))
    gross = is_gross(shop_order)
    return list(contradictions(shop_order, sums_of(shop_order, gross=gross), gross=gross))


def rate(tax: str, shipping: str = "0", **changes: object) -> dict[str, object]:
    return {"rate_id": 1, "label": "VAT", "tax_total": tax, "shipping_tax_total": shipping} | changes


def test_figures_that_add_up_are_not_spoken_of():
    assert contradictions_of() == []
    assert contradictions_of(prices_include_tax=True) == []


def test_every_part_is_named_with_what_all_come_to():
    sentences = contradictions_of(
        line_items=[line(total="8.00", total_tax="1.60"), line(total="10.00")],
        coupon_lines=[{"code": "spring", "discount": "2.00", "discount_tax": "0.40"}],
        discount_total="2.00",
        shipping_lines=[{"method_title": "Courier", "total": "5.00", "total_tax": "1.00"}],
        shipping_total="5.00",
        fee_lines=[{"name": "Loyalty", "total": "-1.00"}, {"name": "Loyalty", "total": "-0.50"}],
        tax_lines=[rate("3.60", "1.00")],
        total_tax="4.60",
        total="27.00",
    )

    assert sentences == [
        "subtotal 20.00 + discount -2.00 + shipping 5.00 + fee -1.50 + tax 4.60 = 26.10, "
        "but the stored total is 27.00, 0.90 more" + END
    ]


def test_lines_without_a_row_beneath_them_must_be_the_total():
    untaxed = {"tax_lines": [], "total_tax": "0.00"}
    lines = [line(total_tax="0.00", subtotal_tax="0.00"), line(total_tax="0.00", subtotal_tax="0.00")]

    assert contradictions_of(**untaxed, line_items=lines, total="20.00") == []
    assert contradictions_of(**untaxed, line_items=lines, total="19.00") == [
        "lines 20.00 = 20.00, but the stored total is 19.00, 1.00 less" + END
    ]


def test_rates_that_do_not_make_up_the_tax_are_named():
    """Behind the total of prices with tax they are in no sum of rows."""
    both = [rate("1.00"), rate("0.50", label="Levy")]

    assert contradictions_of(prices_include_tax=True, tax_lines=both) == [
        "VAT 1.00 + Levy 0.50 = 1.50, but the stored tax is 2.00, 0.50 more" + END
    ]


@pytest.mark.parametrize(
    ("currency", "parts", "total", "agree"),
    [
        ("GBP", ("29.97", "6.71328"), "36.68", True),  # six decimals asked for: the total is rounded, its parts are not
        ("GBP", ("29.97", "6.72328"), "36.68", False),
        ("GBP", ("1.004", "1.004"), "2.00", True),  # rounded one by one
        ("GBP", ("10.00", "2.40"), "12", False),  # a total without pence is not a rounded one
        ("JPY", ("10.4", "2.0"), "12", True),
        ("KWD", ("1.0004", "1.0004"), "2.001", True),  # rounded in one go, to a thousandth
        ("KWD", ("1.001", "1.001"), "2.00", False),
        ("", ("1.001", "1.001"), "2.00", True),
        ("AUD", ("3190", "319"), "3508", False),  # a shop without decimals rounds each figure: still a contradiction
    ],
)
def test_parts_that_have_more_decimals_than_the_currency_agree_once_rounded(currency, parts, total, agree):
    net, tax = parts
    sentences = contradictions_of(
        currency=currency,
        line_items=[line(subtotal=net, total=net)],
        tax_lines=[rate(tax)],
        total_tax=tax,
        total=total,
    )

    assert (sentences == []) is agree, sentences


def test_a_missing_figure_contradicts_nothing():
    assert contradictions_of(total=None) == []
    assert contradictions_of(line_items=[line(subtotal=None, total=None)], total="99.00") == []
    assert contradictions_of(total_tax=None, tax_lines=[rate("", "")], total="99.00") == []
