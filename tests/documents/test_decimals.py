"""The amounts of one order have the decimals that its shop writes, whoever dropped a zero on the way."""

from decimal import Decimal
from zoneinfo import ZoneInfo

import pytest
from shop_orders import STORE, line, order, request_for

from app.documents.invoice import invoice_view
from app.orders.payload import read_payload
from app.orders.reading import read_order


def printed(**changes):
    """The unit price and the amount of each line, and the total."""
    request = request_for(order(**changes))
    read = read_order(read_payload(request.payload), refunds=(), time_zone=ZoneInfo("UTC"))
    table = invoice_view(read, STORE).table
    return [text for row in table.lines for text in (row.unit_price, row.amount)] + [table.total.text]


def sold(quantity, total):
    return line(quantity=quantity, total=total, subtotal=total, subtotal_tax=0, total_tax=0, taxes=[])


BARE = {"tax_lines": [], "total_tax": 0, "cart_tax": 0}
"""Nothing else that has decimals."""
FEW = {**dict.fromkeys(("discount_total", "shipping_total", "shipping_tax"), 0), **BARE}


@pytest.mark.parametrize(
    ("currency", "lines", "total", "expected"),
    [
        # 19.80 for four and 3.75 for one, as numbers: the price of one of four is no 5.0
        ("EUR", [sold(4, 19.8), sold(1, 3.75)], 23.55, ["€4.95", "€19.80", "€3.75", "€3.75", "€23.55"]),
        ("EUR", [sold(1, 20.5), sold(1, "1.00")], "21.50", ["€20.50", "€20.50", "€1.00", "€1.00", "€21.50"]),
        # a shop without decimals, whatever its currency has
        ("AUD", [sold(1, 3508)], 3508, ["A$3,508", "A$3,508", "A$3,508"]),
        ("KWD", [sold(1, 1.5), sold(1, 0.125)], 1.625, ["KWD 1.500"] * 2 + ["KWD 0.125"] * 2 + ["KWD 1.625"]),
        # six decimals of one amount are its own
        ("GBP", [sold(1, "29.272727"), sold(1, "1.5")], "30.77",
         ["£29.272727", "£29.272727", "£1.50", "£1.50", "£30.77"]),
        # more than the currency has, and the shop writes them
        ("JPY", [sold(1, "8.00")], "8.00", ["JP¥8.00"] * 3),
    ],
)  # fmt: skip
def test_amounts_of_an_order_have_its_decimals(currency, lines, total, expected):
    found = printed(**FEW, currency=currency, line_items=lines, total=total)

    assert [text.replace("\N{NO-BREAK SPACE}", " ") for text in found] == expected


def test_what_is_stored_stays_what_the_manifest_tells():
    request = request_for(order(**FEW, line_items=[sold(1, 19.8), sold(1, "3.75")], total=19.8))
    read = read_order(read_payload(request.payload), refunds=(), time_zone=ZoneInfo("UTC"))

    assert invoice_view(read, STORE).manifest.total == str(Decimal("19.8"))
