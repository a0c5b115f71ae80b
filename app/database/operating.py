"""What operators see of everybody's jobs, and the writes with which they resolve what is stuck."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from sqlalchemy import func, select, update
from sqlalchemy.orm import Session
from sqlalchemy.sql.elements import ColumnElement

from app.database.clock import now
from app.database.hosts import is_live
from app.database.jobs import change_job
from app.database.lifetimes import database_time
from app.database.tables import HostRow, ItemRow, JobRow, StepRow, StoreRow
from app.domain.lifecycle import JobState, Outcome, StepKind, StepState


@dataclass(frozen=True, slots=True)
class HeldStep:
    """A claim, as it stands in the database."""

    step_id: int
    kind: StepKind
    ordinal: int
    attempt: int
    lapses: int
    host: str
    is_host_alive: bool
    claimed_at: datetime
    lease_left: float
    """Seconds; negative since it ran out."""


@dataclass(frozen=True, slots=True)
class OpenSteps:
    """The steps of one job by kind and state, and what keeps those that are ready."""

    counts: Mapping[tuple[StepKind, StepState], int]
    held: Sequence[HeldStep]
    delayed: int
    """Ready steps that nobody may claim yet."""
    next_in: float | None
    """Seconds until the first of these may be claimed."""
    most_lapses: int


@dataclass(frozen=True, slots=True)
class StruckItem:
    """An item over which children were lost."""

    ordinal: int
    number: str
    strikes: int
    outcome: Outcome


NOTHING_OPEN = OpenSteps({}, (), 0, None, 0)


def find_any_job(tx: Session, job_id: UUID) -> tuple[JobRow, str] | None:
    """A job of whatever owner, with its store's key. For operators alone: no request may come here."""
    rows = select(JobRow, StoreRow.key).join(StoreRow, StoreRow.id == JobRow.store_id).where(JobRow.id == job_id)
    found = tx.execute(rows).one_or_none()
    return None if found is None else (found[0], found[1])


def list_any_jobs(
    tx: Session, *, states: Collection[JobState], store: str | None, owner: str | None, limit: int
) -> list[tuple[JobRow, str]]:
    """Jobs of all owners in these states, oldest first, each with its store's key. For operators alone."""
    rows = (
        select(JobRow, StoreRow.key)
        .join(StoreRow, StoreRow.id == JobRow.store_id)
        .where(JobRow.state.in_(states))
        .order_by(JobRow.created_at, JobRow.id)
        .limit(limit)
    )
    if store is not None:
        rows = rows.where(StoreRow.key == store)
    if owner is not None:
        rows = rows.where(JobRow.owner == owner)
    return [(job, key) for job, key in tx.execute(rows)]


def open_steps(tx: Session, job_ids: Collection[UUID]) -> dict[UUID, OpenSteps]:
    """The steps of each of these jobs; a job without any is left out."""
    at = database_time(tx)
    is_delayed = StepRow.not_before > now()
    groups = tx.execute(
        select(
            StepRow.job_id,
            StepRow.kind,
            StepRow.state,
            func.count(),
            func.count().filter(is_delayed),
            func.min(StepRow.not_before).filter(is_delayed),
            func.max(StepRow.lapses),
        )
        .where(StepRow.job_id.in_(job_ids))
        .group_by(StepRow.job_id, StepRow.kind, StepRow.state)
    ).all()
    held = _held(tx, job_ids, at)
    found = {}
    for job_id in {group[0] for group in groups}:
        mine = [group for group in groups if group[0] == job_id]
        delays = [group[5] for group in mine if group[5] is not None]
        found[job_id] = OpenSteps(
            counts={(kind, state): count for _id, kind, state, count, *_ in mine},
            held=tuple(step for owner, step in held if owner == job_id),
            delayed=sum(group[4] for group in mine),
            next_in=(min(delays) - at).total_seconds() if delays else None,
            most_lapses=max(group[6] for group in mine),
        )
    return found


def _held(tx: Session, job_ids: Collection[UUID], at: datetime) -> list[tuple[UUID, HeldStep]]:
    alive = set(tx.scalars(select(HostRow.name).where(is_live())))
    claimed = select(StepRow).where(StepRow.job_id.in_(job_ids), StepRow.state == StepState.CLAIMED)
    return [
        (
            step.job_id,
            HeldStep(
                step_id=step.id,
                kind=step.kind,
                ordinal=step.ordinal,
                attempt=step.attempt,
                lapses=step.lapses,
                host=step.host or "?",
                is_host_alive=step.host in alive,
                claimed_at=step.claimed_at or at,
                lease_left=((step.lease_until or at) - at).total_seconds(),
            ),
        )
        for step in tx.scalars(claimed.order_by(StepRow.id))
    ]


def struck_items(tx: Session, job_id: UUID, *, limit: int = 20) -> list[StruckItem]:
    """The items of a job that have strikes, those with the most first."""
    rows = tx.execute(
        select(ItemRow.ordinal, ItemRow.number, ItemRow.strikes, ItemRow.outcome)
        .where(ItemRow.job_id == job_id, ItemRow.strikes > 0)
        .order_by(ItemRow.strikes.desc(), ItemRow.ordinal)
        .limit(limit)
    )
    return [StruckItem(*row) for row in rows]


def lost_holders() -> ColumnElement[bool]:
    """Of a claimed step: its lease has run out, or its host has shown no sign of life for as long."""
    alive = select(HostRow.name).where(is_live())
    return (StepRow.lease_until < now()) | StepRow.host.is_(None) | StepRow.host.not_in(alive)


def end_waits(tx: Session, job: JobRow, *, where: ColumnElement[bool]) -> int:
    """Let the ready steps of a locked job that match be claimed at once; says how many were kept until now."""
    freed = tx.scalars(
        update(StepRow)
        .where(StepRow.job_id == job.id, StepRow.state == StepState.READY, StepRow.not_before.is_not(None), where)
        .values(not_before=None)
        .returning(StepRow.id)
        .execution_options(synchronize_session=False)
    ).all()
    still = select(func.count()).where(StepRow.job_id == job.id, StepRow.not_before > now())
    if job.waiting_for is not None and not tx.scalar(still):
        change_job(tx, job, waiting_for=None)
    return len(freed)


def find_step(tx: Session, job_id: UUID, step_id: int) -> StepRow | None:
    """A step of this job."""
    return tx.scalars(select(StepRow).where(StepRow.job_id == job_id, StepRow.id == step_id)).one_or_none()
