"""*One export*: how it goes, what became of its items, and where its archive is."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Final
from uuid import UUID, uuid4
from zoneinfo import ZoneInfo

from fastapi import APIRouter, Query, Response
from sqlalchemy.orm import Session

from app.api.presenting import retry_after
from app.api.problems import not_found
from app.api.routes.items import NOT_RENDERED
from app.api.services import ServicesDependency
from app.database.items import count_codes, count_warned, list_items, list_warned
from app.database.jobs import find_job, list_jobs
from app.database.tables import ItemRow, JobRow
from app.domain.lifecycle import Outcome
from app.domain.manifest import ManifestItem
from app.exports.inspect import inspect
from app.exports.manifest import manifest_item
from app.web.console import ConsoleDependency
from app.web.stores import zone_of
from app.web.telling import Teller, Told
from app.web.visitors import VisitorDependency

router = APIRouter(include_in_schema=False)

Ordinal = Annotated[int, Query(ge=0, lt=2**31)]
"""Behind which item a page of items begins."""
_ROWS: Final = 50
_RETRIES: Final = 5


@dataclass(frozen=True)
class _Shown:
    told: Told
    zone: ZoneInfo
    codes: Sequence[tuple[Outcome, str, int]]
    items: Sequence[ItemRow]
    next_after: int | None
    """The ordinal behind which the next page of items begins."""
    odd: Sequence[ManifestItem]
    """Items that were made, but with warnings."""
    odd_count: int
    odd_next: int | None
    """As `next_after`, of these."""
    retries: Sequence[JobRow]
    parent: JobRow | None


@router.get("/exports/{export_id}")
async def show_export(
    export_id: UUID,
    console: ConsoleDependency,
    services: ServicesDependency,
    visitor: VisitorDependency,
    code: Annotated[str | None, Query(max_length=64)] = None,
    after: Ordinal = 0,
    odd_after: Ordinal = 0,
) -> Response:
    """The visitor's export; `code` and `after` choose among items without a document, `odd_after` among odd ones."""
    owner = visitor.owner

    def read(tx: Session) -> _Shown:
        found = inspect(tx, owner, export_id)
        if found is None:
            raise not_found()
        zone = zone_of(tx, owner)
        job = found.job
        rows = list_items(tx, job.id, after=after, limit=_ROWS + 1, not_rendered=NOT_RENDERED, code=code)
        odd = list_warned(tx, job.id, after=odd_after, limit=_ROWS + 1)
        return _Shown(
            told=Teller(console.pages.texts, console.pages.formats, zone).tell(found),
            zone=zone,
            codes=count_codes(tx, job.id),
            items=rows[:_ROWS],
            next_after=_next(rows),
            odd=[manifest_item(row, job.document_type, job.layout) for row in odd[:_ROWS]],
            odd_count=count_warned(tx, job.id),
            odd_next=_next(odd),
            retries=list_jobs(tx, owner, states=(), key=None, retry_of=job.id, after=None, limit=_RETRIES),
            parent=None if job.retry_of is None else find_job(tx, owner, job.retry_of),
        )

    async with services.database.reading() as tx:
        shown = await tx.run_sync(read)
    job = shown.told.view.job
    headers = {"Retry-After": retry_after(job.state)} if job.state.is_active else None
    return console.pages.page(
        "export.html",
        headers=headers,
        visitor=visitor,
        place="export",
        code=code,
        retry_key=uuid4().hex,
        **vars(shown),
    )


def _next(rows: Sequence[ItemRow]) -> int | None:
    return rows[_ROWS - 1].ordinal if len(rows) > _ROWS else None
