"""Retrying an ended export: what has no document is tried again, as a new job that is linked to its parent."""

from dataclasses import dataclass
from uuid import UUID

from sqlalchemy.orm import Session

from app.database.jobs import NewJob, find_job, lock_jobs
from app.database.retrying import has_taken
from app.database.tables import JobRow
from app.domain.document_type import DocumentType
from app.domain.identity import fingerprint
from app.domain.lifecycle import JobState
from app.domain.principal import Owner
from app.domain.selection import Selection, Sort, asked_for, is_of_retry, of_retry
from app.exports.request import ExportCancelled, ExportRequest, NothingToRetry, StillActive
from app.exports.submit import Submitted, check, id_of, insert_or_find, require_renderer


def retry_fingerprint(parent_id: UUID) -> str:
    """What "the same request" means for a retry: the same parent. No body of a create has it."""
    return fingerprint(["retry", str(parent_id)])


@dataclass(frozen=True, slots=True)
class _Plan:
    """What the retry is to be planned from."""

    selection: str
    items_from: UUID | None


def retry(
    tx: Session,
    owner: Owner,
    parent_id: UUID,
    *,
    key: str,
    checkpoint_every: int,
    max_items: int,
    trace_parent: str | None = None,
) -> Submitted | None:
    """Create a job of every item that the parent has no document of; None if the owner has no such job.

    Raises `StillActive`, `ExportCancelled`, `NothingToRetry`, and whatever a create raises. The parent is locked
    first and the retry inserted under its lock: a delete of the parent comes before it, and finds no retry, or
    after it, and is refused.
    """
    # the owner's door first: nobody locks what is not theirs
    found = find_job(tx, owner, parent_id)
    if found is None:
        return None
    ancestor_id = found.items_from
    locked = {job.id: job for job in lock_jobs(tx, [one for one in (ancestor_id, parent_id) if one is not None])}
    parent = locked.get(parent_id)
    if parent is None:
        return None
    if parent.state.is_active:
        raise StillActive(parent.state)
    if parent.state is JobState.CANCELLED:
        raise ExportCancelled
    ancestor = None if ancestor_id is None else locked.get(ancestor_id)
    plan = _plan(tx, owner, parent, ancestor, max_items=max_items)
    new = NewJob(
        id=id_of(owner, key),
        owner=owner,
        idempotency_key=key,
        fingerprint=retry_fingerprint(parent_id),
        document_type=parent.document_type,
        layout=parent.layout,
        combined_part=parent.combined_part,
        filename_pattern=parent.filename_pattern,
        pdf=parent.pdf,
        selection=plan.selection,
        sort=parent.sort,
        checkpoint_every=checkpoint_every,
        trace_parent=trace_parent,
        retry_of=parent_id,
        items_from=plan.items_from,
    )
    return insert_or_find(tx, new)


def _plan(tx: Session, owner: Owner, parent: JobRow, ancestor: JobRow | None, *, max_items: int) -> _Plan:
    """A planned parent gives its items. One that never was is done anew: its selection, or its own parent's items."""
    source = parent if parent.planned_at is not None else ancestor
    if source is not None:
        require_renderer(tx)
        if not has_taken(tx, source):
            raise NothingToRetry
        return _Plan(of_retry(parent.selection), source.id)
    if is_of_retry(parent.selection):
        # the job whose items it would have taken is deleted or forgotten
        raise NothingToRetry
    selection = Selection.from_json(asked_for(parent.selection))
    request = ExportRequest(DocumentType(parent.document_type), parent.layout, selection, Sort(parent.sort))
    check(tx, owner, request, max_items=max_items)
    return _Plan(parent.selection, None)
