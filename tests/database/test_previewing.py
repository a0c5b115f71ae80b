"""A preview says what planning then does: both read the same rows, on both databases."""

from collections import Counter
from datetime import UTC, datetime
from itertools import product
from uuid import uuid4

import pytest

from app.database import naming
from app.database.hosts import sign_in
from app.database.previewing import FIRST, READABLE
from app.database.refunds import RefundIndex
from app.domain.document_type import DocumentType
from app.domain.filename_patterns import DEFAULT_PATTERN
from app.domain.layouts import Layout
from app.domain.lifecycle import Outcome
from app.domain.progress import DEFAULT_PACE, Pace, PaceBasis
from app.domain.selection import Selection, Sort
from app.exports.preview import preview
from app.exports.request import ExportRequest, RendererMissing, SelectionEmpty, SelectionTooLarge
from tests.database.conftest import content
from tests.database.ending import end

OCTOBER = datetime(2026, 10, 1, tzinfo=UTC)
SELECTIONS = (
    Selection(),
    Selection(created_from=OCTOBER.replace(day=3), created_to=OCTOBER.replace(day=20)),
    Selection(statuses=("completed", "draft")),
    Selection(order_ids=(30, 999, 2, 21, 1000, 7, 24)),
    Selection(numbers=("N-5", "no-such", "N-21", "N-3")),
    Selection(order_ids=(1, 2, 998), statuses=("pending",)),
    Selection(customer_id=3),
    Selection(customer_id=404),
)
PATTERNS = (DEFAULT_PATTERN, "{customer}", "{date} {type}-{number}")


def shop():
    """Thirty orders: namesakes, drafts, parts, one without a date, some given back in parts."""
    customers = ("Ada", "ADA", "Zoe", "ada", "", "A/B")
    for number in range(1, 31):
        refunds = (
            RefundIndex(number * 100, OCTOBER.replace(day=number), -1.0),
            RefundIndex(number * 100 + 1, None, -2.0),
        )
        yield content(
            number,
            number=f"N-{number}",
            status="draft" if 21 <= number < 24 else "pending" if number % 7 == 0 else "completed",
            created_at=None if number == 30 else OCTOBER.replace(day=number),
            customer_id=3 if number % 3 == 0 else 7,
            customer=customers[number % len(customers)],
            customer_sort=customers[number % len(customers)].casefold(),
            currency="EUR" if number % 2 else "USD",
            file_stem="same" if number % 10 == 0 else f"N-{number}",
            parent_id=1 if number in (24, 25) else None,
            refunds=refunds[: number % 3],
        )


def requests():
    """Every selection with every type; sorts, layouts and patterns take turns beside them."""
    for place, (selection, kind) in enumerate(product(SELECTIONS, DocumentType)):
        sorts = list(Sort) if selection.names_orders else [sort for sort in Sort if sort is not Sort.GIVEN]
        layout = list(Layout)[place % len(Layout)]
        pattern = PATTERNS[place % len(PATTERNS)]
        yield ExportRequest(kind, layout, selection, sorts[(place + place // len(sorts)) % len(sorts)], pattern)


def told(bench, request, *, max_items=1000, owner=None):
    with bench.database.reading() as tx:
        return preview(tx, owner or bench.owner(), request, max_items=max_items)


def as_planned(bench, request):
    """What planning made of the same request."""
    job = bench.planned(
        request.selection,
        request.sort,
        document_type=request.document_type,
        filename_pattern=request.filename_pattern,
    )
    row = bench.job(job)
    return row, bench.items(job)


def facts(item, *names):
    return tuple(getattr(item, name) for name in names)


def test_a_preview_says_of_every_kind_of_request_what_planning_then_does(bench):
    bench.load(*shop())

    compared = Counter()
    for request in requests():
        row, items = as_planned(bench, request)
        if not items:
            assert row.failure_code == "selection_empty"
            with pytest.raises(SelectionEmpty):
                told(bench, request)
            compared["empty"] += 1
            continue

        found = told(bench, request)

        pending = [item for item in items if item.outcome is Outcome.PENDING]
        counts = (len(items), len(pending), row.failed, row.skipped, row.undated)
        assert (found.requested, found.pending, found.failed, found.skipped, found.undated) == counts, request
        shown = ("ordinal", "order_id", "refund_id", "number", "customer", "currency", "file_name")
        assert [facts(item, *shown) for item in found.first] == [facts(item, *shown) for item in pending[:FIRST]], (
            request
        )
        assert [item.version_id for item in found.first] == [item.order_version_id for item in pending[:FIRST]]
        settled = {(group.outcome, group.code): group for group in found.settled}
        assert {key: group.count for key, group in settled.items()} == Counter(
            (item.outcome, item.code) for item in items if item.outcome is not Outcome.PENDING
        ), request
        for (outcome, code), group in settled.items():
            why = ("ordinal", "order_id", "refund_id", "number", "reason")
            alike = [item for item in items if (item.outcome, item.code) == (outcome, code)]
            assert [facts(item, *why) for item in group.first] == [facts(item, *why) for item in alike[:FIRST]]
            compared[code] += 1
        compared["pending"] += bool(pending)
        compared["twins"] += any("~" in item.file_name for item in found.first)

    # none of this is true for want of cases
    codes = {"order_not_found", "status_not_invoiced", "status_not_packed", "sub_order", "no_refund"}
    assert set(compared) == {"empty", "pending", "twins", *codes}


def test_a_preview_refuses_what_a_create_would_refuse(bench):
    everything = ExportRequest(DocumentType.INVOICE, Layout.SEPARATE, Selection(), Sort.CREATED)
    with pytest.raises(SelectionEmpty):
        told(bench, everything)
    bench.load(*shop())

    with pytest.raises(SelectionTooLarge) as large:
        told(bench, everything, max_items=29)

    assert large.value.at_most == 29
    assert told(bench, everything, max_items=30).requested == 30
    with bench.database.transaction() as tx:
        sign_in(tx, host_id=uuid4(), name="h", can_render=False, slots=1)
    with pytest.raises(RendererMissing):
        told(bench, everything)


def test_a_name_that_depends_on_too_many_others_is_not_guessed(bench, monkeypatch):
    monkeypatch.setattr(naming, "PAGE", 25)
    bench.load(*shop())
    selection = Selection(statuses=("completed", "pending", "draft"))

    def names(kind, pattern):
        request = ExportRequest(kind, Layout.SEPARATE, selection, Sort.NUMBER, pattern)
        return [item.file_name for item in told(bench, request).first]

    assert all(names(DocumentType.INVOICE, "{customer}"))
    monkeypatch.setattr(naming, "PAGE", 5)
    assert not any(names(DocumentType.INVOICE, "{customer}"))
    assert all(names(DocumentType.INVOICE, DEFAULT_PATTERN))


def test_what_the_first_documents_are_made_from_comes_with_them_unless_it_is_huge(bench):
    bench.load(content(1), content(2, payload=f'{{"id":2,"note":"{"x" * READABLE}"}}'), content(3))

    found = told(bench, ExportRequest(DocumentType.INVOICE, Layout.SEPARATE, Selection(), Sort.CREATED))

    first, huge, last = (item.version_id for item in found.first)
    assert set(found.contents) == {first, last}
    assert found.contents[last].payload == '{"id":3}'
    assert huge is not None


def test_the_pace_is_that_of_the_owners_recent_exports_once_they_tell_one(bench):
    owner = bench.owner()
    bench.load(*(content(number) for number in range(1, 21)))
    request = ExportRequest(DocumentType.INVOICE, Layout.SEPARATE, Selection(), Sort.CREATED)
    unknown = told(bench, request, owner=owner).pace
    with bench.database.transaction() as tx:
        sign_in(tx, host_id=uuid4(), name="h", can_render=True, slots=3)
    of_three = told(bench, request, owner=owner).pace

    job = end(bench, bench.submit(owner=owner))
    sqlite = bench.url.startswith("sqlite")
    earlier = (
        "strftime('%Y-%m-%dT%H:%M:%f', finished_at, '-5 seconds') || '000Z'"
        if sqlite
        else ("finished_at - interval '5 seconds'")
    )
    bench.sql(f"UPDATE jobs SET planned_at = {earlier}")

    assert bench.job(job).state == "completed"
    known = told(bench, request, owner=owner)
    assert known.active_id is None
    assert known.pace.basis is PaceBasis.RECENT_EXPORTS
    assert known.pace.documents_per_second == pytest.approx(4, rel=0.01)
    assert told(bench, request).pace == of_three == Pace(3 * DEFAULT_PACE, PaceBasis.DEFAULT)
    assert unknown == Pace(DEFAULT_PACE, PaceBasis.DEFAULT)


def test_a_preview_tells_of_the_export_that_is_in_the_way_and_writes_nothing(bench):
    owner = bench.owner()
    bench.load(content(1))
    request = ExportRequest(DocumentType.INVOICE, Layout.SEPARATE, Selection(), Sort.CREATED)
    job = bench.submit(owner=owner)

    assert told(bench, request, owner=owner).active_id == job
    assert told(bench, request).active_id is None
    assert bench.items(job) == []
