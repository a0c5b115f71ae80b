"""Names by a pattern: settled once at planning, unique without regard to case, kept by a retry, on both databases."""

from datetime import UTC, datetime

import pytest
from sqlalchemy import select

from app.database import naming
from app.database.planning import plan
from app.database.refunds import RefundIndex
from app.database.tables import ItemRow
from app.domain.document_type import DocumentType
from app.domain.selection import Selection, Sort
from app.exports.retry import retry
from tests.database.conftest import content
from tests.database.ending import end


def names(bench, job):
    return [item.file_name for item in bench.items(job)]


@pytest.fixture
def retried(bench):
    """Plans a retry of an ended job of this owner."""

    def run(owner, parent):
        with bench.database.transaction() as tx:
            job = retry(tx, owner, parent, key="again", checkpoint_every=10, max_items=100).job.id
        claim = bench.claim(job)
        with bench.database.transaction() as tx:
            plan(tx, claim, max_items=100)
        return job

    return run


def test_files_are_named_by_the_jobs_pattern(bench):
    bench.load(
        content(1, number="A/1", customer="Ada Ünal"),
        content(2, number="2", customer="", created_at=None),
    )

    job = bench.planned(filename_pattern="{date} {customer}_{type}-{number}")

    assert names(bench, job) == ["2026-10-01-Ada-Ünal_invoice-A-1.pdf", "undated-unnamed_invoice-2.pdf"]


def test_a_date_is_that_of_the_stores_time_zone(bench):
    bench.sql("UPDATE stores SET time_zone = 'Pacific/Auckland'")
    bench.load(content(1, created_at=datetime(2026, 12, 31, 12, tzinfo=UTC)))

    assert names(bench, bench.planned(filename_pattern="{date}")) == ["2027-01-01.pdf"]


def test_the_pattern_that_is_the_default_gives_the_names_that_it_gave(bench):
    bench.load(content(1, number="a", file_stem="A"), content(2, number="b", file_stem="a"))

    assert names(bench, bench.planned()) == names(bench, bench.planned(filename_pattern="{type}-{number}"))


@pytest.mark.parametrize("page", [2, 1000])
def test_names_are_unique_without_regard_to_case_whichever_page_they_are_in(bench, monkeypatch, page):
    monkeypatch.setattr(naming, "PAGE", page)
    customers = ("Ada", "ADA", "Zoe", "ada", "Ada-2", "A\u030ada", "\u00c5da")
    bench.load(*(content(number, customer=customer) for number, customer in enumerate(customers, start=1)))

    found = names(bench, bench.planned(filename_pattern="{customer}"))

    assert found == ["Ada.pdf", "ADA~2.pdf", "Zoe.pdf", "ada~3.pdf", "Ada-2.pdf", "Åda.pdf", "Åda~2.pdf"]


def test_a_credit_note_is_named_by_its_refund(bench):
    bench.load(content(1, number="70", refunds=(RefundIndex(2, datetime(2026, 11, 9, tzinfo=UTC), -1.0),)))

    job = bench.planned(document_type=DocumentType.CREDIT_NOTE, filename_pattern="{type} {date} {number}")

    assert names(bench, job) == ["credit-note-2026-11-09-70-2.pdf"]


def test_a_retry_keeps_the_names_and_finds_free_ones_for_what_is_new(bench, retried):
    owner = bench.owner()
    bench.load(content(1, customer="Ada"), content(2, customer="ada"))
    selection = Selection(order_ids=(1, 2, 3, 4, 5))
    parent = end(bench, bench.submit(selection, Sort.GIVEN, owner=owner, filename_pattern="{customer}"), failing=(2,))
    bench.load(*(content(number, customer="ADA") for number in (1, 2, 3)), content(4, customer="Zoe"))

    job = retried(owner, parent)

    assert [(item.ordinal, item.file_name) for item in bench.items(job)] == [
        (2, "ada~2.pdf"),
        (3, "ADA~r3.pdf"),
        (4, "Zoe.pdf"),
        (5, "invoice-missing-5.pdf"),
    ]


@pytest.mark.long
def test_fifty_thousand_of_one_name_are_told_apart_in_a_planning_that_ends(bench):
    """No statement looks at each of them for each other one: that would take hours, and the plan step for ever."""
    count = 50_000
    for first in range(1, count, 1000):
        bench.load(*(content(number, customer="Ada") for number in range(first, first + 1000)))
    job = bench.submit(filename_pattern="{customer}")
    claim = bench.claim(job, lease=600)

    with bench.database.transaction() as tx:
        plan(tx, claim, max_items=count)

    with bench.database.reading() as tx:
        found = set(tx.scalars(select(ItemRow.file_name)))
    assert found == {"Ada.pdf", *(f"Ada~{twin}.pdf" for twin in range(2, count + 1))}
