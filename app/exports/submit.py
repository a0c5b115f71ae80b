"""Creating an export: the request's work changes owner here, from the request to the durable job."""

import json
from dataclasses import dataclass
from uuid import UUID

from sqlalchemy.orm import Session

from app.database.deleting import was_deleted
from app.database.hosts import fleet
from app.database.jobs import NewJob, find_active_job, find_job, find_job_by_key, insert_job
from app.database.selecting import count_selected
from app.database.tables import JobRow
from app.domain.identity import job_id
from app.domain.principal import Owner
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
        _refuse_deleted(tx, _id(owner, key))
    elif job.fingerprint != fingerprint:
        raise IdempotencyKeyReused
    return job


def check(tx: Session, owner: Owner, request: ExportRequest, *, max_items: int) -> int:
    """How many items the request makes now; raises `SelectionEmpty`, `SelectionTooLarge`, `RendererMissing`."""
    hosts = fleet(tx)
    if hosts.alive and not hosts.able:
        raise RendererMissing
    matching = count_selected(tx, owner.store_id, request.selection, at_most=max_items)
    if matching == 0:
        raise SelectionEmpty
    if matching > max_items:
        raise SelectionTooLarge(max_items)
    return matching


def submit(
    tx: Session,
    owner: Owner,
    request: ExportRequest,
    *,
    key: str,
    fingerprint: str,
    checkpoint_every: int,
    trace_parent: str | None = None,
) -> Submitted:
    """Insert the job, or find the one that is in the way.

    Raises `ActiveExportExists`, `IdempotencyKeyReused` or `ExportDeleted`. Which index refused the insert is not
    asked: PostgreSQL names whichever is older, so the rows are read instead.
    """
    new = NewJob(
        id=_id(owner, key),
        owner=owner,
        idempotency_key=key,
        fingerprint=fingerprint,
        document_type=request.document_type,
        layout=request.layout,
        selection=json.dumps(request.selection.to_json()),
        sort=request.sort,
        checkpoint_every=checkpoint_every,
        trace_parent=trace_parent,
    )
    for _ in range(2):
        job = insert_job(tx, new)
        if job is not None:
            # the insert may have waited for a delete of the key's own export
            _refuse_deleted(tx, new.id)
            return Submitted(job, is_replay=False)
        earlier = replay(tx, owner, key=key, fingerprint=fingerprint) or find_job(tx, owner, new.id)
        if earlier is not None:
            return Submitted(earlier, is_replay=True)
        active = find_active_job(tx, owner)
        if active is not None:
            raise ActiveExportExists(active.id)
        # what was in the way ended meanwhile: once more
    raise ActiveExportExists(None)


def _refuse_deleted(tx: Session, job_id: UUID) -> None:
    if was_deleted(tx, job_id):
        raise ExportDeleted


def _id(owner: Owner, key: str) -> UUID:
    return job_id(store=owner.store, owner=owner.name, key=key)
