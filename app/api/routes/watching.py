"""`GET /v1/exports/{id}/events`: an export's snapshots as server-sent events."""

from typing import Annotated, Final
from uuid import UUID

from fastapi import APIRouter, Header, Response

from app.api.auth import PrincipalDependency
from app.api.documenting import problems
from app.api.events import event_stream
from app.api.presenting import export_model
from app.api.routes.reading import looked_at
from app.api.services import ServicesDependency
from app.api.watching import WatcherDependency
from app.domain.codes import Problem
from app.exports.inspect import ExportView

router = APIRouter(tags=["exports"])

_SNAPSHOT: Final = {
    "type": "object",
    "required": ["event", "id", "data"],
    "properties": {
        "event": {"const": "snapshot"},
        "id": {"type": "string", "pattern": "^[0-9]+$", "description": "The export's revision."},
        "data": {
            "type": "string",
            "contentMediaType": "application/json",
            "contentSchema": {"$ref": "#/components/schemas/ExportModel"},
        },
    },
}
"""One event, as OpenAPI 3.2 describes streams of them."""


@router.get(
    "/v1/exports/{export_id}/events",
    summary="Follow an export",
    description=(
        "Server-sent events: `event: snapshot`, `data` the export as `GET /v1/exports/{export_id}` gives it, `id` its "
        "revision. The first one comes at once, then one whenever it changes, at most two a second, or ten while the "
        "export is nearly over; the last one is that of its final state, and ends the stream. A stream ends after a "
        "minute too: come back with `Last-Event-ID`, as browsers do by themselves, and only what is newer is sent. For "
        "an export that has ended and has nothing newer the answer is 204, after which browsers stay away."
    ),
    response_class=Response,
    responses={
        200: {
            "description": "Snapshots, as they come.",
            "content": {"text/event-stream": {"itemSchema": _SNAPSHOT}},
        },
        204: {"description": "It has ended, and the reader knows."},
        **problems(Problem.UNAUTHENTICATED, Problem.NOT_FOUND),
    },
)
async def follow_export(
    export_id: UUID,
    services: ServicesDependency,
    principal: PrincipalDependency,
    watcher: WatcherDependency,
    last_event_id: Annotated[str | None, Header(description="The revision of the last snapshot that came.")] = None,
) -> Response:
    """Its snapshots from now on."""
    found = await looked_at(services, principal.owner, export_id)
    root_path = services.limits.root_path

    def show(view: ExportView) -> str:
        return export_model(view, root_path).model_dump_json()

    lasts = services.limits.stream_seconds
    return event_stream(watcher, found, last_event=last_event_id, lasts=lasts, show=show)
