"""The job row: creating it, the owner's door to it, and the one place that moves its state."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from sqlalchemy import BindParameter, Select, SQLColumnExpression, and_, bindparam, func, or_, select, true, update
from sqlalchemy.orm import Session, defer
from sqlalchemy.sql.dml import ReturningUpdate
from sqlalchemy.sql.elements import ColumnElement

from app.database.clock import now
from app.database.tables import JobRow, StepRow, Table
from app.database.transactions import Ended, note_end
from app.database.upserting import upsert
from app.domain.filename_patterns import DEFAULT_PATTERN
from app.domain.layouts import COMBINED_PART
from app.domain.lifecycle import (
    ACTIVE,
    TRANSITIONS,
    IllegalTransition,
    JobEvent,
    JobState,
    StepKind,
    StepState,
)
from app.domain.pdf_variants import PdfVariant
from app.domain.principal import Owner


@dataclass(frozen=True, slots=True)
class NewJob:
    """What a create freezes of a request."""

    id: UUID
    owner: Owner
    idempotency_key: str
    fingerprint: str
    document_type: str
    layout: str
    selection: str
    sort: str
    checkpoint_every: int
    trace_parent: str | None = None
    retry_of: UUID | None = None
    combined_part: int = COMBINED_PART
    filename_pattern: str = DEFAULT_PATTERN
    pdf: str = PdfVariant.STANDARD
    items_from: UUID | None = None
    """The ended job whose items a retry takes; None for what is planned from its selection."""


def is_owned_by(store_id: int | SQLColumnExpression[int], name: str | SQLColumnExpression[str]) -> ColumnElement[bool]:
    """The owner's door: jobs of this pair and no others. What is not yours is absent."""
    return and_(JobRow.store_id == store_id, JobRow.owner == name)


def owned_by(owner: Owner) -> Select[JobRow]:
    """What is behind an owner's door."""
    return select(JobRow).where(is_owned_by(owner.store_id, owner.name))


def find_job(tx: Session, owner: Owner, job_id: UUID) -> JobRow | None:
    """One of the owner's jobs."""
    return tx.scalars(owned_by(owner).where(JobRow.id == job_id)).one_or_none()


def find_watched_jobs(tx: Session, job_ids: Collection[UUID]) -> list[JobRow]:
    """Jobs that somebody who owns them watches, in one statement; those that are gone are left out."""
    return list(tx.scalars(select(JobRow).where(JobRow.id.in_(job_ids))))


def find_job_by_key(tx: Session, owner: Owner, key: str) -> JobRow | None:
    """The job that the owner created with this idempotency key."""
    return tx.scalars(owned_by(owner).where(JobRow.idempotency_key == key)).one_or_none()


def find_active_job(tx: Session, owner: Owner) -> JobRow | None:
    """The owner's one active job."""
    return tx.scalars(owned_by(owner).where(JobRow.state.in_(ACTIVE))).one_or_none()


def list_jobs(
    tx: Session,
    owner: Owner,
    *,
    states: Sequence[JobState],
    key: str | None,
    retry_of: UUID | None,
    after: tuple[datetime, UUID] | None,
    limit: int,
) -> list[JobRow]:
    """The owner's jobs, newest first, from behind `after` (creation instant, id)."""
    jobs = owned_by(owner).order_by(JobRow.created_at.desc(), JobRow.id.desc()).limit(limit)
    if states:
        jobs = jobs.where(JobRow.state.in_(states))
    if key is not None:
        jobs = jobs.where(JobRow.idempotency_key == key)
    if retry_of is not None:
        jobs = jobs.where(JobRow.retry_of == retry_of)
    if after is not None:
        instant, job_id = after
        jobs = jobs.where(
            or_(JobRow.created_at < instant, and_(JobRow.created_at == instant, JobRow.id < job_id)),
        )
    return list(tx.scalars(jobs))


def insert_job(tx: Session, new: NewJob) -> JobRow | None:
    """Insert a queued job with its plan step; None if its key, its id or an active job is in the way.

    An INSERT that meets an undecided one waits for it, which makes repeating a create authoritative.
    """
    job = tx.scalars(
        upsert(tx, JobRow)
        .values(
            id=new.id,
            store_id=new.owner.store_id,
            owner=new.owner.name,
            idempotency_key=new.idempotency_key,
            fingerprint=new.fingerprint,
            document_type=new.document_type,
            layout=new.layout,
            combined_part=new.combined_part,
            filename_pattern=new.filename_pattern,
            pdf=new.pdf,
            selection=new.selection,
            sort=new.sort,
            checkpoint_every=new.checkpoint_every,
            trace_parent=new.trace_parent,
            retry_of=new.retry_of,
            items_from=new.items_from,
        )
        .on_conflict_do_nothing()
        .returning(JobRow)
    ).one_or_none()
    if job is not None:
        tx.add(StepRow(job_id=job.id, kind=StepKind.PLAN, ordinal=1))
        tx.flush()
    return job


# what workers send for every step is built once: that takes longer than sending it
_LOCK: Final = (
    select(JobRow)
    .where(JobRow.id == bindparam("job_id"))
    .with_for_update(key_share=True)
    .execution_options(populate_existing=True)
)


AT_WORK: Final = defer(JobRow.selection)
"""What was asked for may be a hundred thousand ids: where a job is read for each step, they are left out."""
_LOCK_AT_WORK: Final = _LOCK.options(AT_WORK)


def lock_job(tx: Session, job_id: UUID) -> JobRow | None:
    """Take the job's mutex. Everything read before this call may be stale, nothing after it."""
    return tx.scalars(_LOCK, {"job_id": job_id}).one_or_none()


def lock_job_at_work(tx: Session, job_id: UUID) -> JobRow | None:
    """Take the mutex as `lock_job` does, for a step of the job: its selection is read only if it is looked at."""
    return tx.scalars(_LOCK_AT_WORK, {"job_id": job_id}).one_or_none()


def lock_jobs(tx: Session, job_ids: Collection[UUID]) -> list[JobRow]:
    """Take the mutexes of several jobs, oldest first: so nobody waits in a ring, and a parent comes before its retry.

    Those that are gone are left out.
    """
    return list(
        tx.scalars(
            select(JobRow)
            .where(JobRow.id.in_(job_ids))
            .order_by(JobRow.created_at, JobRow.id)
            .with_for_update(key_share=True)
            .execution_options(populate_existing=True)
        )
    )


def move_job(tx: Session, job: JobRow, event: JobEvent, **changes: Any) -> None:
    """Apply an event to a locked job; raises `IllegalTransition` if the table forbids it.

    The SQL carries the guard too, so that a caller who forgot the lock changes nothing.
    """
    transition = TRANSITIONS[event]
    if transition.target.is_terminal:
        changes = {"finished_at": now(), "phase": None, "waiting_for": None} | changes
    moved = tx.scalars(
        update(JobRow)
        .where(JobRow.id == job.id, JobRow.state.in_(transition.sources))
        .values(state=transition.target, revision=JobRow.revision + 1, **changes)
        .returning(JobRow)
        .execution_options(synchronize_session=False, populate_existing=True)
    ).one_or_none()
    if moved is None:
        raise IllegalTransition(job.state, event)
    if job.finished_at is not None:
        asked_at = job.cancel_requested_at
        seconds = None if asked_at is None else (job.finished_at - asked_at).total_seconds()
        note_end(tx, Ended(job.state, job.failure_code, seconds))


def change_job(tx: Session, job: JobRow, **changes: Any) -> None:
    """Change visible columns of a locked job, not its state."""
    tx.scalars(changing_job(job.id).values(**changes)).one()


def changing_job(job_id: UUID | BindParameter[UUID]) -> ReturningUpdate[JobRow]:
    """The statement of `change_job`, without the columns: for who sends it often and builds it once."""
    return (
        update(JobRow)
        .where(JobRow.id == job_id)
        .values(revision=JobRow.revision + 1)
        .returning(JobRow)
        .execution_options(synchronize_session=False, populate_existing=True)
    )


def request_cancel(tx: Session, job: JobRow) -> None:
    """Cancel a locked job as far as can be done now; raises `IllegalTransition` when it has ended.

    A job that nobody works on ends at once; otherwise its holders stop first. The race with completion
    is decided by the lock that the caller holds: `packaging.complete` takes it too before it looks at
    the state, so the second of the two finds a state that its event cannot move.
    """
    match job.state:
        case JobState.QUEUED:
            move_job(tx, job, JobEvent.WITHDRAWN, cancel_requested_at=now())
        case JobState.CANCELLING | JobState.CANCELLED:
            return
        case _:
            move_job(tx, job, JobEvent.CANCEL_REQUESTED, cancel_requested_at=now())
            end_cancel_if_idle(tx, job)


def end_cancel_if_idle(tx: Session, job: JobRow) -> bool:
    """End a locked cancelling job once no step of it is claimed."""
    claimed = tx.scalar(
        select(func.count()).where(StepRow.job_id == job.id, StepRow.state == StepState.CLAIMED),
    )
    if claimed:
        return False
    move_job(tx, job, JobEvent.CANCELLED)
    return True


# every pulse asks it: built once, and of the table, not of its class, which would be looked through each time
JOBS: Final = Table.metadata.tables[JobRow.__tablename__]
_CANCELLING: Final = select(JOBS.c.id, JOBS.c.cancel_requested_at, now()).where(JOBS.c.state == JobState.CANCELLING)


def cancelling_jobs(tx: Session) -> dict[UUID, float]:
    """The jobs whose children must end now, each with the seconds since its cancel was asked for."""
    asked = tx.execute(_CANCELLING)
    return {job_id: (at - (asked_at or at)).total_seconds() for job_id, asked_at, at in asked}


def force_cancel(tx: Session, job_id: UUID) -> bool:
    """End a cancel over its holders' heads: raising the attempts makes every late write of theirs miss."""
    job = lock_job(tx, job_id)
    if job is None or job.state is not JobState.CANCELLING:
        return False
    fence_out(tx, job_id)
    return end_cancel_if_idle(tx, job)


def fence_out(tx: Session, job_id: UUID, *, where: ColumnElement[bool] | None = None) -> list[int]:
    """Take the claimed steps of a locked job, or those that match, from their holders: every late write misses.

    They can be claimed at once; says which they were.
    """
    taken = tx.scalars(
        update(StepRow)
        .where(StepRow.job_id == job_id, StepRow.state == StepState.CLAIMED, true() if where is None else where)
        .values(state=StepState.READY, attempt=StepRow.attempt + 1, holder=None, lease_until=None, not_before=None)
        .returning(StepRow.id)
        .execution_options(synchronize_session=False)
    )
    return sorted(taken)
