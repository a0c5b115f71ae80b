"""The operator's verbs on anybody's export: end it, or set free what keeps it. Decided under the job's lock."""

from dataclasses import dataclass
from enum import StrEnum
from uuid import UUID

from sqlalchemy import true
from sqlalchemy.orm import Session

from app.database.jobs import fence_out, force_cancel, lock_job, move_job
from app.database.operating import end_waits, find_step, lost_holders
from app.database.tables import JobRow, StepRow
from app.domain.codes import JobFailure
from app.domain.lifecycle import JobEvent, JobState, StepState
from app.exports.request import AlreadyFinished


class UnknownJob(Exception):
    """No owner has a job with this id."""


class UnknownStep(Exception):
    """The job has no such step."""


class CancelUnderway(Exception):
    """The job is being cancelled, so nothing of it may be claimed any more."""


class Ending(StrEnum):
    """What became of a job that an operator wanted to end."""

    FAILED = "failed"
    FAILED_BEFORE = "failed_before"
    CANCELLED = "cancelled"
    """Its owner had asked for that, and has been promised that it never ends otherwise."""


@dataclass(frozen=True, slots=True)
class Released:
    """What of a job can be claimed now and could not before."""

    waits: int
    """Ready steps that had to wait."""
    taken: tuple[int, ...]
    """Steps that were taken from their holders, by id."""


def fail(tx: Session, job_id: UUID, *, note: str) -> Ending:
    """End an active job as failed, and fence its holders out; a cancel under way is forced instead.

    Raises `UnknownJob`, and `AlreadyFinished` unless an operator failed it before.
    """
    job = _lock(tx, job_id)
    match job.state:
        case JobState.CANCELLING:
            force_cancel(tx, job_id)
            return Ending.CANCELLED
        case JobState.FAILED if job.failure_code == JobFailure.FAILED_BY_OPERATOR:
            return Ending.FAILED_BEFORE
        case state if state.is_terminal:
            raise AlreadyFinished(state)
    move_job(tx, job, JobEvent.FAILED, failure_code=JobFailure.FAILED_BY_OPERATOR, failure_note=note)
    fence_out(tx, job_id)
    return Ending.FAILED


def release(tx: Session, job_id: UUID) -> Released:
    """Let steps that wait be claimed now, and take those that are held from holders that are lost.

    Raises `UnknownJob`, `AlreadyFinished`, `CancelUnderway`.
    """
    job = _lock_claimable(tx, job_id)
    taken = fence_out(tx, job_id, where=lost_holders())
    return Released(end_waits(tx, job, where=true()), tuple(taken))


def release_step(tx: Session, job_id: UUID, step_id: int) -> Released:
    """Let one step be claimed now, whoever holds it: a holder that lives writes nothing more of it.

    Raises `UnknownStep` beside what `release` raises.
    """
    job = _lock_claimable(tx, job_id)
    step = find_step(tx, job_id, step_id)
    if step is None:
        raise UnknownStep
    if step.state is StepState.DONE:
        return Released(0, ())
    this = StepRow.id == step_id
    taken = fence_out(tx, job_id, where=this)
    return Released(end_waits(tx, job, where=this), tuple(taken))


def _lock_claimable(tx: Session, job_id: UUID) -> JobRow:
    job = _lock(tx, job_id)
    if job.state.is_terminal:
        raise AlreadyFinished(job.state)
    if job.state is JobState.CANCELLING:
        raise CancelUnderway
    return job


def _lock(tx: Session, job_id: UUID) -> JobRow:
    job = lock_job(tx, job_id)
    if job is None:
        raise UnknownJob
    return job
