"""`POST /v1/orders/check`: what the store's orders lack for e-invoices, a page at a time."""

import json
from functools import partial
from typing import Any, Final

from fastapi import APIRouter, Request
from pydantic import ValidationError

from app.api.auth import PrincipalDependency
from app.api.bodies import read_json
from app.api.check_schemas import CheckBody, OrdersCheck
from app.api.cursors import decode, encode
from app.api.documenting import problems
from app.api.problems import ProblemError, field_errors
from app.api.routes.creating import BODY_REFUSALS, look, selection_of
from app.api.schemas import MAX_INTEGER
from app.api.services import ServicesDependency
from app.database.stores import time_zone_of
from app.documents.einvoices.telling import told_of
from app.domain.codes import Problem
from app.domain.principal import Owner
from app.domain.selection import Selection
from app.exports.checking import page_to_check

router = APIRouter(tags=["orders"])

_BODY: Final[dict[str, Any]] = {
    "requestBody": {
        "required": True,
        "content": {
            "application/json": {
                "schema": {"$ref": "#/components/schemas/CheckBody"},
                "example": {"selection": {"statuses": ["completed"]}, "limit": 100},
            }
        },
    }
}


@router.post(
    "/v1/orders/check",
    response_model=OrdersCheck,
    summary="Check orders for e-invoices",
    description=(
        "Whether the selected orders and their refunds hold what an e-invoice of EN 16931 must say (Factur-X, "
        "XRechnung, Peppol): each rule that one breaks, with the place and what to do. Nothing is made or kept. "
        "Orders of which no invoice is owed are skipped unless they, or their status, are named. Ask on with `cursor` "
        "until `next` is null."
    ),
    responses=problems(*BODY_REFUSALS, Problem.CURSOR_INVALID, Problem.UNAUTHENTICATED),
    openapi_extra=_BODY,
)
async def check_orders(request: Request, services: ServicesDependency, principal: PrincipalDependency) -> OrdersCheck:
    """Look at a page of orders; see `app.documents.einvoices`."""
    owner, limits = principal.owner, services.limits
    body = await read_json(request, at_most=limits.body_max_bytes, idle=limits.import_idle)
    async with services.database.reading() as tx:
        time_zone = await tx.run_sync(time_zone_of, owner.store_id)
        wanted, selection = await look(services, body, partial(_read, time_zone=time_zone))
        listing = f"orders/check?{json.dumps(selection.to_json(), sort_keys=True)}"
        after = 0 if wanted.cursor is None else _after(decode(owner, listing, wanted.cursor))
        page = await tx.run_sync(page_to_check, owner.store_id, selection, after=after, limit=wanted.limit)
    # outside of the transaction, and in a thread: a page of orders is read for some tenths of a second
    found = await services.threads.run(partial(told_of, page.texts, page.store_settings))
    return OrdersCheck(
        **found, skipped=page.skipped, not_found=list(page.not_found), next=_next(owner, listing, page.next_after)
    )


def _read(body: Any, *, time_zone: str) -> tuple[CheckBody, Selection]:
    try:
        wanted = CheckBody.model_validate(body)
    except ValidationError as error:
        raise ProblemError(Problem.INVALID_REQUEST, errors=field_errors(error.errors())) from None
    return wanted, selection_of(wanted.selection, time_zone)


def _after(values: list[Any]) -> int:
    """Of a cursor: the order's id behind which the list goes on; raises the problem `cursor_invalid`."""
    match values:
        case [int() as after] if not isinstance(after, bool) and 0 <= after <= MAX_INTEGER:
            return after
        case _:
            raise ProblemError(Problem.CURSOR_INVALID)


def _next(owner: Owner, listing: str, after: int | None) -> str | None:
    return None if after is None else encode(owner, listing, [after])
