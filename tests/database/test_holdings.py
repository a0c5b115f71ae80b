"""What a store holds, and why items of an export have no document: counted by the database, the same on both."""

from datetime import UTC, datetime

from app.database.holdings import Holdings, holdings, newest_orders
from app.database.items import count_codes, list_items
from app.domain.lifecycle import Outcome
from app.domain.selection import Selection
from tests.database.conftest import content


def test_orders_are_counted_by_status_and_the_newest_come_first(bench):
    bench.load(content(1), content(2), content(3, status="failed"), content(4, created_at=None))

    with bench.database.reading() as tx:
        found = holdings(tx, bench.store_id)
        nobodys = holdings(tx, 99)
        newest = [row.shop_id for row in newest_orders(tx, bench.store_id, limit=3)]

    first, last = (datetime(2026, 10, 1, 12, 0, second, tzinfo=UTC) for second in (1, 3))
    assert found == Holdings([("completed", 3), ("failed", 1)], undated=1, first_at=first, last_at=last, refunds=0)
    assert nobodys == Holdings([], undated=0, first_at=None, last_at=None, refunds=0)
    # one without a date comes last
    assert newest == [3, 2, 1]


def test_items_without_a_document_are_counted_and_listed_by_their_code(bench):
    bench.load(content(1), content(2, status="failed"), content(3, status="trash"))
    by_status, by_name = bench.planned(), bench.planned(Selection(order_ids=(1, 98, 99)))

    with bench.database.reading() as tx:
        counts = [count_codes(tx, job) for job in (by_status, by_name)]
        listed = list_items(tx, by_name, after=0, limit=9, not_rendered=(Outcome.FAILED,), code="order_not_found")
        others = list_items(tx, by_name, after=0, limit=9, not_rendered=(Outcome.FAILED,), code="sub_order")

    assert counts == [[(Outcome.SKIPPED, "status_not_invoiced", 2)], [(Outcome.FAILED, "order_not_found", 2)]]
    assert ([item.order_id for item in listed], others) == ([98, 99], [])
