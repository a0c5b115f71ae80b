"""An export's progress as it moves, for its page: the part that changes, already made into HTML."""

from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Header, Response

from app.api.events import event_stream
from app.api.routes.reading import looked_at
from app.api.services import ServicesDependency
from app.api.watching import WatcherDependency
from app.exports.inspect import ExportView
from app.web.console import ConsoleDependency
from app.web.stores import zone_of
from app.web.telling import Teller
from app.web.visitors import VisitorDependency

router = APIRouter(include_in_schema=False)


@router.get("/exports/{export_id}/events")
async def follow_export(
    export_id: UUID,
    console: ConsoleDependency,
    services: ServicesDependency,
    visitor: VisitorDependency,
    watcher: WatcherDependency,
    last_event_id: Annotated[str | None, Header()] = None,
) -> Response:
    """Its snapshots from now on, as the API's route has them."""
    found = await looked_at(services, visitor.owner, export_id)
    async with services.database.reading() as tx:
        zone = await tx.run_sync(zone_of, visitor.owner)
    pages = console.pages
    teller = Teller(pages.texts, pages.formats, zone)

    def show(view: ExportView) -> str:
        return pages.text("live.html", {"told": teller.tell(view)})

    lasts = services.limits.stream_seconds
    return event_stream(watcher, found, last_event=last_event_id, lasts=lasts, show=show)
