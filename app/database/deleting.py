"""Removing jobs with everything that belongs to them, and remembering which ones their owners deleted."""

from collections.abc import Sequence
from uuid import UUID

from sqlalchemy import delete, exists, select, update
from sqlalchemy.orm import Session

from app.database.clock import seconds_from_now
from app.database.tables import DeletedJobRow, ItemRow, JobRow, StepRow
from app.domain.lifecycle import ACTIVE


def remove_jobs(tx: Session, job_ids: Sequence[UUID]) -> None:
    """Delete locked jobs with their steps and items; nobody else can be writing those.

    A retry that ended unplanned lets go of its parent. One that is still to be planned does not: the database
    refuses to delete what it needs.
    """
    for statement in (
        update(JobRow).where(JobRow.items_from.in_(job_ids), JobRow.state.not_in(ACTIVE)).values(items_from=None),
        delete(StepRow).where(StepRow.job_id.in_(job_ids)),
        delete(ItemRow).where(ItemRow.job_id.in_(job_ids)),
        delete(JobRow).where(JobRow.id.in_(job_ids)),
    ):
        tx.execute(statement.execution_options(synchronize_session=False))


def remember_deleted(tx: Session, job_id: UUID) -> None:
    """Keep the id of a job that goes in this transaction, so that no other job gets it."""
    tx.add(DeletedJobRow(id=job_id))
    tx.flush()


def was_deleted(tx: Session, job_id: UUID) -> bool:
    """Whether a job with this id existed and its owner deleted it."""
    return bool(tx.scalar(select(exists().where(DeletedJobRow.id == job_id))))


def forget_deleted(tx: Session, *, record_ttl: float) -> None:
    """Forget the ids of jobs that were deleted longer than `record_ttl` seconds ago, as records are forgotten."""
    old = DeletedJobRow.deleted_at < seconds_from_now(-record_ttl)
    tx.execute(delete(DeletedJobRow).where(old).execution_options(synchronize_session=False))
