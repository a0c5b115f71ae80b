"""`GET /v1/exports/{id}/archive`: the finished ZIP, or a part of it."""

from functools import partial
from typing import Annotated, Final
from uuid import UUID

from fastapi import APIRouter, Header, Request, Response
from fastapi.responses import FileResponse

from app.api.auth import PrincipalDependency
from app.api.conditions import is_named
from app.api.digests import repr_digest
from app.api.documenting import Described, documented, problems
from app.api.presenting import retry_after
from app.api.problems import ProblemError, not_found
from app.api.services import Services, ServicesDependency
from app.api.streaming import file_response, stored_response
from app.artifacts.store import ArtifactMissing
from app.deadline.current import spending
from app.domain.codes import Problem
from app.domain.lifecycle import JobState
from app.domain.principal import Owner
from app.exports.inspect import inspect

router = APIRouter(tags=["exports"])

_ZIP: Final = {"application/zip": {"schema": {"type": "string", "format": "binary"}}}
_HEADERS: Final = ("ETag", "Repr-Digest", "Content-Disposition", "Accept-Ranges")
_PROBLEMS: Final = (
    Problem.UNAUTHENTICATED,
    Problem.NOT_FOUND,
    Problem.NOT_READY,
    Problem.NO_ARCHIVE,
    Problem.ARCHIVE_EXPIRED,
    Problem.ARTIFACTS_UNAVAILABLE,
)
_WHOLE: Final[Described] = {
    200: {"description": "The ZIP.", "headers": documented(*_HEADERS), "content": _ZIP},
    304: {
        "description": "The archive is the one in `If-None-Match`.",
        "headers": documented("ETag", "Repr-Digest"),
    },
}
_LOOKED_AT: Final[Described] = {
    200: {"description": "Its headers, as a download has them.", "headers": documented(*_HEADERS)},
    304: _WHOLE[304],
}
_PART: Final[Described] = {
    206: {"description": "A part of it.", "headers": documented(*_HEADERS, "Content-Range"), "content": _ZIP},
}


@router.head(
    "/v1/exports/{export_id:export}/archive",
    operation_id="describe_archive",
    summary="Look at the archive's headers",
    description="Its name, size, `ETag` and `Repr-Digest`, without its bytes.",
    response_class=Response,
    responses={**_LOOKED_AT, **problems(*_PROBLEMS)},
)
@router.get(
    "/v1/exports/{export_id:export}/archive",
    summary="Download the archive",
    description="The ZIP. Supports `Range` and `If-Range`; the strong `ETag` and `Repr-Digest` are of its SHA-256.",
    response_class=FileResponse,
    responses={**_WHOLE, **_PART, **problems(*_PROBLEMS, Problem.RANGE_NOT_SATISFIABLE)},
    openapi_extra={
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
    },
)
async def get_archive(
    export_id: UUID,
    request: Request,
    services: ServicesDependency,
    principal: PrincipalDependency,
    if_none_match: Annotated[str | None, Header()] = None,
) -> Response:
    """The finished archive's bytes."""
    return await archive_of(request, services, principal.owner, export_id, if_none_match=if_none_match)


async def archive_of(
    request: Request, services: Services, owner: Owner, export_id: UUID, *, if_none_match: str | None
) -> Response:
    """The archive, or the part of it that is asked for; raises the problems of this route."""
    async with services.database.reading() as tx:
        found = await tx.run_sync(inspect, owner, export_id)
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
    headers = {
        "ETag": f'"{job.archive_sha256}"',
        "Repr-Digest": repr_digest(job.archive_sha256),
        "Cache-Control": "private, no-transform",
        "X-Content-Type-Options": "nosniff",
    }
    if is_named(headers["ETag"], if_none_match):
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
        return file_response(request, path, size=size, headers=headers, media_type="application/zip")
    return stored_response(request, store, job.archive_key, size=size, headers=headers, media_type="application/zip")
