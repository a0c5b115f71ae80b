"""From a job to the JSON that its owner sees."""

from uuid import UUID

from app.api.schemas import ArchiveBody, Counts, ExportModel, JobFailureBody, Links
from app.domain.codes import failure_sentence
from app.domain.lifecycle import JobState
from app.domain.pdf_variants import PdfVariant
from app.domain.selection import Sort, asked_for
from app.exports.inspect import ExportView


def export_path(root_path: str, job_id: UUID) -> str:
    """The path-absolute address of an export."""
    return f"{root_path}/v1/exports/{job_id}"


def export_model(view: ExportView, root_path: str) -> ExportModel:
    """The export's representation."""
    job = view.job
    path = export_path(root_path, job.id)
    return ExportModel(
        id=job.id,
        state=job.state,
        phase=job.phase,
        document_type=job.document_type,
        layout=job.layout,
        pdf=PdfVariant(job.pdf),
        sort=Sort(job.sort),
        filename_pattern=job.filename_pattern,
        selection=asked_for(job.selection),
        counts=Counts(requested=job.requested, rendered=job.rendered, failed=job.failed, skipped=job.skipped),
        percent=view.percent,
        seconds_left=view.seconds_left,
        queue_position=view.queue_position,
        starts_in_seconds=view.starts_in_seconds,
        waiting_for=view.waiting_for,
        store_version=job.store_version,
        undated_orders=job.undated,
        failure=_failure(job.failure_code, job.failure_note),
        archive=_archive(view),
        idempotency_key=job.idempotency_key,
        trace_parent=job.trace_parent,
        retry_of=job.retry_of,
        created_at=job.created_at,
        started_at=job.started_at,
        planned_at=job.planned_at,
        cancel_requested_at=job.cancel_requested_at,
        finished_at=job.finished_at,
        revision=job.revision,
        links=Links(
            self=path,
            cancel=f"{path}/cancel",
            retry=f"{path}/retry",
            retries=f"{root_path}/v1/exports?retry_of={job.id}",
            failures=f"{path}/failures",
            manifest=f"{path}/manifest",
            archive=f"{path}/archive",
        ),
    )


def retry_after(state: JobState) -> str:
    """Whole seconds until asking again is useful."""
    return "2" if state is JobState.QUEUED else "1"


def _failure(code: str | None, note: str | None) -> JobFailureBody | None:
    if code is None:
        return None
    reason = failure_sentence(code)
    return JobFailureBody(code=code, reason=reason if note is None else f"{reason.rstrip('.')}: {note}")


def _archive(view: ExportView) -> ArchiveBody | None:
    job = view.job
    if job.archive_bytes is None or job.archive_sha256 is None or job.expires_at is None:
        return None
    return ArchiveBody(
        bytes=job.archive_bytes, sha256=job.archive_sha256, expires_at=job.expires_at, is_expired=view.is_expired
    )
