"""Erased orders are gone, ended exports keep their counts, and what an active export needs stays."""

import sqlite3
from datetime import UTC, datetime
from pathlib import Path

import pytest
from sqlalchemy import select

from app.database.erasing import ERASED, find_by_shop_ids, lock_store
from app.database.jobs import insert_job, lock_job, request_cancel
from app.database.orders import Stored, store_orders
from app.database.planning import plan
from app.database.stores import create_store
from app.database.tables import OrderRow, OrderVersionRow
from app.domain.lifecycle import JobState, Outcome
from app.domain.selection import Selection
from app.exports.retry import retry
from app.orders.erasing import BATCH, Erasure, Wanted, erase, erase_batch, rehearse
from tests.database.conftest import content
from tests.database.ending import end

HOUR = 3600.0


@pytest.fixture
def owner(bench):
    return bench.owner()


@pytest.fixture
def erased(bench):
    def run(*shop_ids, verb=erase, **options):
        wanted = Wanted(shop_ids=shop_ids, **options)
        return verb(bench.database, bench.store_id, wanted, archive_grace=HOUR)

    return run


def of_ids(bench, tx, *shop_ids):
    """What one batch does, in a transaction of the test's."""
    result = Erasure()
    lock_store(tx, bench.store_id)
    erase_batch(tx, result, bench.store_id, find_by_shop_ids(tx, bench.store_id, shop_ids), HOUR)
    return result


def stored(bench):
    with bench.database.reading() as tx:
        versions = tx.scalars(select(OrderVersionRow.payload).order_by(OrderVersionRow.id))
        return list(tx.scalars(select(OrderRow.shop_id).order_by(OrderRow.shop_id))), list(versions)


def test_erased_orders_are_gone_with_all_their_versions(bench, erased):
    bench.load(content(1), content(2))
    bench.load(content(1, payload='{"id":1,"v":2}'))
    with bench.database.transaction() as tx:
        other = create_store(tx, key="other").id
        store_orders(tx, other, [content(1)])

    result = erased(1, 7)

    assert (result.orders, result.items, result.absent, result.needed, result.archives) == (1, 0, [7], [], {})
    assert stored(bench) == ([1, 2], ['{"id":2}', '{"id":1}'])
    assert bench.load(content(1)) == {1: Stored.NEW}


def test_the_items_of_ended_exports_keep_what_is_counted_and_nothing_of_the_customer(bench, owner, erased):
    bench.load(content(1), content(2), content(3, status="draft"), content(4))
    job = end(bench, bench.submit(owner=owner), failing=(2,))
    bench.sql("UPDATE items SET total = '9.90', date = '2026-10-01', warnings = '[\"Greta wrote\"]'")
    before = bench.items(job)

    result = erased(1, 2, 3)

    assert (result.orders, result.items) == (3, 3)
    items = bench.items(job)
    for item, was in zip(items[:3], before[:3], strict=True):
        kept = ("ordinal", "order_id", "outcome", "code", "date", "currency", "total", "pages", "bytes", "sha256")
        assert [getattr(item, name) for name in kept] == [getattr(was, name) for name in kept]
        gone = (item.number, item.customer, item.country, item.file_name, item.file_key, item.warnings)
        assert gone == ("", "", "", "", None, None)
        assert item.order_version_id is None
    assert [item.reason for item in items] == [None, ERASED, ERASED, None]
    assert (items[3].number, items[3].customer, items[3].file_name) == ("4", "Greta Muster", "invoice-4.pdf")
    assert bench.job(job).state is JobState.COMPLETED


def test_a_retry_does_not_find_an_erased_order_until_it_is_imported_again(bench, owner, erased):
    bench.load(content(1), content(2))
    parent = end(bench, bench.submit(owner=owner), failing=(2,))
    erased(2)

    found = [_retried_item(bench, owner, parent, key) for key in ("first", "second")]

    assert (found[0].outcome, found[0].code, found[0].order_id) == (Outcome.FAILED, "order_not_found", 2)
    assert found[0].reason == "No order with id 2 in this store"
    assert (found[1].outcome, found[1].file_name) == (Outcome.PENDING, "invoice-2.pdf")


def _retried_item(bench, owner, parent, key):
    if key == "second":
        bench.load(content(2))
    with bench.database.transaction() as tx:
        job = retry(tx, owner, parent, key=key, checkpoint_every=10, max_items=10).job.id
    claim = bench.claim(job)
    with bench.database.transaction() as tx:
        plan(tx, claim, max_items=10)
    (item,) = bench.items(job)
    return item


def test_what_an_active_export_needs_is_left_alone(bench, owner, erased):
    bench.load(*(content(shop_id) for shop_id in range(1, 7)))
    parent = end(bench, bench.submit(Selection(order_ids=(1,)), owner=owner))
    failed = end(bench, bench.submit(Selection(order_ids=(2, 3)), owner=owner), failing=(2,))
    with bench.database.transaction() as tx:
        retried = retry(tx, owner, failed, key="k", checkpoint_every=10, max_items=10).job.id
    planned = bench.planned(Selection(order_ids=(4,)))
    queued = bench.submit(Selection(order_ids=(5,)))

    first = erased(1, 2, 3, 4, 5, 6)
    for job in (retried, queued):
        with bench.database.transaction() as tx:
            request_cancel(tx, lock_job(tx, job))
    second = erased(2, 3, 4, 5)

    assert (first.orders, stored(bench)[0]) == (3, [4])
    assert [(one.order_id, one.export_id) for one in first.needed] == [(3, retried), (4, planned), (5, queued)]
    assert (second.orders, [one.order_id for one in second.needed], second.absent) == (2, [4], [2])
    assert bench.items(planned)[0].customer == "Greta Muster"
    assert bench.job(parent).state is JobState.COMPLETED


def test_a_day_takes_all_that_was_created_before_it_in_batches_and_never_the_undated(bench, erased):
    day = datetime(2026, 3, 1, tzinfo=UTC)
    bench.load(*(content(shop_id, created_at=day.replace(month=2)) for shop_id in range(1, BATCH + 51)))
    bench.load(content(501, created_at=day), content(502, created_at=None))
    needed = bench.submit(Selection(order_ids=(3,)))

    expected = erased(before=day, verb=rehearse)
    untouched = len(stored(bench)[0])
    result = erased(before=day)

    assert (expected.orders, untouched) == (result.orders, BATCH + 52) == (BATCH + 49, BATCH + 52)
    assert [(one.order_id, one.export_id) for one in result.needed] == [(3, needed)]
    assert stored(bench)[0] == [3, 501, 502]


def test_archives_that_still_hold_the_orders_are_told_even_when_asked_again(bench, owner, erased):
    bench.load(content(1), content(2), content(3))
    holding = end(bench, bench.submit(Selection(order_ids=(1, 2)), owner=owner))
    end(bench, bench.submit(Selection(order_ids=(1, 2)), owner=owner), failing=(1,))
    other = end(bench, bench.submit(Selection(order_ids=(3,)), owner=owner))
    gone = end(bench, bench.submit(Selection(order_ids=(1,)), owner=owner))
    bench.sql(f"UPDATE jobs SET expires_at = '2026-01-01T00:00:00.000000Z' WHERE id = '{_bound(bench, gone)}'")

    found = [erased(1, verb=rehearse), erased(1), erased(1)]

    assert [set(one.archives) for one in found] == [{holding}] * 3
    told = found[0].archives[holding]
    assert (told.owner, told.expires_at) == (owner.name, bench.job(holding).expires_at)
    assert other not in found[0].archives


def _bound(bench, job):
    return job.hex if bench.url.startswith("sqlite") else str(job)


def test_an_erasure_that_waits_for_planning_leaves_the_orders_alone(bench, contender):
    bench.load(content(1), content(2))
    job = bench.submit(Selection(order_ids=(1,)))
    claim = bench.claim(job)

    with bench.database.transaction() as tx:
        lock_job(tx, job)
        late = contender(lambda tx: of_ids(bench, tx, 1, 2))
        plan(tx, claim, max_items=10)

    assert (late.result().orders, [one.order_id for one in late.result().needed]) == (1, [1])
    assert bench.items(job)[0].order_version_id is not None


def test_planning_that_waits_for_an_erasure_finds_what_it_asked_for(bench, contender):
    bench.load(content(1), content(2))
    job = bench.submit(Selection(order_ids=(2,)))
    claim = bench.claim(job)

    with bench.database.transaction() as tx:
        result = of_ids(bench, tx, 1, 2)
        late = contender(lambda tx: plan(tx, claim, max_items=10))

    late.result()
    assert (result.orders, [one.order_id for one in result.needed]) == (1, [2])
    assert [(item.order_id, item.outcome) for item in bench.items(job)] == [(2, Outcome.PENDING)]


def test_an_export_that_comes_during_an_erasure_waits_and_finds_the_orders_gone(bench, contender):
    bench.load(content(1))
    new = bench.new_job(Selection(order_ids=(1,)))

    with bench.database.transaction() as tx:
        of_ids(bench, tx, 1)
        late = contender(lambda tx: insert_job(tx, new))

    late.result()
    claim = bench.claim(new.id)
    with bench.database.transaction() as tx:
        plan(tx, claim, max_items=10)
    assert [(item.code, item.order_id) for item in bench.items(new.id)] == [("order_not_found", 1)]


def test_an_import_that_comes_during_an_erasure_makes_the_order_anew(bench, contender):
    bench.load(content(1))

    with bench.database.transaction() as tx:
        of_ids(bench, tx, 1)
        late = contender(lambda tx: store_orders(tx, bench.store_id, [content(1)]))

    assert late.result() == {1: Stored.NEW}
    assert stored(bench) == ([1], ['{"id":1}'])


@pytest.mark.parametrize("migrated_url", ["sqlite"], indirect=True)
def test_no_trace_of_an_erased_customer_is_left_in_the_file(bench, owner, erased):
    bench.load(content(1, customer="Erika Einzig"), content(2))
    end(bench, bench.submit(owner=owner))
    file = bench.url.removeprefix("sqlite:///")

    erased(1)
    bench.database.close()

    with sqlite3.connect(file) as reading:
        assert reading.execute("SELECT count(*) FROM items").fetchone() == (2,)
    reading.close()
    assert b"Erika Einzig" not in Path(file).read_bytes()
