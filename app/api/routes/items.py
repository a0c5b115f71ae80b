"""The items of an export, as lists of its owner: what has no document, and every one with where it is."""

from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from typing import Any, Final
from urllib.parse import urlencode
from uuid import UUID

from fastapi import APIRouter, Request, Response
from fastapi.responses import StreamingResponse

from app.api.auth import PrincipalDependency
from app.api.cursors import decode, encode
from app.api.documenting import Described, documented, problems
from app.api.places import CARRIED, places_behind
from app.api.presenting import export_path
from app.api.problems import ProblemError
from app.api.routes.reading import Cursor, Limit, looked_at
from app.api.schemas import FailureList, ManifestList
from app.api.services import Services, ServicesDependency
from app.database.items import list_items
from app.database.tables import ItemRow, JobRow
from app.domain.codes import Problem
from app.domain.layouts import Layout
from app.domain.lifecycle import Outcome
from app.domain.manifest import COLUMNS, COMBINED_COLUMNS, failures_csv, manifest_csv
from app.exports.manifest import failure

router = APIRouter(tags=["exports"])

_LIST: Described = {
    200: {
        "description": "A page, or all as CSV.",
        "headers": documented(sometimes=("Content-Disposition",)),
        "content": {"text/csv": {"schema": {"type": "string"}}},
    },
    **problems(
        Problem.PARAMETER_INVALID,
        Problem.CURSOR_INVALID,
        Problem.UNAUTHENTICATED,
        Problem.NOT_FOUND,
        Problem.NOT_ACCEPTABLE,
    ),
}
"""What a list of items can answer with."""
NOT_RENDERED: Final = (Outcome.FAILED, Outcome.SKIPPED)


@router.get(
    "/v1/exports/{export_id:export}/failures",
    summary="List failed and skipped items",
    description="In every state. JSON in pages, or all of it as CSV with `Accept: text/csv`.",
    response_model=FailureList,
    responses=_LIST,
)
async def list_failures(
    export_id: UUID,
    request: Request,
    services: ServicesDependency,
    principal: PrincipalDependency,
    limit: Limit = 100,
    cursor: Cursor = None,
) -> FailureList | Response:
    """What has no document, and why."""
    job = (await looked_at(services, principal.owner, export_id)).job
    if _wants_csv(request):
        return failures_as_csv(services, job)
    listing = _listing("failures", job)
    after = 0 if cursor is None else _behind(decode(principal.owner, listing, cursor))[0]
    rows, is_last = await _rows(services, job, NOT_RENDERED, after=after, limit=limit)
    items = [failure(row, job.document_type) for row in rows]
    following = None if is_last else encode(principal.owner, listing, [rows[-1].ordinal])
    return FailureList(items=items, next=_next(services, job, "failures", limit=limit, cursor=following))


@router.get(
    "/v1/exports/{export_id:export}/manifest",
    summary="List every item",
    description="In every state. JSON in pages, or all of it as CSV with `Accept: text/csv`.",
    response_model=ManifestList,
    responses=_LIST,
)
async def list_manifest(
    export_id: UUID,
    request: Request,
    services: ServicesDependency,
    principal: PrincipalDependency,
    limit: Limit = 100,
    cursor: Cursor = None,
) -> ManifestList | Response:
    """Every item with its outcome, and where its document is."""
    job = (await looked_at(services, principal.owner, export_id)).job
    if _wants_csv(request):
        return await manifest_as_csv(services, job)
    listing = _listing("manifest", job)
    after, *carried = [0] if cursor is None else _behind(decode(principal.owner, listing, cursor))
    places = await places_behind(services, job, after, carried)
    rows, is_last = await _rows(services, job, (), after=after, limit=limit)
    items = places.items(rows)
    following = None if is_last else encode(principal.owner, listing, [rows[-1].ordinal, *places.carried()])
    return ManifestList(items=items, next=_next(services, job, "manifest", limit=limit, cursor=following))


def failures_as_csv(services: Services, job: JobRow) -> Response:
    """All that has no document, as one file."""

    def lines(rows: Sequence[ItemRow]) -> Iterator[str]:
        return failures_csv(failure(row, job.document_type) for row in rows)

    return _csv(services, job, NOT_RENDERED, lines, "failures")


async def manifest_as_csv(services: Services, job: JobRow) -> Response:
    """Every item, as one file."""
    every = await places_behind(services, job, 0, ())
    columns = COMBINED_COLUMNS if Layout(job.layout).has_combined_files else COLUMNS
    return _csv(services, job, (), lambda rows: manifest_csv(every.items(rows), columns), "manifest")


def _listing(name: str, job: JobRow) -> str:
    return f"{name}:{job.id}"


async def _rows(
    services: Services, job: JobRow, outcomes: Sequence[Outcome], *, after: int, limit: int
) -> tuple[list[ItemRow], bool]:
    """A page of rows, and whether it is the last one."""
    async with services.database.reading() as tx:
        rows = await tx.run_sync(list_items, job.id, after=after, limit=limit + 1, not_rendered=outcomes)
    return rows[:limit], len(rows) <= limit


def _next(services: Services, job: JobRow, name: str, *, limit: int, cursor: str | None) -> str | None:
    if cursor is None:
        return None
    return f"{export_path(services.limits.root_path, job.id)}/{name}?{urlencode({'limit': limit, 'cursor': cursor})}"


def _csv(
    services: Services,
    job: JobRow,
    outcomes: Sequence[Outcome],
    write: Callable[[Sequence[ItemRow]], Iterator[str]],
    name: str,
) -> Response:
    async def pieces() -> AsyncIterator[str]:
        after = 0
        is_first = True
        while True:
            async with services.database.reading() as tx:
                rows = await tx.run_sync(list_items, job.id, after=after, limit=1000, not_rendered=outcomes)
            lines = list(write(rows))
            # each call begins with the header; only the first page keeps it
            for line in lines if is_first else lines[1:]:
                yield line
            if not rows:
                return
            is_first = False
            after = rows[-1].ordinal

    return StreamingResponse(
        pieces(),
        media_type="text/csv; charset=utf-8",
        headers={"Content-Disposition": f'attachment; filename="{name}-{job.id}.csv"'},
    )


def _wants_csv(request: Request) -> bool:
    """Whether CSV is preferred; raises the problem `not_acceptable` if neither form fits."""
    accepted = {part.partition(";")[0].strip().lower() for part in request.headers.get("accept", "*/*").split(",")}
    if accepted & {"application/json", "application/*", "*/*", ""}:
        return "text/csv" in accepted and "application/json" not in accepted
    if accepted & {"text/csv", "text/*"}:
        return True
    raise ProblemError(Problem.NOT_ACCEPTABLE, "This list comes as application/json or text/csv.")


def _behind(values: list[Any]) -> list[int]:
    """An ordinal, and for a manifest with places what `Places.carried` has told."""
    if len(values) not in {1, 1 + CARRIED} or not all(_is_count(value) for value in values):
        raise ProblemError(Problem.CURSOR_INVALID)
    return values


def _is_count(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 2**31
