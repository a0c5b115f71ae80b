"""Creating an export: the request's work changes owner here, from the request to the durable job."""

import json
from dataclasses import dataclass
from uuid import UUID

from sqlalchemy.orm import Session

from app.database.deleting import was_deleted
from app.database.hosts import fleet
from app.database.jobs import NewJob, find_active_job, find_job, find_job_by_key, insert_job
from app.database.selecting import Wanted, count_selected
from app.database.tables import JobRow
from app.domain.document_type import DocumentType
from app.domain.identity import job_id
from app.domain.layouts import COMBINED_PART
from app.domain.principal import Owner
from app.domain.selection import of_refunds
from app.exports.request import (
    ActiveExportExists,
    ExportDeleted,
    ExportRequest,
    IdempotencyKeyReused,
    RendererMissing,
    SelectionEmpty,
    SelectionTooLarge,
)


@dataclass(frozen=True, slots=True)
class Submitted:
    """The job, and whether an earlier request with the same key had created it."""

    job: JobRow
    is_replay: bool


def replay(tx: Session, owner: Owner, *, key: str, fingerprint: str) -> JobRow | None:
    """The job of an earlier create with this key.

    Raises `IdempotencyKeyReused` if its body was another, `ExportDeleted` if its owner deleted it.
    """
    job = find_job_by_key(tx, owner, key)
    if job is None:
        _refuse_deleted(tx, id_of(owner, key))
    elif job.fingerprint != fingerprint:
        raise IdempotencyKeyReused
    return job


def check(tx: Session, owner: Owner, request: ExportRequest, *, max_items: int) -> int:
    """How many items the request makes now; raises `SelectionEmpty`, `SelectionTooLarge`, `RendererMissing`."""
    require_renderer(tx)
    matching = count_selected(tx, wanted_of(owner, request), at_most=max_items)
    if matching == 0:
        raise SelectionEmpty
    if matching > max_items:
        raise SelectionTooLarge(max_items)
    return matching


def require_renderer(tx: Session) -> None:
    """Raise `RendererMissing` if live hosts exist and none can render; with none alive the job waits for one."""
    hosts = fleet(tx)
    if hosts.alive and not hosts.able:
        raise RendererMissing


def submit(
    tx: Session,
    owner: Owner,
    request: ExportRequest,
    *,
    key: str,
    fingerprint: str,
    checkpoint_every: int,
    combined_part: int = COMBINED_PART,
    trace_parent: str | None = None,
) -> Submitted:
    """Create the export; raises as `insert_or_find` does."""
    new = NewJob(
        id=id_of(owner, key),
        owner=owner,
        idempotency_key=key,
        fingerprint=fingerprint,
        document_type=request.document_type,
        layout=request.layout,
        selection=_stored(request),
        sort=request.sort,
        checkpoint_every=checkpoint_every,
        combined_part=combined_part,
        filename_pattern=request.filename_pattern,
        pdf=request.pdf,
        trace_parent=trace_parent,
    )
    return insert_or_find(tx, new)


def insert_or_find(tx: Session, new: NewJob) -> Submitted:
    """Insert the job, or find the one that is in the way.

    Raises `ActiveExportExists`, `IdempotencyKeyReused` or `ExportDeleted`. Which index refused the insert is not
    asked: PostgreSQL names whichever is older, so the rows are read instead.
    """
    owner = new.owner
    for _ in range(2):
        job = insert_job(tx, new)
        if job is not None:
            # the insert may have waited for a delete of the key's own export
            _refuse_deleted(tx, new.id)
            return Submitted(job, is_replay=False)
        earlier = replay(tx, owner, key=new.idempotency_key, fingerprint=new.fingerprint) or find_job(tx, owner, new.id)
        if earlier is not None:
            return Submitted(earlier, is_replay=True)
        active = find_active_job(tx, owner)
        if active is not None:
            raise ActiveExportExists(active.id)
        # what was in the way ended meanwhile: once more
    raise ActiveExportExists(None)


def wanted_of(owner: Owner, request: ExportRequest) -> Wanted:
    """What the request asks for of its owner's store."""
    return Wanted(owner.store_id, request.document_type, request.selection)


def _stored(request: ExportRequest) -> str:
    if request.document_type is DocumentType.CREDIT_NOTE:
        return of_refunds(request.selection)
    return json.dumps(request.selection.to_json())


def _refuse_deleted(tx: Session, job_id: UUID) -> None:
    if was_deleted(tx, job_id):
        raise ExportDeleted


def id_of(owner: Owner, key: str) -> UUID:
    """The id of the job that this owner creates with this key."""
    return job_id(store=owner.store, owner=owner.name, key=key)
