"""Looking at exports: the list of them, and one."""

import re
import time
from datetime import UTC, datetime
from math import inf
from typing import Annotated, Any
from urllib.parse import urlencode
from uuid import UUID

from fastapi import APIRouter, Header, Query, Response

from app.api.auth import PrincipalDependency, TokenDependency, unauthenticated
from app.api.conditions import is_named
from app.api.cursors import decode, encode
from app.api.deadlines import MAX_WAIT
from app.api.documenting import documented, problems
from app.api.presenting import export_model, retry_after
from app.api.problems import ProblemError, not_found
from app.api.schemas import ExportList, ExportModel
from app.api.services import Services, ServicesDependency
from app.api.watching import WatcherDependency
from app.database.jobs import list_jobs
from app.database.looking import look
from app.database.tables import JobRow
from app.deadline.current import current
from app.domain.codes import Problem
from app.domain.lifecycle import JobState
from app.domain.principal import Owner
from app.exports.inspect import ExportView, inspect, view_looked_at, views

router = APIRouter(tags=["exports"])

Limit = Annotated[int, Query(ge=1, le=1000, description="Rows in one answer.")]
Cursor = Annotated[str | None, Query(max_length=1000, description="From the `next` link of the page before.")]

_TO_ANSWER = 0.25
"""Seconds of a caller's own deadline that a waiting look keeps, to look once more and answer."""


@router.get(
    "/v1/exports",
    summary="List exports",
    description="The owner's exports, newest first.",
    responses=problems(Problem.PARAMETER_INVALID, Problem.CURSOR_INVALID, Problem.UNAUTHENTICATED),
)
async def list_exports(
    services: ServicesDependency,
    principal: PrincipalDependency,
    state: Annotated[list[JobState] | None, Query(description="Only these states; may be repeated.")] = None,
    idempotency_key: Annotated[str | None, Query(pattern=r"^[\x21-\x7e]{1,255}$")] = None,
    retry_of: Annotated[UUID | None, Query(description="Only the retries of this export.")] = None,
    limit: Limit = 100,
    cursor: Cursor = None,
) -> ExportList:
    """A page of the owner's exports."""
    owner = principal.owner
    filters = [("state", one.value) for one in state or []]
    if idempotency_key is not None:
        filters.append(("idempotency_key", idempotency_key))
    if retry_of is not None:
        filters.append(("retry_of", str(retry_of)))
    listing = f"exports?{urlencode(filters)}"
    after = after_job(decode(owner, listing, cursor)) if cursor is not None else None
    root = services.limits.root_path
    async with services.database.reading() as tx:
        jobs = await tx.run_sync(
            list_jobs,
            owner,
            states=state or [],
            key=idempotency_key,
            retry_of=retry_of,
            after=after,
            limit=limit + 1,
        )
        page = await tx.run_sync(views, jobs[:limit])
    next_page = None
    if len(jobs) > limit:
        last = jobs[limit - 1]
        query = [
            *filters,
            ("limit", limit),
            ("cursor", encode(owner, listing, [last.created_at.isoformat(), str(last.id)])),
        ]
        next_page = f"{root}/v1/exports?{urlencode(query)}"
    return ExportList(items=[export_model(one, root) for one in page], next=next_page)


@router.get(
    "/v1/exports/{export_id:export}",
    summary="Look at an export",
    description=(
        "`ETag` is the revision: send it as `If-None-Match` and an unchanged export answers 304. "
        f"`Prefer: wait=N` (at most {MAX_WAIT:g}) waits up to N seconds for a newer revision."
    ),
    response_model=ExportModel,
    responses={
        200: {"description": "As it stands.", "headers": documented("ETag", sometimes=("Retry-After",))},
        304: {
            "description": "Nothing has changed since the revision in `If-None-Match`.",
            "headers": documented("ETag", sometimes=("Retry-After",)),
        },
        **problems(Problem.UNAUTHENTICATED, Problem.NOT_FOUND),
    },
)
async def get_export(
    export_id: UUID,
    response: Response,
    services: ServicesDependency,
    token: TokenDependency,
    watcher: WatcherDependency,
    if_none_match: Annotated[str | None, Header()] = None,
    prefer: Annotated[str | None, Header()] = None,
) -> ExportModel | Response:
    """One export, now or at its next change."""
    give_up_at = time.monotonic() + min(_wait(prefer), _patience())
    while True:
        job, view = await _polled(services, token, export_id, if_none_match)
        left = give_up_at - time.monotonic()
        if view is not None or not job.state.is_active or left <= 0 or watcher.is_ending:
            break
        # no connection is held meanwhile, and however many wait, they are looked for at once
        await watcher.wait_for_news(export_id, lambda found: is_named(_etag(found), if_none_match), within=left)
    headers = {"ETag": _etag(job), "Cache-Control": "private, no-cache"}
    if job.state.is_active:
        headers["Retry-After"] = retry_after(job.state)
    if view is None:
        return Response(status_code=304, headers=headers)
    response.headers.update(headers)
    return export_model(view, services.limits.root_path)


async def _polled(
    services: Services, token: str, export_id: UUID, if_none_match: str | None
) -> tuple[JobRow, ExportView | None]:
    """The export of a token's owner, without a view if its revision is known; raises problems."""
    async with services.database.reading() as tx:
        found = await tx.run_sync(look, token, export_id)
        if found is None:
            raise unauthenticated()
        if found.job is None:
            raise not_found()
        if is_named(_etag(found.job), if_none_match):
            return found.job, None
        return found.job, await tx.run_sync(view_looked_at, found.job, found)


def _etag(job: JobRow) -> str:
    return f'"{job.revision}"'


def _wait(prefer: str | None) -> float:
    asked = re.search(r"(?:^|[,;\s])wait\s*=\s*\"?(\d{1,6})", prefer or "")
    return min(float(asked[1]), MAX_WAIT) if asked else 0.0


def _patience() -> float:
    """How long the caller's deadline lets us wait; it is answered before its end, not at it."""
    deadline = current()
    return inf if deadline is None else deadline.left() - _TO_ANSWER


async def looked_at(services: Services, owner: Owner, export_id: UUID) -> ExportView:
    """The owner's export as it stands; raises the problem `not_found`."""
    async with services.database.reading() as tx:
        found = await tx.run_sync(inspect, owner, export_id)
    if found is None:
        raise not_found()
    return found


def after_job(values: list[Any]) -> tuple[datetime, UUID]:
    """Of a cursor: the export behind which a list goes on; raises the problem `cursor_invalid`."""
    try:
        text, job_id = values
        instant = datetime.fromisoformat(text)
        if instant.tzinfo is None:
            raise ProblemError(Problem.CURSOR_INVALID)
        return instant.astimezone(UTC), UUID(job_id)
    except (ValueError, TypeError, AttributeError, OverflowError):
        raise ProblemError(Problem.CURSOR_INVALID) from None
