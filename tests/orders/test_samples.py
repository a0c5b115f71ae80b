"""The sample orders: all readable, and right to the last cent."""

import subprocess
import sys
from decimal import Decimal
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from app.orders.intake import IncomingOrder, classify
from app.orders.model import Order
from app.orders.payload import read_payload, read_payloads
from app.orders.reading import read_order, read_refund
from app.orders.stream import UploadReader

SAMPLES = Path(__file__).parents[2] / "samples"
TEXT = (SAMPLES / "orders.json").read_bytes()
REFUNDS = (SAMPLES / "refunds.json").read_bytes()
ZONE = ZoneInfo("Europe/Berlin")
ORDERS = [read_order(payload, time_zone=ZONE) for payload in read_payloads(TEXT.decode())]


def test_they_are_many_and_small() -> None:
    assert len(ORDERS) >= 64
    assert len(TEXT) < 600_000
    assert len({order.id for order in ORDERS}) == len(ORDERS)
    assert max(len(order.lines) for order in ORDERS) == 120
    assert len({order.currency for order in ORDERS}) >= 20


def test_an_upload_of_them_is_taken_whole_and_without_a_word() -> None:
    reader = UploadReader()

    found = [classify(entry.value, ZONE) for entry in (*reader.feed(TEXT), *reader.finish())]

    orders = [incoming for incoming in found if isinstance(incoming, IncomingOrder)]
    assert len(orders) == len(found) == len(ORDERS)
    assert [incoming.warnings for incoming in orders] == [()] * len(orders)
    assert [read_payload(incoming.payload_text)["id"] for incoming in orders] == [order.id for order in ORDERS]


@pytest.mark.parametrize("order", ORDERS, ids=lambda order: order.number)
def test_they_add_up(order: Order) -> None:
    charged = [*order.lines, *order.fees]

    net = added(*(row.total for row in [*charged, *order.shipping_lines]))
    tax = added(*(row.total_tax for row in [*charged, *order.shipping_lines]))

    assert order.total == net + tax
    assert order.total_tax == tax == added(order.cart_tax, order.shipping_tax)
    assert (
        order.cart_tax == added(*(row.total_tax for row in charged)) == added(*(row.tax_total for row in order.taxes))
    )
    assert order.shipping_tax == added(*(row.shipping_tax_total for row in order.taxes))
    assert order.shipping_total == added(*(row.total for row in order.shipping_lines))
    assert order.discount_total == added(*(row.subtotal for row in order.lines)) - added(
        *(row.total for row in order.lines)
    )
    assert added(*(refund.amount for refund in order.refunds)) <= order.total
    for line in order.lines:
        assert line.total_tax == added(*(share.total for share in line.taxes))


def test_their_dates_lie_in_one_autumn() -> None:
    days = {order.instant.date().isoformat() for order in ORDERS if order.instant}

    assert min(days) >= "2026-09-01"
    assert max(days) < "2026-11-30"


@pytest.mark.parametrize("name", ["orders", "refunds"])
def test_the_tables_still_give_the_same_file(name: str) -> None:
    made = subprocess.run(
        [sys.executable, "-c", f"import sys, make_{name} as made; sys.stdout.buffer.write(made.text().encode())"],
        cwd=SAMPLES, capture_output=True, check=True,
    )  # fmt: skip

    assert made.stdout == (SAMPLES / f"{name}.json").read_bytes()


def test_every_refund_of_the_orders_is_there_in_full() -> None:
    entry = {refund.id: refund for order in ORDERS for refund in order.refunds}

    full = [read_refund(payload, time_zone=ZONE) for payload in read_payloads(REFUNDS.decode())]

    assert [refund.id for refund in full] == list(entry)
    for refund in full:
        assert (refund.amount, refund.reason) == (entry[refund.id].amount, entry[refund.id].reason)
        assert refund.instant is not None
        parts = [*refund.lines, *refund.fees, *refund.shipping_lines]
        assert not parts or -refund.amount == added(*(row.total for row in parts), *(row.total_tax for row in parts))


def added(*amounts: Decimal | None) -> Decimal:
    return sum((amount for amount in amounts if amount is not None), Decimal(0))
