"""Cancelling an export: decided under the job's lock, so that completion and cancel cannot both win."""

from uuid import UUID

from sqlalchemy.orm import Session

from app.database.jobs import find_job, lock_job, request_cancel
from app.database.tables import JobRow
from app.domain.lifecycle import IllegalTransition
from app.domain.principal import Owner
from app.exports.request import AlreadyFinished


def cancel(tx: Session, owner: Owner, job_id: UUID) -> JobRow | None:
    """Ask the job to stop; None if the owner has no such job, `AlreadyFinished` if it has ended otherwise."""
    # the owner's door first: nobody locks what is not theirs
    if find_job(tx, owner, job_id) is None:
        return None
    job = lock_job(tx, job_id)
    if job is None:
        return None
    try:
        request_cancel(tx, job)
    except IllegalTransition as refused:
        raise AlreadyFinished(refused.state) from None
    return job
