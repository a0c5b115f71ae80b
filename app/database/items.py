"""Items: reading them for a step, checkpointing them, listing them for their owner."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final
from uuid import UUID

from sqlalchemy import Integer, and_, bindparam, func, select, update
from sqlalchemy.orm import Session
from sqlalchemy.sql.elements import ColumnElement

from app.database.clock import now
from app.database.jobs import AT_WORK, change_job, changing_job, move_job
from app.database.orders import refunds_json
from app.database.steps import Claim, ClaimLost, hold, settle
from app.database.tables import ItemRow, JobRow, OrderVersionRow, StepRow, Table
from app.domain.codes import JobFailure
from app.domain.lifecycle import JobEvent, JobState, Outcome, Phase, StepKind, StepState

_ITEMS: Final = Table.metadata.tables[ItemRow.__tablename__]
_WRITTEN: Final = ("outcome", "code", "reason", "date", "net", "tax", "total", "pages", "bytes", "sha256", "warnings")
_KNOWN_BEFORE: Final = ("number", "customer", "country", "currency")
"""Columns of an item that a checkpoint writes, and those which planning has filled already."""


@dataclass(frozen=True, slots=True)
class PendingItem:
    """An item to render, with the frozen order it is made from."""

    ordinal: int
    payload: str
    refunds: str
    strikes: int
    refund_id: int | None = None


@dataclass(frozen=True, slots=True)
class ItemResult:
    """How one item ended, as a checkpoint writes it. Text fields are empty where nothing is known."""

    ordinal: int
    outcome: Outcome
    code: str | None = None
    reason: str | None = None
    number: str | None = None
    date: str = ""
    customer: str | None = None
    country: str | None = None
    currency: str | None = None
    net: str = ""
    tax: str = ""
    total: str = ""
    pages: int | None = None
    bytes: int | None = None
    sha256: str | None = None
    warnings: tuple[str, ...] = ()


# what workers send for every step is built once: that takes longer than sending it
_PENDING: Final = (
    select(ItemRow.ordinal, ItemRow.strikes, ItemRow.refund_id, OrderVersionRow)
    .join(OrderVersionRow, OrderVersionRow.id == ItemRow.order_version_id)
    .where(
        ItemRow.job_id == bindparam("job_id"),
        ItemRow.ordinal.between(bindparam("first"), bindparam("last")),
        ItemRow.outcome == Outcome.PENDING,
    )
    .order_by(ItemRow.ordinal)
)


def pending_items(tx: Session, claim: Claim) -> list[PendingItem]:
    """The items of a render step that are still to be made, in ordinal order."""
    rows = tx.execute(_PENDING, {"job_id": claim.job_id, "first": claim.first_item, "last": claim.last_item})
    return [
        PendingItem(ordinal, version.payload, refunds_json(version), strikes, refund_id)
        for ordinal, strikes, refund_id, version in rows
    ]


def strike(tx: Session, claim: Claim, ordinal: int, *, strikes: int) -> None:
    """Write down that an item of a live claim has this many strikes; raises `ClaimLost`.

    Its holder counts, who is alone with the item: so a repetition after a lost acknowledgement counts once.
    """
    _job, step = hold(tx, claim)
    if step.state is not StepState.CLAIMED:
        raise ClaimLost(claim)
    written = tx.scalars(
        update(ItemRow)
        .where(ItemRow.job_id == claim.job_id, ItemRow.ordinal == ordinal, ItemRow.outcome == Outcome.PENDING)
        .values(strikes=strikes)
        .returning(ItemRow.ordinal)
    ).one_or_none()
    if written is None:
        raise ClaimLost(claim)


def checkpoint(tx: Session, claim: Claim, results: Sequence[ItemResult], *, artifact: str | None) -> None:
    """Settle a render step in one transaction: items, counters, artifact; raises `ClaimLost`.

    Repeated after a lost acknowledgement it finds its own attempt done and changes nothing. The
    checkpoint that leaves no step inserts the package step, or fails a job of which nothing could
    be rendered.
    """
    job, step = hold(tx, claim)
    if step.state is StepState.DONE and step.holder == claim.holder:
        return
    if job.state is not JobState.PROCESSING:
        raise ClaimLost(claim)
    settle(tx, claim, artifact=artifact)
    _write_results(tx, claim.job_id, results)
    steps_left = job.steps_left - 1
    rendered, failed, skipped = (
        sum(result.outcome is outcome for result in results)
        for outcome in (Outcome.RENDERED, Outcome.FAILED, Outcome.SKIPPED)
    )
    counts = {"more_rendered": rendered, "more_failed": failed, "more_skipped": skipped, "left": steps_left}
    tx.scalars(_COUNT, {"of_job": job.id, **counts}).one()
    if steps_left == 0:
        begin_packaging(tx, job)


_COUNT: Final = (
    changing_job(bindparam("of_job"))
    .options(AT_WORK)
    .values(
        rendered=JobRow.rendered + bindparam("more_rendered", type_=Integer),
        failed=JobRow.failed + bindparam("more_failed", type_=Integer),
        skipped=JobRow.skipped + bindparam("more_skipped", type_=Integer),
        steps_left=bindparam("left", type_=Integer),
        progressed_at=now(),
        # progress was made: whatever was away is back. A claim alone would not prove it
        waiting_for=None,
    )
)


def begin_packaging(tx: Session, job: JobRow) -> None:
    """Every item of a locked job is settled: insert its package step, or fail it if nothing was rendered."""
    if job.rendered == 0:
        move_job(tx, job, JobEvent.FAILED, failure_code=JobFailure.NOTHING_RENDERED)
        return
    tx.add(StepRow(job_id=job.id, kind=StepKind.PACKAGE, ordinal=1, first_item=1, last_item=job.requested))
    tx.flush()
    change_job(tx, job, phase=Phase.PACKAGING)


# built once, and sent once for all items of a checkpoint: what is not known leaves what planning wrote
_WRITE: Final = (
    update(_ITEMS)
    .where(
        _ITEMS.c.job_id == bindparam("of_job"),
        _ITEMS.c.ordinal == bindparam("at_ordinal"),
        # only pending items change: what is settled stays settled
        _ITEMS.c.outcome == Outcome.PENDING,
    )
    .values(
        {name: bindparam(name) for name in _WRITTEN}
        | {name: func.coalesce(bindparam(name), _ITEMS.c[name]) for name in _KNOWN_BEFORE}
    )
)


def _write_results(tx: Session, job_id: UUID, results: Sequence[ItemResult]) -> None:
    if not results:
        return
    rows = [
        {
            "of_job": job_id,
            "at_ordinal": result.ordinal,
            **{name: getattr(result, name) for name in (*_WRITTEN, *_KNOWN_BEFORE)},
            "warnings": json.dumps(result.warnings) if result.warnings else None,
        }
        for result in results
    ]
    # RETURNING cannot be had of many statements at once; each changes one row or none
    if tx.connection().execute(_WRITE, rows).rowcount != len(rows):
        raise ItemAlreadySettled(job_id, [result.ordinal for result in results])


class ItemAlreadySettled(Exception):
    """A checkpoint met an item that is not pending: a bug of ours, never data."""

    def __init__(self, job_id: UUID, ordinals: Sequence[int]) -> None:
        super().__init__(f"among items {ordinals} of job {job_id}")


def list_items(
    tx: Session,
    job_id: UUID,
    *,
    after: int,
    limit: int,
    not_rendered: Sequence[Outcome] = (),
    code: str | None = None,
) -> list[ItemRow]:
    """Items of a job behind ordinal `after`; all of them, or those of the given outcomes, or of one code."""
    items = select(ItemRow).where(ItemRow.job_id == job_id, ItemRow.ordinal > after)
    if not_rendered:
        items = items.where(ItemRow.outcome.in_(not_rendered))
    if code is not None:
        items = items.where(ItemRow.code == code)
    return list(tx.scalars(items.order_by(ItemRow.ordinal).limit(limit)))


def list_warned(tx: Session, job_id: UUID, *, after: int, limit: int) -> list[ItemRow]:
    """Items of a job behind ordinal `after` whose documents were made, but with warnings."""
    items = select(ItemRow).where(_is_warned(job_id), ItemRow.ordinal > after)
    return list(tx.scalars(items.order_by(ItemRow.ordinal).limit(limit)))


def count_warned(tx: Session, job_id: UUID) -> int:
    """How many documents of a job have warnings."""
    return tx.scalars(select(func.count()).select_from(ItemRow).where(_is_warned(job_id))).one()


def _is_warned(job_id: UUID) -> ColumnElement[bool]:
    return and_(ItemRow.job_id == job_id, ItemRow.outcome == Outcome.RENDERED, ItemRow.warnings.is_not(None))


def list_sizes(tx: Session, job_id: UUID, *, after: int, limit: int) -> list[tuple[int, int, int]]:
    """Ordinal, bytes and pages of rendered items behind ordinal `after`: what their places are told by."""
    rows = tx.execute(
        select(ItemRow.ordinal, ItemRow.bytes, ItemRow.pages)
        .where(ItemRow.job_id == job_id, ItemRow.ordinal > after, ItemRow.outcome == Outcome.RENDERED)
        .order_by(ItemRow.ordinal)
        .limit(limit)
    )
    return [(ordinal, size or 0, pages or 0) for ordinal, size, pages in rows]


def count_codes(tx: Session, job_id: UUID) -> list[tuple[Outcome, str, int]]:
    """Why items of a job have no document: outcome, code and how many, the most frequent first."""
    rows = tx.execute(
        select(ItemRow.outcome, ItemRow.code, func.count())
        .where(ItemRow.job_id == job_id, ItemRow.outcome.in_((Outcome.FAILED, Outcome.SKIPPED)))
        .group_by(ItemRow.outcome, ItemRow.code)
        .order_by(func.count().desc(), ItemRow.code)
    )
    return [(outcome, code or "", count) for outcome, code, count in rows]


@dataclass(frozen=True, slots=True)
class StoredStep:
    """A done render step: where its documents are and which items it made."""

    step_id: int
    attempt: int
    artifact: str | None
    first_item: int
    last_item: int


def stored_steps(tx: Session, job_id: UUID, *, page: int = 250) -> Iterator[StoredStep]:
    """The done render steps of a job in ordinal order, read in pages so that memory stays flat."""
    steps = (
        select(StepRow.id, StepRow.attempt, StepRow.artifact, StepRow.first_item, StepRow.last_item, StepRow.ordinal)
        .where(StepRow.job_id == job_id, StepRow.kind == StepKind.RENDER, StepRow.state == StepState.DONE)
        .order_by(StepRow.ordinal)
        .limit(page)
    )
    after = 0
    while rows := tx.execute(steps.where(StepRow.ordinal > after)).all():
        yield from (StoredStep(*row[:-1]) for row in rows)
        after = rows[-1].ordinal


def every_item(tx: Session, job_id: UUID, *, page: int = 250) -> Iterator[ItemRow]:
    """All items of a job in ordinal order, read in pages so that memory stays flat."""
    after = 0
    while items := list_items(tx, job_id, after=after, limit=page):
        yield from items
        after = items[-1].ordinal
        tx.expunge_all()
