"""`POST /v1/orders/import`: orders come in as a stream and are committed in batches."""

from collections.abc import AsyncIterator
from contextlib import suppress
from dataclasses import asdict
from typing import Final
from zoneinfo import ZoneInfo

from anyio import to_thread
from fastapi import APIRouter, Request

from app.api.auth import PrincipalDependency, require
from app.api.bodies import read_upload
from app.api.documenting import problems
from app.api.problems import ProblemError
from app.api.schemas import ImportReportModel
from app.api.services import Services, ServicesDependency
from app.database.stores import time_zone_of
from app.domain.codes import Problem
from app.domain.principal import Owner, Right
from app.orders.broken import BrokenUpload
from app.orders.importing import Batch, Import, ImportReport

router = APIRouter(tags=["orders"])

_PIECE = 1 << 20
"""Bytes that are read ahead of parsing, so that a thread is asked once a megabyte and not once a packet."""

_EXAMPLE: Final = [
    {
        "id": 7102,
        "number": "7102",
        "status": "completed",
        "currency": "EUR",
        "date_created_gmt": "2026-11-01T09:12:44",
        "total": "24.00",
        "total_tax": "4.00",
        "billing": {"first_name": "Ada", "last_name": "Vogel", "city": "Kiel", "country": "DE"},
        "line_items": [{"id": 1, "name": "Lantern", "quantity": 2, "total": "20.00", "total_tax": "4.00"}],
    }
]
"""The least of an order that makes an invoice; a shop tells much more."""


@router.post(
    "/v1/orders/import",
    summary="Import orders",
    description=(
        "WooCommerce REST orders: one object, a list, NDJSON, or the envelopes `data`, `orders`, `order`. "
        "NDJSON may be called `application/x-ndjson`. Plain or gzip. Committed in batches of 500; sending the same "
        "upload again is harmless. Refund objects are kept under their order."
    ),
    responses=problems(
        Problem.UPLOAD_BROKEN,
        Problem.UNAUTHENTICATED,
        Problem.RIGHT_MISSING,
        Problem.UPLOAD_STALLED,
        Problem.PAYLOAD_TOO_LARGE,
        Problem.UNSUPPORTED_MEDIA_TYPE,
        Problem.DATABASE_UNAVAILABLE,
    ),
    openapi_extra={
        "parameters": [
            {
                "name": "Content-Encoding",
                "in": "header",
                "schema": {"type": "string", "enum": ["identity", "gzip", "x-gzip"]},
            }
        ],
        "requestBody": {
            "required": True,
            "content": {
                "application/json": {
                    "schema": {
                        # what is no order in a list is reported, and the others are taken
                        "oneOf": [{"type": "object"}, {"type": "array", "items": {}}],
                        "description": "An order as the shop's REST API gives it, or a list of them.",
                    },
                    "example": _EXAMPLE,
                },
            },
        },
    },
)
async def import_orders(
    request: Request, services: ServicesDependency, principal: PrincipalDependency
) -> ImportReportModel:
    """Store what the upload holds and report it."""
    require(principal, Right.ORDERS)
    limits = services.limits
    pieces = read_upload(request, at_most=limits.import_max_bytes, idle=limits.import_idle)
    return ImportReportModel.model_validate(asdict(await imported(services, principal.owner, pieces)))


async def imported(services: Services, owner: Owner, pieces: AsyncIterator[bytes]) -> ImportReport:
    """Store what comes, and say what it was; a problem that ends it early carries the `report` of what is kept."""
    async with services.database.reading() as tx:
        time_zone = await tx.run_sync(time_zone_of, owner.store_id)
    work = Import(ZoneInfo(time_zone))
    store_id = owner.store_id
    ahead = bytearray()
    try:
        async for piece in pieces:
            ahead += piece
            if len(ahead) >= _PIECE:
                await _feed(services, store_id, work, bytes(ahead))
                ahead.clear()
        await _feed(services, store_id, work, bytes(ahead))
        await _store(services, store_id, work, await to_thread.run_sync(lambda: list(work.finish())))
    except (BrokenUpload, ProblemError) as error:
        # what was read before the fault is good: it is committed, and the answer says how much
        if isinstance(error, ProblemError):
            await _feed_what_is_whole(services, store_id, work, bytes(ahead))
        await _store(services, store_id, work, list(work.rest()))
        raise _with_report(error, work) from None
    return work.report


async def _feed_what_is_whole(services: Services, store_id: int, work: Import, data: bytes) -> None:
    with suppress(BrokenUpload):
        await _feed(services, store_id, work, data)
        await _store(services, store_id, work, await to_thread.run_sync(lambda: list(work.finish())))


async def _feed(services: Services, store_id: int, work: Import, data: bytes) -> None:
    batches = work.feed(data)
    while True:
        # parsing is work of the processor: it happens in a thread, a batch at a time
        batch = await to_thread.run_sync(lambda: next(batches, None))
        if batch is None:
            return
        await _store(services, store_id, work, [batch])


async def _store(services: Services, store_id: int, work: Import, batches: list[Batch]) -> None:
    for batch in batches:
        async with services.database.transaction() as tx:
            outcome = await tx.run_sync(batch.store, store_id)
        work.note(batch, outcome)


def _with_report(error: BrokenUpload | ProblemError, work: Import) -> ProblemError:
    report = asdict(work.report)
    if isinstance(error, BrokenUpload):
        return ProblemError(
            Problem.UPLOAD_BROKEN,
            f"Line {error.line}, column {error.column}: {error.reason}.",
            line=error.line,
            column=error.column,
            report=report,
        )
    return ProblemError(error.problem, error.detail, headers=error.headers, report=report, **error.extra)
