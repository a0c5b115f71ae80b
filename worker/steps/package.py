"""The package step: every document of a job becomes one archive, in a child process."""

import os
import tempfile
from collections.abc import Iterator
from pathlib import Path
from uuid import UUID

import structlog
from sqlalchemy.orm import Session

from app.artifacts.keys import ArtifactKey
from app.database.items import every_item, stored_steps
from app.database.packaging import complete, reopen_steps
from app.database.steps import Claim, ClaimLost
from app.database.tables import JobRow
from app.documents.cancellation import Cancellation
from app.domain.pdf_variants import PdfVariant
from app.exports.manifest import manifest_item
from worker.archive import (
    Archived,
    ArchiveRequest,
    BadArtifacts,
    StoredDocuments,
    build_archive,
    write_items,
    write_steps,
)
from worker.context import WorkerContext
from worker.insisting import insist

log = structlog.get_logger()


def run_package(context: WorkerContext, claim: Claim, stop: Cancellation) -> None:
    """Build and store the archive and complete the job, or open a step again whose artifact is bad."""
    # they have no names, so that a killed worker leaves no customers' names behind; our child opens them by number
    with tempfile.TemporaryFile() as items, tempfile.TemporaryFile() as steps:
        paths = [Path(f"/proc/{os.getpid()}/fd/{file.fileno()}") for file in (items, steps)]
        request = insist(lambda: _request(context, claim, *paths), stop=stop)
        try:
            outcome = context.pool.call(build_archive, request, time_limit=context.limits.package_time, cancelled=stop)
        except BaseException:
            context.artifacts.delete(request.key)
            raise
    match outcome:
        case Archived():
            _complete(context, claim, request.key, outcome, stop)
        case BadArtifacts():
            log.warning("artifacts.bad", job_id=str(claim.job_id), steps=len(outcome.step_ids))
            _reopen(context, claim, outcome, stop)


def _request(context: WorkerContext, claim: Claim, items: Path, steps: Path) -> ArchiveRequest:
    with context.database.reading() as tx:
        job = tx.get(JobRow, claim.job_id)
        if job is None:
            raise ClaimLost(claim)
        document_type, layout = job.document_type, job.layout
        with steps.open("w", encoding="utf-8") as file:
            write_steps(file, _stored(tx, claim.job_id))
        with items.open("w", encoding="utf-8") as file:
            rows = every_item(tx, claim.job_id)
            write_items(file, ((manifest_item(row, document_type, layout), row.reason or "") for row in rows))
    return ArchiveRequest(
        artifacts=context.artifacts_address,
        identity=context.artifacts.identity,
        items=items,
        steps=steps,
        key=str(ArtifactKey(claim.job_id, claim.step_id, claim.attempt)),
        document_type=document_type,
        layout=layout,
        pdf=PdfVariant(job.pdf),
        combined_part=job.combined_part,
        sort=job.sort,
        store_version=job.store_version,
    )


def _stored(tx: Session, job_id: UUID) -> Iterator[StoredDocuments]:
    for step in stored_steps(tx, job_id):
        if step.artifact is not None:
            yield StoredDocuments(step.step_id, step.artifact, step.first_item, step.last_item)


def _complete(context: WorkerContext, claim: Claim, key: str, archive: Archived, stop: Cancellation) -> None:
    def write() -> None:
        with context.database.transaction() as tx:
            complete(
                tx,
                claim,
                archive_key=key,
                archive_bytes=archive.bytes,
                archive_sha256=archive.sha256,
                archive_ttl=context.limits.archive_ttl,
            )

    try:
        insist(write, stop=stop)
    except ClaimLost:
        context.artifacts.delete(key)
        raise


def _reopen(context: WorkerContext, claim: Claim, bad: BadArtifacts, stop: Cancellation) -> None:
    def write() -> None:
        with context.database.transaction() as tx:
            reopen_steps(tx, claim, step_ids=bad.step_ids)

    insist(write, stop=stop)
