"""Cancelling an export, and fetching its archive."""

import base64
from functools import partial
from typing import Annotated, Final
from uuid import UUID

from fastapi import APIRouter, Header, Request, Response
from fastapi.responses import FileResponse

from app.api.auth import PrincipalDependency
from app.api.documenting import Described, documented, problems
from app.api.presenting import export_model, export_path, retry_after
from app.api.problems import ProblemError, not_found, problem_response
from app.api.schemas import ExportModel
from app.api.services import ServicesDependency
from app.api.streaming import part_of, stored_response
from app.artifacts.store import ArtifactMissing
from app.deadline.current import spending, stage
from app.domain.codes import Problem
from app.domain.lifecycle import JobState
from app.exports.cancel import cancel
from app.exports.inspect import ExportView, inspect, view
from app.exports.request import AlreadyFinished

router = APIRouter(tags=["exports"])


@router.post(
    "/v1/exports/{export_id}/cancel",
    status_code=202,
    summary="Cancel an export",
    description=(
        "After a 202 the export never becomes `completed`: it is `cancelled` within two seconds while any worker "
        "runs. Repeating is harmless. If completion came first: 409 with the final state."
    ),
    responses={
        202: {
            "description": "It is `cancelled`, or `cancelling`.",
            "headers": documented(sometimes=("Retry-After",)),
        },
        **problems(Problem.UNAUTHENTICATED, Problem.NOT_FOUND, Problem.ALREADY_FINISHED, Problem.OUTCOME_UNKNOWN),
    },
    response_model=ExportModel,
)
async def cancel_export(export_id: UUID, services: ServicesDependency, principal: PrincipalDependency) -> Response:
    """Ask an export to stop."""
    root_path = services.limits.root_path
    try:
        async with services.database.transaction() as tx:
            job = await tx.run_sync(cancel, principal.owner, export_id)
            if job is None:
                raise not_found()
            answer = _stopping(await tx.run_sync(view, job), root_path)
            stage(unknown=_unknown(export_path(root_path, export_id)), done=answer)
    except AlreadyFinished as finished:
        raise ProblemError(
            Problem.ALREADY_FINISHED, f"The export is {finished.state}.", state=str(finished.state)
        ) from None
    return answer


def _stopping(found: ExportView, root_path: str) -> Response:
    state = found.job.state
    headers = {"Retry-After": retry_after(state)} if state.is_active else None
    return Response(export_model(found, root_path).model_dump_json(), 202, headers, "application/json")


def _unknown(path: str) -> Response:
    return problem_response(
        Problem.OUTCOME_UNKNOWN,
        "The export may have been told to stop. Repeat the cancel: that is harmless, and its answer is certain.",
        headers={"Location": path, "Retry-After": "1"},
        extra={"export": path},
    )


_ZIP: Final = {"application/zip": {"schema": {"type": "string", "format": "binary"}}}
_OF_THE_ARCHIVE: Final = ("ETag", "Repr-Digest", "Content-Disposition", "Accept-Ranges")
_RANGES: Final = {
    "parameters": [
        {
            "name": "Range",
            "in": "header",
            "description": "One range of bytes; several are answered with the whole.",
            "schema": {"type": "string", "examples": ["bytes=0-1023"]},
        },
        {
            "name": "If-Range",
            "in": "header",
            "description": "The `ETag` of what the range is meant for; if it is another by now, all is sent.",
            "schema": {"type": "string"},
        },
    ]
}
_ARCHIVE: Final[Described] = {
    200: {"description": "The ZIP.", "headers": documented(*_OF_THE_ARCHIVE), "content": _ZIP},
    206: {"description": "A part of it.", "headers": documented(*_OF_THE_ARCHIVE, "Content-Range"), "content": _ZIP},
    304: {
        "description": "The archive is the one in `If-None-Match`.",
        "headers": documented("ETag", "Repr-Digest"),
    },
    **problems(
        Problem.PARAMETER_INVALID,
        Problem.UNAUTHENTICATED,
        Problem.NOT_FOUND,
        Problem.NOT_READY,
        Problem.RANGE_NOT_SATISFIABLE,
        Problem.NO_ARCHIVE,
        Problem.ARCHIVE_EXPIRED,
        Problem.ARTIFACTS_UNAVAILABLE,
    ),
}
"""What the archive answers with."""


@router.head(
    "/v1/exports/{export_id}/archive",
    operation_id="describe_archive",
    summary="Look at the archive's headers",
    response_class=FileResponse,
    responses=_ARCHIVE,
    openapi_extra=_RANGES,
)
@router.get(
    "/v1/exports/{export_id}/archive",
    summary="Download the archive",
    description="The ZIP. Supports `Range` and `If-Range`; the strong `ETag` and `Repr-Digest` are of its SHA-256.",
    response_class=FileResponse,
    responses=_ARCHIVE,
    openapi_extra=_RANGES,
)
async def get_archive(
    export_id: UUID,
    request: Request,
    services: ServicesDependency,
    principal: PrincipalDependency,
    if_none_match: Annotated[str | None, Header()] = None,
) -> Response:
    """The finished archive's bytes."""
    async with services.database.reading() as tx:
        found = await tx.run_sync(inspect, principal.owner, export_id)
    if found is None:
        raise not_found()
    job = found.job
    if job.state.is_active:
        raise ProblemError(
            Problem.NOT_READY, f"The export is {job.state}.", headers={"Retry-After": retry_after(job.state)}
        )
    if job.state is not JobState.COMPLETED or job.archive_key is None or job.archive_sha256 is None:
        raise ProblemError(Problem.NO_ARCHIVE, f"The export is {job.state}.", state=str(job.state))
    if found.is_expired:
        raise ProblemError(Problem.ARCHIVE_EXPIRED)
    digest = base64.b64encode(bytes.fromhex(job.archive_sha256)).decode()
    headers = {
        "ETag": f'"{job.archive_sha256}"',
        "Repr-Digest": f"sha-256=:{digest}:",
        "Cache-Control": "private, no-transform",
        "X-Content-Type-Options": "nosniff",
    }
    if if_none_match is not None and headers["ETag"] in if_none_match:
        return Response(status_code=304, headers=headers)
    name = f"{job.document_type.replace('_', '-')}s-{job.created_at:%Y-%m-%d}-{str(job.id)[:8]}.zip"
    headers["Content-Disposition"] = f'attachment; filename="{name}"'
    store = services.artifacts
    try:
        async with spending("artifacts"):
            path = await services.threads.run(partial(store.path, job.archive_key))
            size = await services.threads.run(partial(store.size, job.archive_key))
    except ArtifactMissing:
        # the record says completed and the bytes are gone: an operator's case, never an empty download
        raise ProblemError(Problem.ARTIFACTS_UNAVAILABLE, headers={"Retry-After": "60"}) from None
    if path is not None:
        # the framework sends files; what it would refuse in plain text is refused as a problem before
        part_of(request, etag=headers["ETag"], size=size)
        return FileResponse(path, headers=headers, media_type="application/zip")
    return stored_response(request, store, job.archive_key, size=size, headers=headers, media_type="application/zip")
