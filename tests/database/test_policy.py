"""Which orders get a document by themselves, which only when they are asked for, and why: on both databases."""

import pytest

from app.database.orders import store_orders
from app.database.stores import create_store
from app.domain.document_type import NOT_OWED, DocumentType
from app.domain.lifecycle import Outcome
from app.domain.selection import Selection
from tests.database.conftest import content

STATUSES = ("pending", "processing", "on-hold", "completed", "cancelled", "refunded", "failed", "trash",
            "auto-draft", "draft", "checkout-draft", "partially-shipped", "")  # fmt: skip
OF_ORDERS = [kind for kind in DocumentType if kind is not DocumentType.CREDIT_NOTE]


def ends(bench, job):
    return [(item.order_id, item.outcome, item.code) for item in bench.items(job)]


@pytest.mark.parametrize("kind", OF_ORDERS)
def test_every_status_has_its_document_or_its_reason(bench, kind):
    bench.load(*(content(place, status=status) for place, status in enumerate(STATUSES, start=1)))

    by_default = bench.items(bench.planned(document_type=kind))
    by_status = bench.items(bench.planned(Selection(statuses=STATUSES), document_type=kind))

    rule = NOT_OWED[kind]
    for status, item in zip(STATUSES, by_default, strict=True):
        if status in rule.statuses:
            assert (item.outcome, item.code, item.reason) == (Outcome.SKIPPED, rule.code, rule.sentence + status)
        else:
            assert (item.outcome, item.code, item.reason) == (Outcome.PENDING, None, None)
    assert {item.outcome for item in by_status} == {Outcome.PENDING}


def test_a_part_of_an_order_is_covered_by_the_documents_of_the_whole(bench):
    bench.load(content(1), content(2, parent_id=1), content(3, parent_id=1))

    job = bench.planned()

    part = (Outcome.SKIPPED, "sub_order")
    assert ends(bench, job) == [(1, Outcome.PENDING, None), (2, *part), (3, *part)]
    assert bench.items(job)[1].reason == "It is a part of the order with id 1, whose documents cover it"


def test_a_part_gets_its_own_document_when_it_is_named_but_not_by_its_status(bench):
    bench.load(content(1), content(2, parent_id=1, number="1-2"))

    assert ends(bench, bench.planned(Selection(order_ids=(2,)))) == [(2, Outcome.PENDING, None)]
    assert ends(bench, bench.planned(Selection(numbers=("1-2",)))) == [(2, Outcome.PENDING, None)]
    by_status = ends(bench, bench.planned(Selection(statuses=("completed",))))
    assert by_status == [(1, Outcome.PENDING, None), (2, Outcome.SKIPPED, "sub_order")]


@pytest.mark.parametrize("whole", [None, "cancelled", "trash"])
def test_a_part_whose_whole_has_no_documents_gets_its_own(bench, whole):
    """In a seller's own store there are parts only."""
    if whole is not None:
        bench.load(content(1, status=whole))
    bench.load(content(2, parent_id=1))

    job = bench.planned()

    assert ends(bench, job)[-1] == (2, Outcome.PENDING, None)


def test_a_whole_in_another_store_covers_nothing(bench):
    with bench.database.transaction() as tx:
        store_orders(tx, create_store(tx, key="other").id, [content(1)])
    bench.load(content(2, parent_id=1))

    assert ends(bench, bench.planned()) == [(2, Outcome.PENDING, None)]


def test_the_reason_of_a_part_that_is_no_sale_is_its_own_status(bench):
    bench.load(content(1), content(2, parent_id=1, status="failed"))

    assert ends(bench, bench.planned())[-1] == (2, Outcome.SKIPPED, "status_not_invoiced")


def test_an_order_that_did_not_change_learns_its_parent(bench):
    """An earlier release imported it without one."""
    bench.load(content(1), content(2, parent_id=None))

    bench.load(content(2, parent_id=1))

    assert ends(bench, bench.planned())[-1] == (2, Outcome.SKIPPED, "sub_order")
