"""A migrated database of each kind, with a store and the statements of a worker at hand."""

import json
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from uuid import UUID, uuid4

import pytest
from sqlalchemy import select, text

from app.database import jobs, steps
from app.database.items import ItemResult, checkpoint, list_items
from app.database.orders import OrderContent, OrderIndex, store_orders
from app.database.planning import plan
from app.database.stores import create_store
from app.database.tables import ItemRow, JobRow, StepRow
from app.database.transactions import Database
from app.domain.document_type import DocumentType
from app.domain.filename_patterns import DEFAULT_PATTERN
from app.domain.identity import job_id
from app.domain.lifecycle import Outcome
from app.domain.principal import Owner
from app.domain.selection import Selection, Sort


def content(shop_id: int, **changes) -> OrderContent:
    """An order's columns with a payload that only tells its id."""
    number = changes.pop("number", str(shop_id))
    stem = changes.pop("file_stem", number)
    index = {
        "shop_id": shop_id,
        "number": number,
        "number_sort": number.zfill(20),
        "status": "completed",
        "created_at": datetime(2026, 10, 1, 12, 0, shop_id % 60, tzinfo=UTC),
        "modified_at": datetime(2026, 11, 1, tzinfo=UTC),
        "customer_id": 7,
        "customer": "Greta Muster",
        "customer_sort": "greta muster",
        "currency": "EUR",
        "country": "DE",
        "total_sort": float(shop_id),
        "file_stem": stem,
        "file_key": stem.casefold(),
    }
    payload = changes.pop("payload", f'{{"id":{shop_id}}}')
    refunds = changes.pop("refunds", ())
    return OrderContent(OrderIndex(**{**index, **changes}), payload, refunds)


@dataclass
class Bench:
    """A database and the few verbs that its tests repeat."""

    database: Database
    url: str
    store_id: int = 0
    owners: int = field(default=0)

    def load(self, *contents: OrderContent) -> dict:
        with self.database.transaction() as tx:
            return store_orders(tx, self.store_id, contents)

    def owner(self) -> Owner:
        self.owners += 1
        return Owner(self.store_id, "demo", f"owner-{self.owners}")

    def submit(
        self,
        selection: Selection | None = None,
        sort: Sort = Sort.CREATED,
        *,
        every: int = 10,
        owner: Owner | None = None,
        document_type: DocumentType = DocumentType.INVOICE,
        filename_pattern: str = DEFAULT_PATTERN,
    ) -> UUID:
        new = self.new_job(selection, sort, every=every, owner=owner, document_type=document_type)
        new = replace(new, filename_pattern=filename_pattern)
        with self.database.transaction() as tx:
            inserted = jobs.insert_job(tx, new)
            assert inserted is not None
        return new.id

    def new_job(
        self,
        selection: Selection | None = None,
        sort: Sort = Sort.CREATED,
        *,
        every: int = 10,
        owner: Owner | None = None,
        document_type: DocumentType = DocumentType.INVOICE,
    ) -> jobs.NewJob:
        owner = owner or self.owner()
        key = uuid4().hex
        return jobs.NewJob(
            id=job_id(store="demo", owner=owner.name, key=key),
            owner=owner,
            idempotency_key=key,
            fingerprint="f",
            document_type=document_type,
            layout="separate",
            selection=json.dumps((selection or Selection()).to_json()),
            sort=sort,
            checkpoint_every=every,
        )

    def claim(self, job: UUID, *, lease: float = 60) -> steps.Claim:
        with self.database.transaction() as tx:
            claim = steps.claim_step(tx, job, holder=uuid4(), host="h", lease=lease)
        assert claim is not None
        return claim

    def planned(
        self,
        selection: Selection | None = None,
        sort: Sort = Sort.CREATED,
        *,
        every: int = 10,
        document_type: DocumentType = DocumentType.INVOICE,
        filename_pattern: str = DEFAULT_PATTERN,
    ) -> UUID:
        job = self.submit(selection, sort, every=every, document_type=document_type, filename_pattern=filename_pattern)
        claim = self.claim(job)
        with self.database.transaction() as tx:
            plan(tx, claim, max_items=1000)
        return job

    def rendered(self, claim: steps.Claim) -> list[ItemResult]:
        """Results that say that every item of a claim was rendered."""
        return [
            ItemResult(ordinal, Outcome.RENDERED, pages=1, bytes=10, sha256="0" * 64)
            for ordinal in range(claim.first_item, claim.last_item + 1)
        ]

    def checkpoint(self, claim: steps.Claim, results: Sequence[ItemResult] | None = None) -> None:
        with self.database.transaction() as tx:
            checkpoint(tx, claim, self.rendered(claim) if results is None else results, artifact="a")

    def sql(self, statement: str) -> None:
        """Change what no code of ours would, to make a moment come true."""
        with self.database.transaction() as tx:
            tx.execute(text(statement))

    def lapse(self, claim: steps.Claim) -> None:
        """Let a claim's lease run out."""
        self.sql(f"UPDATE steps SET lease_until = claimed_at WHERE id = {claim.step_id}")

    def job(self, job: UUID) -> JobRow:
        with self.database.reading() as tx:
            return tx.get_one(JobRow, job)

    def items(self, job: UUID) -> list[ItemRow]:
        with self.database.reading() as tx:
            return list_items(tx, job, after=0, limit=1000)

    def steps(self, job: UUID) -> list[StepRow]:
        with self.database.reading() as tx:
            return list(tx.scalars(select(StepRow).where(StepRow.job_id == job).order_by(StepRow.id)))


@pytest.fixture
def bench(migrated_engine, migrated_url) -> Bench:
    database = Database(migrated_engine)
    bench = Bench(database, migrated_url)
    with database.transaction() as tx:
        bench.store_id = create_store(tx, key="demo", name="Demo").id
    return bench


@pytest.fixture
def contender(bench):
    """Runs a function of a transaction beside the test's own, and comes back once it waits."""
    with ThreadPoolExecutor(1) as threads:

        def run(verb):
            def work():
                with bench.database.transaction() as tx:
                    return verb(tx)

            late = threads.submit(work)
            until_blocked(bench)
            return late

        yield run


def until_blocked(bench):
    """SQLite has one writer at a time: there, whoever comes later waits before its first statement."""
    if bench.url.startswith("sqlite"):
        return
    waiting = text(
        "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'"
    )
    give_up_at = time.monotonic() + 10
    while time.monotonic() < give_up_at:
        with bench.database.reading() as tx:
            if tx.scalar(waiting):
                return
    raise AssertionError("nobody waits")
