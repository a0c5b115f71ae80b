"""What the reconciler asks of the database: lifetimes that ended, versions that nobody needs."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

from sqlalchemy import case, delete, exists, func, or_, select
from sqlalchemy.orm import Session
from sqlalchemy.sql.elements import ColumnElement

from app.database.clock import seconds_from_now
from app.database.deleting import forget_deleted, remove_jobs
from app.database.hosts import fleet
from app.database.jobs import lock_job, lock_jobs, move_job
from app.database.lifetimes import database_time
from app.database.retrying import is_unplanned_retry_of, unplanned_retries
from app.database.tables import ItemRow, JobRow, OrderRow, OrderVersionRow, StepRow
from app.domain.codes import JobFailure
from app.domain.lifecycle import JobEvent, JobState
from app.domain.lifetimes import Span, began_before


def expire_queued(tx: Session, *, queue_ttl: float, idle: Sequence[Span] = (), limit: int = 100) -> list[UUID]:
    """Fail jobs that waited longer than `queue_ttl` seconds although a host lives; `idle` spans do not count."""
    if fleet(tx).alive == 0:
        return []
    too_old = JobRow.created_at < _began_before(tx, queue_ttl, idle)
    return _fail(tx, JobState.QUEUED, too_old, JobFailure.QUEUE_EXPIRED, limit)


def expire_running(tx: Session, *, run_ttl: float, idle: Sequence[Span] = (), limit: int = 100) -> list[UUID]:
    """Fail jobs whose last checkpoint is longer than `run_ttl` seconds ago; `idle` spans do not count."""
    stuck = JobRow.progressed_at < _began_before(tx, run_ttl, idle)
    return _fail(tx, JobState.PROCESSING, stuck, JobFailure.RUN_EXPIRED, limit)


def _began_before(tx: Session, lifetime: float, idle: Sequence[Span]) -> datetime:
    return began_before(database_time(tx), lifetime=timedelta(seconds=lifetime), idle=idle)


def _fail(tx: Session, state: JobState, condition: ColumnElement[bool], failure: JobFailure, limit: int) -> list[UUID]:
    found = tx.scalars(select(JobRow.id).where(JobRow.state == state, condition).order_by(JobRow.id).limit(limit))
    failed = []
    for job_id in found.all():
        job = lock_job(tx, job_id)
        # looked for without the lock, so asked again with it
        still = tx.scalar(select(func.count()).where(JobRow.id == job_id, JobRow.state == state, condition))
        if job is not None and still:
            move_job(tx, job, JobEvent.FAILED, failure_code=failure)
            failed.append(job_id)
    return failed


def forget_old_jobs(tx: Session, *, record_ttl: float, limit: int = 100) -> list[UUID]:
    """Delete the records of jobs that ended longer than `record_ttl` seconds ago.

    One whose items an unplanned retry still needs stays until the retry is planned or has ended.
    """
    candidates = tx.scalars(
        select(JobRow.id)
        .where(JobRow.finished_at < seconds_from_now(-record_ttl), ~is_unplanned_retry_of(JobRow.id.expression))
        .order_by(JobRow.finished_at)
        .limit(limit)
    )
    # an owner may be deleting or retrying one of them
    locked = [job.id for job in lock_jobs(tx, candidates.all())]
    # looked for without the lock, so asked again with it
    needed = unplanned_retries(tx, locked)
    old = [job_id for job_id in locked if job_id not in needed]
    if old:
        remove_jobs(tx, old)
    forget_deleted(tx, record_ttl=record_ttl)
    return old


@dataclass(frozen=True, slots=True)
class Living:
    """What of an existing job's artifacts is still needed. Age and clocks of objects play no part."""

    is_active: bool
    archive_key: str | None
    """None once its bytes may go."""
    attempts: Mapping[int, int]
    """The attempt of each step of an active job that was asked for."""


def living_artifacts(tx: Session, steps: Collection[tuple[UUID, int]], *, archive_grace: float) -> dict[UUID, Living]:
    """What the jobs of these steps (ids of job and step) need of what the steps made, if they exist.

    Archives go `archive_grace` seconds after expiry.
    """
    job_ids, step_ids = {job_id for job_id, _step_id in steps}, {step_id for _job_id, step_id in steps}
    is_kept = or_(JobRow.expires_at.is_(None), JobRow.expires_at >= seconds_from_now(-archive_grace))
    jobs = tx.execute(
        select(JobRow.id, JobRow.state, case((is_kept, JobRow.archive_key))).where(JobRow.id.in_(job_ids))
    ).all()
    attempts: dict[UUID, dict[int, int]] = {job_id: {} for job_id, _state, _key in jobs}
    active = [job_id for job_id, state, _key in jobs if state.is_active]
    for job_id, step_id, attempt in tx.execute(
        select(StepRow.job_id, StepRow.id, StepRow.attempt).where(StepRow.job_id.in_(active), StepRow.id.in_(step_ids))
    ):
        attempts[job_id][step_id] = attempt
    return {job_id: Living(state.is_active, key, attempts[job_id]) for job_id, state, key in jobs}


def forget_old_versions(tx: Session, *, limit: int = 500) -> int:
    """Delete order versions that are neither the newest of their order nor used by any item."""
    unused = list(
        tx.scalars(
            select(OrderVersionRow.id)
            .join(OrderRow, OrderRow.id == OrderVersionRow.order_id)
            .where(
                or_(OrderRow.version_id.is_(None), OrderRow.version_id != OrderVersionRow.id),
                ~exists().where(ItemRow.order_version_id == OrderVersionRow.id),
            )
            .order_by(OrderVersionRow.id)
            .limit(limit)
            # an order that is being erased takes its versions with it, and an import may bring one back
            .with_for_update(skip_locked=True, of=(OrderVersionRow, OrderRow))
        )
    )
    if unused:
        tx.execute(delete(OrderVersionRow).where(OrderVersionRow.id.in_(unused)))
    return len(unused)
