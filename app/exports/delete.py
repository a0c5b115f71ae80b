"""Deleting an export: its items and its record go in one transaction, its bytes after it."""

from uuid import UUID

from sqlalchemy.orm import Session

from app.database.deleting import remember_deleted, remove_jobs
from app.database.jobs import find_job, lock_job
from app.database.retrying import unplanned_retries
from app.domain.principal import Owner
from app.exports.request import RetryUnplanned, StillActive


def delete(tx: Session, owner: Owner, job_id: UUID) -> bool:
    """Delete the job; False if the owner has no such job.

    Raises `StillActive` if it has not ended, `RetryUnplanned` while a retry still needs its items. Decided under
    the job's lock, so that whoever still works on it or retries it finds it either whole or gone.
    """
    # the owner's door first: nobody locks what is not theirs
    if find_job(tx, owner, job_id) is None:
        return False
    job = lock_job(tx, job_id)
    if job is None:
        return False
    if job.state.is_active:
        raise StillActive(job.state)
    retry = unplanned_retries(tx, [job_id]).get(job_id)
    if retry is not None:
        raise RetryUnplanned(retry)
    remove_jobs(tx, [job_id])
    remember_deleted(tx, job_id)
    return True
