"""What an owner can see of an export."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

from sqlalchemy.orm import Session

from app.database.hosts import Fleet
from app.database.hosts import moment as moment_of_hosts
from app.database.jobs import find_job
from app.database.queueing import place, steps_per_second
from app.database.tables import JobRow
from app.domain.codes import WaitingFor
from app.domain.lifecycle import JobState
from app.domain.principal import Owner
from app.domain.progress import Counts, percent, seconds_left, seconds_until_start


@dataclass(frozen=True, slots=True)
class ExportView:
    """A job at one moment of the database's clock."""

    job: JobRow
    percent: int
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
    """What the database said of itself and its hosts at one moment; serves any number of jobs."""

    at: datetime
    hosts: Fleet


def moment(tx: Session) -> Moment:
    """The present moment."""
    return Moment(*moment_of_hosts(tx))


def inspect(tx: Session, owner: Owner, job_id: UUID) -> ExportView | None:
    """One of the owner's jobs as it stands; None if there is none."""
    job = find_job(tx, owner, job_id)
    return None if job is None else view(tx, job)


def view(tx: Session, job: JobRow) -> ExportView:
    """A job's row with what follows from it."""
    return view_at(tx, job, moment(tx))


def views(tx: Session, jobs: Sequence[JobRow]) -> list[ExportView]:
    """The rows of a page with what follows from them."""
    present = moment(tx)
    return [view_at(tx, job, present) for job in jobs]


def view_at(tx: Session, job: JobRow, present: Moment) -> ExportView:
    """The row with what follows from it at a moment that was asked for before."""
    counts = Counts(job.requested, job.rendered, job.failed, job.skipped)
    position, starts_in = _queued(tx, job, present.hosts) if job.state is JobState.QUEUED else (None, None)
    return ExportView(
        job=job,
        percent=percent(counts, job.state),
        seconds_left=_seconds_left(job, counts, present.at),
        queue_position=position,
        starts_in_seconds=starts_in,
        waiting_for=_waiting_for(job, present.hosts),
        is_expired=job.expires_at is not None and job.expires_at <= present.at,
    )


def _seconds_left(job: JobRow, counts: Counts, at: datetime) -> int | None:
    if job.state is not JobState.PROCESSING or job.planned_at is None:
        return None
    elapsed: timedelta = at - job.planned_at
    return seconds_left(counts, elapsed=elapsed.total_seconds())


def _queued(tx: Session, job: JobRow, hosts: Fleet) -> tuple[int, int | None]:
    """Its position, and the seconds until it begins as far as anybody can tell."""
    found = place(tx, job)
    if hosts.able == 0:
        return found.position, None
    free_slots = max(0, hosts.slots - found.live_claims)
    pace = 0.0 if found.position <= free_slots else steps_per_second(tx)
    return found.position, seconds_until_start(found.position, free_slots=free_slots, steps_per_second=pace)


def _waiting_for(job: JobRow, hosts: Fleet) -> str | None:
    if not job.state.is_active:
        return None
    if hosts.alive == 0:
        return WaitingFor.WORKER
    return WaitingFor.RENDERER if hosts.able == 0 else job.waiting_for
