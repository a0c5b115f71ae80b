"""*Orders*: what the store holds, and bringing more in."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Final
from zoneinfo import ZoneInfo

from fastapi import APIRouter, Request, Response
from sqlalchemy.orm import Session

from app.api.auth import require
from app.api.bodies import unpack_file
from app.api.problems import ProblemError
from app.api.routes.orders import imported
from app.api.services import Services, ServicesDependency
from app.database.holdings import Holdings, holdings, newest_orders
from app.database.tables import OrderRow
from app.domain.codes import Problem
from app.domain.principal import Right
from app.web.console import Console, ConsoleDependency
from app.web.stores import zone_of
from app.web.uploads import uploaded_file
from app.web.visitors import Visitor, VisitorDependency

router = APIRouter(include_in_schema=False)

_NEWEST: Final = 20
_OF_THE_FILE: Final = frozenset({Problem.UPLOAD_BROKEN, Problem.PAYLOAD_TOO_LARGE, Problem.UPLOAD_STALLED})
"""Problems that are told beside what is kept of the file."""


@dataclass(frozen=True)
class _Shown:
    holdings: Holdings
    newest: Sequence[OrderRow]
    zone: ZoneInfo


@router.get("/orders")
async def show_orders(console: ConsoleDependency, services: ServicesDependency, visitor: VisitorDependency) -> Response:
    """What the visitor's store holds."""
    return await _page(console, services, visitor)


@router.post("/orders")
async def import_orders(
    request: Request, console: ConsoleDependency, services: ServicesDependency, visitor: VisitorDependency
) -> Response:
    """Store what the file holds, and show what it was; sent again it is harmless."""
    require(visitor.principal, Right.ORDERS)
    limits = services.limits
    file = uploaded_file(request, "file", idle=limits.import_idle)
    try:
        report = await imported(services, visitor.owner, unpack_file(file, at_most=limits.import_max_bytes))
    except ProblemError as problem:
        if problem.problem not in _OF_THE_FILE:
            raise
        kept, status = problem.extra.get("report"), problem.problem.status
        return await _page(console, services, visitor, report=kept, broken=problem.detail, status=status)
    return await _page(console, services, visitor, report=asdict(report))


async def _page(
    console: Console,
    services: Services,
    visitor: Visitor,
    *,
    report: Mapping[str, Any] | None = None,
    broken: str | None = None,
    status: int = 200,
) -> Response:
    owner = visitor.owner

    def read(tx: Session) -> _Shown:
        found = holdings(tx, owner.store_id)
        return _Shown(found, newest_orders(tx, owner.store_id, limit=_NEWEST), zone_of(tx, owner))

    async with services.database.reading() as tx:
        shown = await tx.run_sync(read)
    return console.pages.page(
        "orders.html",
        status=status,
        visitor=visitor,
        place="orders",
        may_import=visitor.principal.may(Right.ORDERS),
        report=report,
        broken=broken,
        **vars(shown),
    )
