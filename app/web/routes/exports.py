"""*Exports*: the one at work, and those that have ended, newest first."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated
from urllib.parse import urlencode
from uuid import uuid4
from zoneinfo import ZoneInfo

from fastapi import APIRouter, Query, Response
from sqlalchemy.orm import Session

from app.api.cursors import decode, encode
from app.api.presenting import retry_after
from app.api.routes.reading import Cursor, after_job
from app.api.services import ServicesDependency
from app.database.jobs import list_jobs
from app.database.orders import has_orders
from app.domain.lifecycle import ACTIVE, JobState
from app.exports.inspect import views
from app.web.console import ConsoleDependency
from app.web.stores import zone_of
from app.web.telling import Teller, Told
from app.web.visitors import VisitorDependency

router = APIRouter(include_in_schema=False)


@dataclass(frozen=True)
class _Shown:
    active: Told | None
    ended: Sequence[Told]
    next: str | None
    """The query of the page behind this one."""
    has_orders: bool
    zone: ZoneInfo


_ROWS = 20
_ENDED = (JobState.COMPLETED, JobState.FAILED, JobState.CANCELLED)


@router.get("/exports")
async def show_exports(
    console: ConsoleDependency,
    services: ServicesDependency,
    visitor: VisitorDependency,
    state: Annotated[JobState | None, Query()] = None,
    cursor: Cursor = None,
) -> Response:
    """A page of the visitor's exports."""
    owner = visitor.owner
    states = [state] if state in _ENDED else _ENDED
    listing = f"pages?{','.join(states)}"
    after = after_job(decode(owner, listing, cursor)) if cursor is not None else None

    def read(tx: Session) -> _Shown:
        zone = zone_of(tx, owner)
        teller = Teller(console.pages.texts, console.pages.formats, zone)
        nothing_else = {"key": None, "retry_of": None}
        active = list_jobs(tx, owner, states=list(ACTIVE), after=None, limit=1, **nothing_else)
        ended = list_jobs(tx, owner, states=list(states), after=after, limit=_ROWS + 1, **nothing_else)
        told = [teller.tell(view) for view in views(tx, [*active, *ended[:_ROWS]])]
        following = None
        if len(ended) > _ROWS:
            last = ended[_ROWS - 1]
            found = encode(owner, listing, [last.created_at.isoformat(), str(last.id)])
            following = urlencode([*([("state", state)] if len(states) == 1 else []), ("cursor", found)])
        return _Shown(
            active=told[0] if active else None,
            ended=told[len(active) :],
            next=following,
            has_orders=bool(told) or has_orders(tx, owner.store_id),
            zone=zone,
        )

    async with services.database.reading() as tx:
        shown = await tx.run_sync(read)
    active = shown.active
    headers = {"Retry-After": retry_after(active.view.job.state)} if active is not None else None
    return console.pages.page(
        "exports.html",
        headers=headers,
        visitor=visitor,
        place="exports",
        chosen=state if len(states) == 1 else None,
        is_first=cursor is None,
        key=uuid4().hex,
        **vars(shown),
    )
