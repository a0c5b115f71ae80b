"""What an owner can see of an export."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from sqlalchemy.orm import Session

from app.database.hosts import Fleet
from app.database.hosts import moment as moment_of_hosts
from app.database.jobs import find_job
from app.database.looking import Look
from app.database.queueing import NO_QUEUE, Queue, queue_of
from app.database.tables import JobRow
from app.domain.codes import WaitingFor
from app.domain.lifecycle import JobState
from app.domain.principal import Owner
from app.domain.progress import Counts, documents_per_second, percent, seconds_left, seconds_until_start


@dataclass(frozen=True, slots=True)
class ExportView:
    """A job at one moment of the database's clock."""

    job: JobRow
    percent: int
    per_second: float | None
    """Documents a second while rendering; None when unknown or over."""
    seconds_left: int | None
    """Estimate for the rendering still to do; None when unknown or over."""
    queue_position: int | None
    """1 for the queued job that is next; None unless queued."""
    starts_in_seconds: int | None
    """Estimate for a queued job; None when unknown or begun."""
    waiting_for: str | None
    is_expired: bool


@dataclass(frozen=True, slots=True)
class Moment:
    """What the database said of itself, its hosts and its queue at one moment; serves any number of jobs."""

    at: datetime
    hosts: Fleet
    queue: Queue


def moment(tx: Session, jobs: Collection[JobRow]) -> Moment:
    """The present moment, as far as it concerns these jobs."""
    at, hosts = moment_of_hosts(tx)
    queued = [job.id for job in jobs if job.state is JobState.QUEUED]
    return Moment(at, hosts, queue_of(tx, queued) if queued else NO_QUEUE)


def inspect(tx: Session, owner: Owner, job_id: UUID) -> ExportView | None:
    """One of the owner's jobs as it stands; None if there is none."""
    job = find_job(tx, owner, job_id)
    return None if job is None else view(tx, job)


def view_looked_at(tx: Session, job: JobRow, found: Look) -> ExportView:
    """What a look found, with what follows from it."""
    queue = queue_of(tx, [job.id]) if job.state is JobState.QUEUED else NO_QUEUE
    return view_at(job, Moment(found.at, found.hosts, queue))


def view(tx: Session, job: JobRow) -> ExportView:
    """A job's row with what follows from it."""
    return view_at(job, moment(tx, [job]))


def views(tx: Session, jobs: Sequence[JobRow]) -> list[ExportView]:
    """The rows of a page with what follows from them."""
    present = moment(tx, jobs)
    return [view_at(job, present) for job in jobs]


def view_at(job: JobRow, present: Moment) -> ExportView:
    """The row with what follows from it at a moment that was asked for before."""
    counts = Counts(job.requested, job.rendered, job.failed, job.skipped)
    position, starts_in = _queued(job, present) if job.state is JobState.QUEUED else (None, None)
    elapsed = _rendering_for(job, present.at)
    return ExportView(
        job=job,
        percent=percent(counts, job.state, floor=job.settled_most),
        per_second=documents_per_second(counts, elapsed=elapsed),
        seconds_left=seconds_left(counts, elapsed=elapsed),
        queue_position=position,
        starts_in_seconds=starts_in,
        waiting_for=_waiting_for(job, present.hosts),
        is_expired=job.expires_at is not None and job.expires_at <= present.at,
    )


def _rendering_for(job: JobRow, at: datetime) -> float:
    """Seconds since its planning; 0 unless it is at work."""
    if job.state is not JobState.PROCESSING or job.planned_at is None:
        return 0.0
    return (at - job.planned_at).total_seconds()


def _queued(job: JobRow, present: Moment) -> tuple[int, int | None]:
    """Its position, and the seconds until it begins as far as anybody can tell."""
    queue, hosts = present.queue, present.hosts
    # one that was claimed since its row was read was the first
    position = queue.positions.get(job.id, 1)
    if hosts.able == 0:
        return position, None
    free_slots = max(0, hosts.slots - queue.live_claims)
    return position, seconds_until_start(position, free_slots=free_slots, steps_per_second=queue.steps_per_second)


def _waiting_for(job: JobRow, hosts: Fleet) -> str | None:
    if not job.state.is_active:
        return None
    if hosts.alive == 0:
        return WaitingFor.WORKER
    return WaitingFor.RENDERER if hosts.able == 0 else job.waiting_for
