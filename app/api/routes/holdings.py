"""`GET /v1/orders` and its summary: what the owner's store holds."""

from datetime import UTC, datetime
from typing import Annotated, Any
from urllib.parse import urlencode

from fastapi import APIRouter, Query

from app.api.auth import PrincipalDependency
from app.api.cursors import decode, encode
from app.api.documenting import problems
from app.api.order_schemas import OrderList, OrderModel, OrdersSummary, StatusCount
from app.api.problems import ProblemError
from app.api.routes.reading import Cursor, Limit
from app.api.schemas import MAX_INTEGER, Text
from app.api.services import ServicesDependency
from app.database.holdings import holdings, newest_orders
from app.database.tables import OrderRow
from app.domain.codes import Problem

router = APIRouter(tags=["orders"])


@router.get(
    "/v1/orders",
    summary="List the store's orders",
    description="Newest first by the orders' own dates, as the last import brought them.",
    responses=problems(Problem.PARAMETER_INVALID, Problem.CURSOR_INVALID, Problem.UNAUTHENTICATED),
)
async def list_orders(
    services: ServicesDependency,
    principal: PrincipalDependency,
    status: Annotated[
        list[Text] | None, Query(max_length=100, description="Only these statuses; may be repeated.")
    ] = None,
    limit: Limit = 100,
    cursor: Cursor = None,
) -> OrderList:
    """A page of the store's orders."""
    owner = principal.owner
    filters = [("status", one) for one in status or []]
    listing = f"orders?{urlencode(filters)}"
    after = None if cursor is None else _after(decode(owner, listing, cursor))
    async with services.database.reading() as tx:
        rows = await tx.run_sync(newest_orders, owner.store_id, limit=limit + 1, statuses=status or (), after=after)
    following = None
    if len(rows) > limit:
        last = rows[limit - 1]
        place = [None if last.created_at is None else last.created_at.isoformat(), last.id]
        query = [*filters, ("limit", limit), ("cursor", encode(owner, listing, place))]
        following = f"{services.limits.root_path}/v1/orders?{urlencode(query)}"
    return OrderList(items=[_order(row) for row in rows[:limit]], next=following)


@router.get(
    "/v1/orders/summary",
    summary="Count the store's orders",
    description="How many orders of which status the store holds, and of which time they are.",
    responses=problems(Problem.UNAUTHENTICATED),
)
async def summarize_orders(services: ServicesDependency, principal: PrincipalDependency) -> OrdersSummary:
    """The counts of the store's orders."""
    async with services.database.reading() as tx:
        found = await tx.run_sync(holdings, principal.owner.store_id)
    return OrdersSummary(
        orders=found.orders,
        statuses=[StatusCount(status=status, orders=count) for status, count in found.statuses],
        undated=found.undated,
        first_at=found.first_at,
        last_at=found.last_at,
        refunds=found.refunds,
    )


def _order(row: OrderRow) -> OrderModel:
    return OrderModel(
        order_id=row.shop_id,
        number=row.number,
        status=row.status,
        created_at=row.created_at,
        customer_id=row.customer_id,
        customer=row.customer,
        country=row.country,
        currency=row.currency,
        part_of=row.parent_id,
    )


def _after(values: list[Any]) -> tuple[datetime | None, int]:
    """Of a cursor: the order behind which the list goes on; raises the problem `cursor_invalid`."""
    try:
        text, row_id = values
        instant = None if text is None else datetime.fromisoformat(text).astimezone(UTC)
    except (ValueError, TypeError, OverflowError):
        raise ProblemError(Problem.CURSOR_INVALID) from None
    if not isinstance(row_id, int) or isinstance(row_id, bool) or not 0 <= row_id <= MAX_INTEGER:
        raise ProblemError(Problem.CURSOR_INVALID)
    return instant, row_id
