"""From a selection to items: which orders, in which order, under which names, on both databases."""

from datetime import UTC, datetime

import pytest

from app.database.orders import store_orders
from app.database.planning import plan
from app.database.selecting import Wanted, count_selected
from app.database.stores import create_store
from app.domain.document_type import DocumentType
from app.domain.lifecycle import JobState, Outcome, Phase, StepKind, StepState
from app.domain.selection import Selection, Sort
from tests.database.conftest import content


def shown(items):
    return [(item.ordinal, item.order_id, item.outcome) for item in items]


def test_everything_is_selected_in_order_of_creation_with_undated_orders_last(bench):
    bench.load(content(3), content(1), content(2, created_at=None))

    job = bench.planned()

    assert [item.order_id for item in bench.items(job)] == [1, 3, 2]


def test_filters_combine_with_and_and_values_with_or(bench):
    bench.load(
        content(1, status="processing"),
        content(2, status="completed", customer_id=8),
        content(3, status="on-hold"),
        content(4, status="completed", created_at=datetime(2026, 12, 1, tzinfo=UTC)),
    )

    job = bench.planned(
        Selection(
            created_from=datetime(2026, 10, 1, tzinfo=UTC),
            created_to=datetime(2026, 11, 1, tzinfo=UTC),
            statuses=("completed", "processing"),
            customer_id=7,
        )
    )

    assert [item.order_id for item in bench.items(job)] == [1]


def test_a_range_is_half_open_and_counts_the_orders_without_a_date(bench):
    edge = datetime(2026, 10, 1, tzinfo=UTC)
    bench.load(content(1, created_at=edge), content(2, created_at=edge.replace(day=2)), content(3, created_at=None))

    job = bench.planned(Selection(created_from=edge, created_to=edge.replace(day=2)))

    assert [item.order_id for item in bench.items(job)] == [1]
    assert bench.job(job).undated == 1


@pytest.mark.parametrize(
    ("sort", "expected"),
    [
        (Sort.CREATED, [1, 2, 3]),
        (Sort.NUMBER, [3, 2, 1]),
        (Sort.CUSTOMER, [2, 1, 3]),
        (Sort.TOTAL, [2, 1, 3]),
    ],
)
def test_items_are_numbered_by_the_sort_with_ties_by_id_and_nulls_last(bench, sort, expected):
    bench.load(
        content(1, number="90", customer_sort="zoe", total_sort=5.0),
        content(2, number="9", customer_sort="anna", total_sort=1.5),
        content(3, number="8", customer_sort="zoe", total_sort=None),
    )

    job = bench.planned(sort=sort)

    assert [item.order_id for item in bench.items(job)] == expected


def test_named_orders_keep_the_order_in_which_they_were_given(bench):
    bench.load(*(content(shop_id) for shop_id in range(1, 6)))

    job = bench.planned(Selection(order_ids=(4, 99, 1, 5)), Sort.GIVEN)

    assert shown(bench.items(job)) == [
        (1, 4, Outcome.PENDING),
        (2, 99, Outcome.FAILED),
        (3, 1, Outcome.PENDING),
        (4, 5, Outcome.PENDING),
    ]
    assert bench.items(job)[1].code == "order_not_found"
    assert "99" in bench.items(job)[1].reason


@pytest.mark.parametrize("name", ["order_ids", "numbers"])
@pytest.mark.parametrize("migrated_url", ["sqlite"], indirect=True)
def test_orders_that_are_named_cost_no_more_each_however_many_they_are(bench, name):
    """PostgreSQL keeps statistics of its tables and plans by them; SQLite has none."""

    def steps(count):
        bench.load(*(content(number) for number in range(1, count + 1)))
        named = tuple(range(1, count + 1)) if name == "order_ids" else tuple(map(str, range(1, count + 1)))
        taken = []
        with bench.database.reading() as tx:
            connection = tx.connection().connection.driver_connection
            # told once every thousand steps of SQLite's own machine: no clock is asked
            connection.set_progress_handler(lambda: taken.append(1) and None, 1000)
            wanted = Wanted(bench.store_id, DocumentType.INVOICE, Selection(**{name: named}))
            assert count_selected(tx, wanted, at_most=count) == count
            connection.set_progress_handler(None, 0)
        return len(taken)

    few, many = steps(300), steps(1200)

    assert few > 0
    # four times as many; each looked for among all of them would be sixteen times the work
    assert many < 8 * few


def test_a_number_is_not_an_id_and_may_belong_to_several_orders(bench):
    bench.load(content(2780, number="2781"), content(2781, number="2790"), content(2782, number="2781"))

    job = bench.planned(Selection(numbers=("2781", "0002781")), Sort.GIVEN)

    assert shown(bench.items(job)) == [
        (1, 2780, Outcome.PENDING),
        (2, 2782, Outcome.PENDING),
        (3, None, Outcome.FAILED),
    ]


def test_a_named_order_that_another_filter_excludes_is_not_missing(bench):
    bench.load(content(1, status="on-hold"), content(2))

    job = bench.planned(Selection(order_ids=(1, 2, 3), statuses=("completed",)))

    assert shown(bench.items(job)) == [(1, 2, Outcome.PENDING), (2, 3, Outcome.FAILED)]


def test_another_stores_order_is_missing(bench):
    with bench.database.transaction() as tx:
        store_orders(tx, create_store(tx, key="other").id, [content(1)])
    bench.load(content(2))

    job = bench.planned(Selection(order_ids=(1, 2)))

    assert [(item.order_id, item.outcome) for item in bench.items(job)] == [
        (2, Outcome.PENDING),
        (1, Outcome.FAILED),
    ]


@pytest.mark.parametrize("status", ["draft", "auto-draft", "checkout-draft", "trash", "failed", "cancelled"])
def test_orders_that_no_invoice_is_owed_for_are_skipped_unless_chosen(bench, status):
    bench.load(content(1, status=status), content(2))

    by_default = bench.items(bench.planned())
    by_status = bench.items(bench.planned(Selection(statuses=(status,))))
    by_id = bench.items(bench.planned(Selection(order_ids=(1,))))

    assert (by_default[0].outcome, by_default[0].code) == (Outcome.SKIPPED, "status_not_invoiced")
    assert status in by_default[0].reason
    assert [item.outcome for item in by_status + by_id] == [Outcome.PENDING, Outcome.PENDING]


def test_file_names_are_unique_without_regard_to_case(bench):
    bench.load(
        content(1, number="a", file_stem="A"),
        content(2, number="b", file_stem="a"),
        content(3, number="c", file_stem="a"),
        content(4, number="d", file_stem="a-2"),
    )

    job = bench.planned()

    names = [item.file_name for item in bench.items(job)]
    assert names == ["invoice-A.pdf", "invoice-a~2.pdf", "invoice-a~3.pdf", "invoice-a-2.pdf"]
    assert len({name.casefold() for name in names}) == 4


def test_steps_cover_what_is_to_be_rendered_and_nothing_else(bench):
    skipped = [content(shop_id, status="draft") for shop_id in range(4, 7)]
    bench.load(*(content(shop_id) for shop_id in (1, 2, 3, 7, 8)), *skipped)

    job = bench.planned(every=3)

    renders = [step for step in bench.steps(job) if step.kind is StepKind.RENDER]
    assert [(step.first_item, step.last_item, step.state) for step in renders] == [
        (1, 3, StepState.READY),
        (7, 8, StepState.READY),
    ]
    found = bench.job(job)
    assert (found.state, found.phase, found.steps_left) == (JobState.PROCESSING, Phase.RENDERING, 2)
    assert (found.requested, found.rendered, found.failed, found.skipped) == (8, 0, 0, 3)


def test_a_selection_that_is_empty_by_now_fails_the_job(bench):
    job = bench.planned()

    assert (bench.job(job).state, bench.job(job).failure_code) == (JobState.FAILED, "selection_empty")


def test_a_selection_that_is_too_large_by_now_fails_the_job(bench):
    bench.load(*(content(shop_id) for shop_id in range(1, 502)))
    bench.load(*(content(shop_id) for shop_id in range(502, 1002)))

    job = bench.planned()

    assert (bench.job(job).state, bench.job(job).failure_code) == (JobState.FAILED, "selection_too_large")
    assert bench.items(job) == []


def test_a_job_that_only_skips_has_rendered_nothing(bench):
    bench.load(content(1, status="trash"))

    job = bench.planned()

    found = bench.job(job)
    assert (found.state, found.failure_code, found.skipped) == (JobState.FAILED, "nothing_rendered", 1)


def test_planning_again_after_a_lost_acknowledgement_changes_nothing(bench):
    bench.load(content(1), content(2))
    claim = bench.claim(bench.submit())
    with bench.database.transaction() as tx:
        plan(tx, claim, max_items=10)
    before = bench.job(claim.job_id).revision

    with bench.database.transaction() as tx:
        plan(tx, claim, max_items=10)

    assert bench.job(claim.job_id).revision == before
    assert len(bench.items(claim.job_id)) == 2
