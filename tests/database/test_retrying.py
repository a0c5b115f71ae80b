"""A retry is a job of what its parent has no document of, under the parent's ordinals and file names."""

import json

import pytest
from sqlalchemy.exc import IntegrityError

from app.database.jobs import lock_job, request_cancel
from app.database.planning import plan
from app.database.sweeping import expire_running, forget_old_jobs
from app.database.tables import ItemRow
from app.domain.lifecycle import JobState, Outcome, StepKind
from app.domain.selection import Selection, Sort
from app.exports.delete import delete
from app.exports.request import ExportCancelled, NothingToRetry, RetryUnplanned, SelectionEmpty, StillActive
from app.exports.retry import retry
from tests.database.conftest import content
from tests.database.ending import end

OLD = "'2026-01-01T00:00:00.000000Z'"


@pytest.fixture
def owner(bench):
    return bench.owner()


def submitted(tx, owner, parent, key="again"):
    """The retry as the API asks for it; None if there is no such parent."""
    found = retry(tx, owner, parent, key=key, checkpoint_every=2, max_items=1000)
    return None if found is None else found.job.id


@pytest.fixture
def retried(bench, owner):
    def run(parent, key="again"):
        with bench.database.transaction() as tx:
            return submitted(tx, owner, parent, key)

    return run


@pytest.fixture
def planned(bench, retried):
    def run(parent, key="again"):
        job = retried(parent, key)
        claim = bench.claim(job)
        with bench.database.transaction() as tx:
            plan(tx, claim, max_items=1000)
        return job

    return run


def shown(bench, job):
    return [(item.ordinal, item.order_id, item.outcome, item.file_name) for item in bench.items(job)]


def test_the_items_that_failed_are_tried_again_at_their_orders_newest_versions(bench, owner, planned):
    bench.load(*(content(shop_id) for shop_id in range(1, 8)), content(8, status="draft"))
    parent = end(bench, bench.submit(owner=owner), failing=(2, 3, 6))
    bench.load(content(3, payload='{"id":3,"v":2}'))

    job = planned(parent)

    assert shown(bench, job) == [
        (2, 2, Outcome.PENDING, "invoice-2.pdf"),
        (3, 3, Outcome.PENDING, "invoice-3.pdf"),
        (6, 6, Outcome.PENDING, "invoice-6.pdf"),
    ]
    versions = [{item.order_id: item.order_version_id for item in bench.items(one)} for one in (parent, job)]
    assert [versions[1][order] == versions[0][order] for order in (2, 3, 6)] == [True, False, True]
    found = bench.job(job)
    assert (found.requested, found.steps_left, found.retry_of, found.items_from) == (3, 2, parent, None)
    renders = [step for step in bench.steps(job) if step.kind is StepKind.RENDER]
    assert [(step.first_item, step.last_item) for step in renders] == [(2, 3), (6, 6)]


def test_a_retry_of_a_retry_goes_on_with_what_is_left(bench, owner, retried, planned):
    bench.load(*(content(shop_id) for shop_id in range(1, 6)))
    parent = end(bench, bench.submit(owner=owner), failing=(2, 4))

    first = end(bench, retried(parent, "first"), failing=(4,))
    second = planned(first, "second")

    assert bench.job(first).state is JobState.COMPLETED
    assert shown(bench, second) == [(4, 4, Outcome.PENDING, "invoice-4.pdf")]
    assert bench.job(second).retry_of == first


def test_a_failed_parent_has_no_archive_so_every_item_but_the_skipped_is_tried_again(bench, owner, planned):
    bench.load(*(content(shop_id) for shop_id in range(1, 5)), content(5, status="trash"))
    parent = bench.submit(owner=owner, every=2)
    claim = bench.claim(parent)
    with bench.database.transaction() as tx:
        plan(tx, claim, max_items=1000)
    bench.checkpoint(bench.claim(parent))
    with bench.database.transaction() as tx:
        assert expire_running(tx, run_ttl=-1) == [parent]

    job = planned(parent)

    assert [item.ordinal for item in bench.items(job)] == [1, 2, 3, 4]


def test_an_order_that_was_not_found_is_looked_for_again(bench, owner, planned):
    bench.load(content(1, number="10"))
    wanted = Selection(order_ids=(7, 1, 8))
    parent = end(bench, bench.submit(wanted, Sort.GIVEN, owner=owner))
    bench.load(content(7, number="70"))

    job = planned(parent)

    assert shown(bench, job) == [
        (1, 7, Outcome.PENDING, "invoice-70.pdf"),
        (3, 8, Outcome.FAILED, "invoice-missing-3.pdf"),
    ]
    (missing,) = [item for item in bench.items(job) if item.outcome is Outcome.FAILED]
    assert (missing.code, missing.reason) == ("order_not_found", "No order with id 8 in this store")


def test_a_number_that_several_orders_have_by_now_gives_each_an_item(bench, owner, planned):
    bench.load(content(1, number="10"))
    parent = end(bench, bench.submit(Selection(numbers=("10", "70", "71")), Sort.GIVEN, owner=owner))
    bench.load(content(7, number="70"), content(8, number="70"), content(9, number="70"))

    job = planned(parent)

    assert shown(bench, job) == [
        (2, 7, Outcome.PENDING, "invoice-70.pdf"),
        (3, None, Outcome.FAILED, "invoice-missing-3.pdf"),
        (4, 8, Outcome.PENDING, "invoice-70~r4.pdf"),
        (5, 9, Outcome.PENDING, "invoice-70~r5.pdf"),
    ]


@pytest.mark.parametrize("key", ["'seventy'", "NULL"], ids=["taken", "of-a-release-that-kept-no-keys"])
def test_a_new_name_never_meets_one_that_the_parent_has_settled(bench, owner, planned, key):
    bench.load(content(1, file_stem="Seventy"), content(2))
    parent = end(bench, bench.submit(Selection(order_ids=(1, 2, 7)), Sort.GIVEN, owner=owner), failing=(1,))
    bench.sql(f"UPDATE items SET file_key = {key} WHERE ordinal = 1")
    bench.load(content(7, file_stem="seventy"))

    job = planned(parent)

    assert [item.file_name for item in bench.items(job)] == ["invoice-Seventy.pdf", "invoice-seventy~r3.pdf"]


def test_an_order_that_is_no_sale_any_more_is_skipped_unless_it_was_named(bench, owner, planned):
    bench.load(content(1), content(2))
    by_default = end(bench, bench.submit(owner=owner), failing=(1,))
    by_id = end(bench, bench.submit(Selection(order_ids=(1, 2)), owner=owner), failing=(1,))
    bench.load(content(1, status="cancelled", payload='{"id":1,"v":2}'))

    (skipped,) = bench.items(planned(by_default, "a"))
    bench.sql("UPDATE jobs SET owner = 'somebody' WHERE idempotency_key = 'a'")
    (pending,) = bench.items(planned(by_id, "b"))

    assert (skipped.outcome, skipped.code) == (Outcome.SKIPPED, "status_not_invoiced")
    assert pending.outcome is Outcome.PENDING


def test_a_job_that_was_never_planned_is_planned_from_its_selection(bench, owner, retried, planned):
    parent = end(bench, bench.submit(owner=owner))
    with pytest.raises(SelectionEmpty):
        retried(parent)
    bench.load(content(1))

    job = planned(parent)

    assert (bench.job(parent).failure_code, bench.job(job).retry_of) == ("selection_empty", parent)
    assert [item.order_id for item in bench.items(job)] == [1]


def test_a_retry_that_ended_unplanned_is_retried_with_what_it_would_have_taken(bench, owner, retried, planned):
    bench.load(content(1), content(2))
    parent = end(bench, bench.submit(owner=owner), failing=(2,))
    first = retried(parent, "first")
    bench.claim(first)
    with bench.database.transaction() as tx:
        expire_running(tx, run_ttl=-1)

    second = retried(first, "second")
    with bench.database.transaction() as tx, pytest.raises(RetryUnplanned):
        delete(tx, owner, parent)
    with bench.database.transaction() as tx:
        request_cancel(tx, lock_job(tx, second))
    third = planned(first, "third")

    assert [item.ordinal for item in bench.items(third)] == [2]
    with bench.database.transaction() as tx:
        assert delete(tx, owner, parent)
    with pytest.raises(NothingToRetry):
        retried(first, "fourth")


@pytest.mark.parametrize("state", ["queued", "cancelled", "completed"])
def test_what_has_nothing_to_retry_is_refused(bench, owner, retried, state):
    bench.load(content(1), content(2, status="draft"))
    parent = bench.submit(owner=owner)
    if state == "completed":
        end(bench, parent)
    if state == "cancelled":
        with bench.database.transaction() as tx:
            request_cancel(tx, lock_job(tx, parent))

    refusal = {"queued": StillActive, "cancelled": ExportCancelled, "completed": NothingToRetry}[state]
    with pytest.raises(refusal):
        retried(parent)

    assert bench.job(parent).state == state


def test_a_release_that_knows_no_retries_cannot_plan_one_wrongly(bench, owner, retried):
    bench.load(content(1), content(2))
    parent = end(bench, bench.submit(owner=owner), failing=(2,))

    job = bench.job(retried(parent))

    # as that release reads it: it hands the step back, and does not export all of the selection again
    with pytest.raises(KeyError):
        Selection.from_json(json.loads(job.selection))


def test_a_parent_stays_until_its_retry_is_planned(bench, owner, retried):
    bench.load(content(1), content(2))
    parent = end(bench, bench.submit(owner=owner), failing=(2,))
    job = retried(parent)

    with bench.database.transaction() as tx, pytest.raises(RetryUnplanned) as refused:
        delete(tx, owner, parent)
    bench.sql(f"UPDATE jobs SET finished_at = {OLD} WHERE finished_at IS NOT NULL")
    with bench.database.transaction() as tx:
        assert forget_old_jobs(tx, record_ttl=3600) == []
    with pytest.raises(IntegrityError):
        bench.sql("DELETE FROM jobs WHERE state = 'completed'")
    claim = bench.claim(job)
    with bench.database.transaction() as tx:
        plan(tx, claim, max_items=1000)

    assert refused.value.job_id == job
    with bench.database.transaction() as tx:
        assert forget_old_jobs(tx, record_ttl=3600) == [parent]
    assert [item.ordinal for item in bench.items(job)] == [2]


def test_a_delete_that_waits_for_a_retry_is_refused(bench, owner, contender):
    bench.load(content(1), content(2))
    parent = end(bench, bench.submit(owner=owner), failing=(2,))

    with bench.database.transaction() as tx:
        job = submitted(tx, owner, parent)
        late = contender(lambda tx: delete(tx, owner, parent))

    with pytest.raises(RetryUnplanned):
        late.result()
    assert bench.job(job).items_from == parent


def test_a_retry_that_waits_for_a_delete_finds_nothing(bench, owner, contender):
    bench.load(content(1), content(2))
    parent = end(bench, bench.submit(owner=owner), failing=(2,))

    with bench.database.transaction() as tx:
        assert delete(tx, owner, parent)
        late = contender(lambda tx: submitted(tx, owner, parent))

    assert late.result() is None


def test_a_sweep_that_waits_for_a_retry_keeps_the_parent(bench, owner, contender):
    bench.load(content(1), content(2))
    parent = end(bench, bench.submit(owner=owner), failing=(2,))
    bench.sql(f"UPDATE jobs SET finished_at = {OLD}")

    with bench.database.transaction() as tx:
        submitted(tx, owner, parent)
        late = contender(lambda tx: forget_old_jobs(tx, record_ttl=3600))

    assert late.result() == []
    assert bench.job(parent).state is JobState.COMPLETED


def test_planning_a_retry_again_after_a_lost_acknowledgement_changes_nothing(bench, owner, retried):
    bench.load(content(1), content(2))
    parent = end(bench, bench.submit(owner=owner), failing=(2,))
    claim = bench.claim(retried(parent))
    with bench.database.transaction() as tx:
        plan(tx, claim, max_items=10)
    before = bench.job(claim.job_id).revision

    with bench.database.transaction() as tx:
        plan(tx, claim, max_items=10)

    with bench.database.reading() as tx:
        assert tx.query(ItemRow).filter_by(job_id=claim.job_id).count() == 1
    assert bench.job(claim.job_id).revision == before
