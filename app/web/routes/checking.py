"""*Check for e-invoices*: what the store's orders lack, a page at a time."""

from functools import partial
from typing import Annotated, Final

from fastapi import APIRouter, Query, Response

from app.api.schemas import MAX_INTEGER
from app.api.services import ServicesDependency
from app.documents.einvoices.telling import told_of
from app.domain.selection import Selection
from app.exports.checking import page_to_check
from app.web.console import ConsoleDependency
from app.web.visitors import VisitorDependency

router = APIRouter(include_in_schema=False)

_ORDERS: Final = 200
"""On one page: they are read while the visitor waits."""


@router.get("/orders/check")
async def show_check(
    console: ConsoleDependency,
    services: ServicesDependency,
    visitor: VisitorDependency,
    after: Annotated[int, Query(ge=0, le=MAX_INTEGER)] = 0,
) -> Response:
    """The rules that the next orders break, and how many documents each; see `app.documents.einvoices`."""
    async with services.database.reading() as tx:
        page = await tx.run_sync(page_to_check, visitor.owner.store_id, Selection(), after=after, limit=_ORDERS)
    found = await services.threads.run(partial(told_of, page.texts, page.store_settings))
    return console.pages.page(
        "check.html", visitor=visitor, place="orders", found=found, skipped=page.skipped, next_after=page.next_after
    )
