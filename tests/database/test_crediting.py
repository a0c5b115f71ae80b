"""Credit notes are planned from refunds: one item each, by the refund's own date, on both databases."""

from datetime import UTC, datetime

import pytest

from app.database.orders import RefundContent, store_refunds
from app.database.planning import plan
from app.database.refunds import RefundIndex
from app.domain.document_type import DocumentType
from app.domain.lifecycle import Outcome
from app.domain.selection import Selection, Sort
from app.exports.retry import retry
from tests.database.conftest import content
from tests.database.ending import end

OCTOBER, NOVEMBER, DECEMBER = (datetime(2026, month, 1, tzinfo=UTC) for month in (10, 11, 12))


def entry(shop_id: int, day: int | None = None, total: float = -5.0) -> RefundIndex:
    """A refund of a day in November, or a short entry without a date."""
    return RefundIndex(shop_id, None if day is None else NOVEMBER.replace(day=day), total)


@pytest.fixture
def credited(bench):
    def run(selection=None, sort=Sort.CREATED):
        return bench.items(bench.planned(selection, sort, document_type=DocumentType.CREDIT_NOTE))

    return run


@pytest.fixture
def refund(bench):
    def run(order_id, index, payload="{}"):
        with bench.database.transaction() as tx:
            return store_refunds(tx, bench.store_id, [RefundContent(index, order_id, payload)])

    return run


def shown(items):
    return [(item.order_id, item.refund_id, item.outcome) for item in items]


def test_each_refund_is_an_item_in_the_order_of_their_dates(bench, credited, refund):
    bench.load(content(1), content(2, refunds=(entry(21), entry(22))), content(3))
    refund(2, entry(22, 20))
    refund(2, entry(21, 25))
    refund(3, entry(31, 22))

    items = credited()

    assert shown(items) == [(2, 22, Outcome.PENDING), (3, 31, Outcome.PENDING), (2, 21, Outcome.PENDING)]
    assert [item.number for item in items] == ["2-22", "3-31", "2-21"]
    assert [item.file_name for item in items] == [
        "credit-note-2-22.pdf",
        "credit-note-3-31.pdf",
        "credit-note-2-21.pdf",
    ]


def test_a_range_is_that_of_the_refunds_and_counts_those_without_a_date(bench, credited, refund):
    """The orders are of October; what counts is when their money went back."""
    bench.load(content(1, refunds=(entry(11),)), content(2))
    refund(2, entry(21, 1))
    refund(2, RefundIndex(22, DECEMBER, -1.0))

    job = bench.planned(Selection(created_from=NOVEMBER, created_to=DECEMBER), document_type=DocumentType.CREDIT_NOTE)

    assert shown(bench.items(job)) == [(2, 21, Outcome.PENDING)]
    assert bench.job(job).undated == 1


def test_an_order_named_without_refunds_is_skipped_and_one_that_is_not_there_is_missing(bench, credited):
    bench.load(content(1), content(2, refunds=(entry(21),)))

    items = credited(Selection(order_ids=(1, 9, 2), created_from=None), Sort.GIVEN)
    by_number = credited(Selection(numbers=("1",), created_from=OCTOBER, created_to=NOVEMBER))

    assert shown(items) == [(1, None, Outcome.SKIPPED), (9, None, Outcome.FAILED), (2, 21, Outcome.PENDING)]
    assert [item.code for item in items] == ["no_refund", "order_not_found", None]
    assert [(item.code, item.reason) for item in by_number] == [("no_refund", "The order has no refund")]


def test_refunds_of_the_same_moment_stand_by_their_ids(bench, credited):
    bench.load(content(2, refunds=(entry(10), entry(9), entry(8))), content(1, refunds=(entry(11),)))

    assert [item.refund_id for item in credited()] == [11, 8, 9, 10]


def test_what_totals_least_stands_first(bench, credited):
    bench.load(content(1, refunds=(entry(11, total=-1.0), entry(12, total=-9.0))), content(2, refunds=(entry(21),)))

    assert [item.refund_id for item in credited(sort=Sort.TOTAL)] == [12, 21, 11]


def test_refunds_of_what_was_no_sale_are_skipped_unless_named(bench, credited):
    bench.load(content(1, status="cancelled", refunds=(entry(11),)), content(2, refunds=(entry(21),)))

    assert [(item.refund_id, item.code) for item in credited()] == [(11, "status_not_invoiced"), (21, None)]
    assert [item.code for item in credited(Selection(statuses=("cancelled",)))] == [None]


def test_a_refund_that_the_shop_took_back_is_no_item_and_a_full_one_stays(bench, credited, refund):
    bench.load(content(1, refunds=(entry(11), entry(12))))
    refund(1, entry(13, 20))
    later = {"modified_at": datetime(2026, 11, 2, tzinfo=UTC), "payload": '{"id":1,"v":2}'}

    bench.load(content(1, refunds=(entry(12), entry(13)), **later))

    assert [item.refund_id for item in credited()] == [13, 12]


def test_an_older_order_changes_no_refund(bench, credited):
    bench.load(content(1, refunds=(entry(11),)))
    older = {"modified_at": datetime(2026, 10, 1, tzinfo=UTC), "payload": '{"id":1,"v":0}'}

    bench.load(content(1, refunds=(), **older))

    assert [item.refund_id for item in credited()] == [11]


def test_refunds_that_an_earlier_release_did_not_write_down_come_with_the_next_import(bench, credited, refund):
    bench.load(content(1, refunds=(entry(11),)), content(2))
    refund(2, entry(21, 20))
    bench.sql("DELETE FROM refunds")

    bench.load(content(1, refunds=(entry(11),)))
    refund(2, entry(21, 20))

    assert [item.refund_id for item in credited()] == [21, 11]


def test_credit_notes_with_the_same_name_are_told_apart(bench, credited):
    bench.load(content(1, file_stem="A", refunds=(entry(7),)), content(2, file_stem="a", refunds=(entry(7),)))

    assert [item.file_name for item in credited()] == ["credit-note-A-7.pdf", "credit-note-a-7~2.pdf"]


def retry_of(bench, owner, parent):
    """The items of a retry, planned."""
    with bench.database.transaction() as tx:
        submitted = retry(tx, owner, parent, key="again", checkpoint_every=10, max_items=100)
    claim = bench.claim(submitted.job.id)
    with bench.database.transaction() as tx:
        plan(tx, claim, max_items=100)
    return bench.items(claim.job_id)


def test_a_retry_makes_the_credit_note_of_the_same_refund(bench):
    bench.load(content(1, refunds=(entry(11), entry(12))), content(2))
    owner = bench.owner()
    parent = end(bench, bench.submit(owner=owner, document_type=DocumentType.CREDIT_NOTE), failing=(2,))
    later = {"modified_at": datetime(2026, 11, 2, tzinfo=UTC), "payload": '{"id":1,"v":2}'}
    bench.load(content(1, refunds=(entry(10), entry(11), entry(12)), **later))

    (again,) = retry_of(bench, owner, parent)

    assert (again.ordinal, again.refund_id, again.number) == (2, 12, "1-12")
    assert (again.outcome, again.file_name) == (Outcome.PENDING, "credit-note-1-12.pdf")


def test_a_retry_finds_all_refunds_of_an_order_that_was_not_there(bench):
    bench.load(content(1, refunds=(entry(11),)))
    owner = bench.owner()
    wanted = Selection(order_ids=(1, 2, 3, 4))
    parent = end(bench, bench.submit(wanted, Sort.GIVEN, owner=owner, document_type=DocumentType.CREDIT_NOTE))
    bench.load(content(2, refunds=(entry(21), entry(22))), content(3))

    items = retry_of(bench, owner, parent)

    assert [(item.ordinal, item.order_id, item.refund_id, item.code) for item in items] == [
        (2, 2, 21, None),
        (3, 3, None, "no_refund"),
        (4, 4, None, "order_not_found"),
        (5, 2, 22, None),
    ]
    assert [item.file_name for item in items if item.refund_id] == ["credit-note-2-21.pdf", "credit-note-2-22.pdf"]


def test_packing_slips_leave_out_what_was_given_back(bench):
    bench.load(content(1, status="refunded"), content(2, status="draft"), content(3))

    items = bench.items(bench.planned(document_type=DocumentType.PACKING_SLIP))

    assert [(item.code, item.file_name) for item in items] == [
        ("status_not_packed", "packing-slip-1.pdf"),
        ("status_not_packed", "packing-slip-2.pdf"),
        (None, "packing-slip-3.pdf"),
    ]
    assert items[0].reason == "Nothing is to be packed for an order that is refunded"
