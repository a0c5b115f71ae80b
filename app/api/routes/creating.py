"""`POST /v1/exports`: the request hands its work over to a durable job."""

import re
import secrets
from collections.abc import Callable
from functools import partial
from typing import Annotated, Any, TypeVar

from fastapi import APIRouter, Header, Request, Response
from pydantic import ValidationError

from app.api.announcing import announce
from app.api.auth import PrincipalDependency
from app.api.bodies import JsonBody, read_json
from app.api.documenting import documented, problems
from app.api.presenting import export_model, export_path, retry_after
from app.api.problems import ProblemError, field_errors, outcome_unknown
from app.api.schemas import ExportBody, ExportModel
from app.api.services import Services, ServicesDependency
from app.api.traces import trace_parent_of
from app.database.stores import find_store
from app.deadline.current import stage
from app.domain.codes import Problem
from app.domain.identity import fingerprint as fingerprint_of
from app.domain.principal import Owner
from app.domain.selection import Selection, SelectionRefused, Sort, created_range
from app.exports.inspect import ExportView, view
from app.exports.request import (
    ActiveExportExists,
    ExportDeleted,
    ExportRequest,
    IdempotencyKeyReused,
    RendererMissing,
    SelectionEmpty,
    SelectionTooLarge,
)
from app.exports.submit import Submitted, check, replay, submit

router = APIRouter(tags=["exports"])

T = TypeVar("T")

_KEY = re.compile(r"[\x21-\x7e]{1,255}")
_MANY_FIELDS = 100
"""Fields beyond which a body is refused unread."""
_LATER = {
    "document_type": ("packing_slip", "credit_note", "receipt"),
    "layout": ("combined", "both"),
}
"""Values that a later release takes."""


@router.post(
    "/v1/exports",
    status_code=202,
    response_model=ExportModel,
    summary="Create an export",
    description=(
        "Creates a durable job that renders one document per selected order. "
        "Repeating a request with its `Idempotency-Key` gives the job that the first one created."
    ),
    responses={
        202: {
            "description": "The export is kept, and ends whatever happens here.",
            "headers": documented("Location", sometimes=("Retry-After", "Idempotent-Replayed")),
        },
        **problems(
            Problem.MALFORMED_JSON,
            Problem.PARAMETER_INVALID,
            Problem.UNAUTHENTICATED,
            Problem.UPLOAD_STALLED,
            Problem.ACTIVE_EXPORT_EXISTS,
            Problem.EXPORT_DELETED,
            Problem.PAYLOAD_TOO_LARGE,
            Problem.UNSUPPORTED_MEDIA_TYPE,
            Problem.INVALID_REQUEST,
            Problem.NOT_SUPPORTED_YET,
            Problem.SELECTION_EMPTY,
            Problem.SELECTION_TOO_LARGE,
            Problem.IDEMPOTENCY_KEY_REUSED,
            Problem.RENDERER_UNAVAILABLE,
            Problem.OUTCOME_UNKNOWN,
        ),
    },
    openapi_extra={
        "requestBody": {
            "required": True,
            "content": {
                "application/json": {
                    "schema": {"$ref": "#/components/schemas/ExportBody"},
                    "example": {
                        "document_type": "invoice",
                        "selection": {"created": {"from": "2026-11-01", "to": "2026-11-30"}},
                    },
                }
            },
        }
    },
)
async def create_export(
    request: Request,
    services: ServicesDependency,
    principal: PrincipalDependency,
    idempotency_key: Annotated[
        str | None,
        Header(
            description="1 to 255 visible ASCII characters; the server makes one if none is sent.",
            json_schema_extra={"pattern": f"^{_KEY.pattern}$"},
        ),
    ] = None,
) -> Response:
    """Hand the work over; see `app.exports.submit`."""
    if idempotency_key is not None and not _KEY.fullmatch(idempotency_key):
        raise ProblemError(Problem.PARAMETER_INVALID, "`Idempotency-Key` takes 1 to 255 visible ASCII characters.")
    body = await read_json(request, at_most=services.limits.body_max_bytes, idle=services.limits.import_idle)
    key = idempotency_key or secrets.token_urlsafe(16)
    owner = principal.owner
    try:
        submitted, answer = await _submit(services, owner, body, key=key, trace_parent=trace_parent_of(request.scope))
    except IdempotencyKeyReused:
        raise ProblemError(Problem.IDEMPOTENCY_KEY_REUSED) from None
    except ExportDeleted:
        raise ProblemError(Problem.EXPORT_DELETED) from None
    except ActiveExportExists as active:
        href = export_path(services.limits.root_path, active.job_id) if active.job_id else None
        raise ProblemError(Problem.ACTIVE_EXPORT_EXISTS, export=href) from None
    except SelectionEmpty:
        raise ProblemError(Problem.SELECTION_EMPTY) from None
    except SelectionTooLarge as large:
        raise ProblemError(
            Problem.SELECTION_TOO_LARGE, f"An export may hold at most {large.at_most} items.", max_items=large.at_most
        ) from None
    except RendererMissing:
        raise ProblemError(Problem.RENDERER_UNAVAILABLE, headers={"Retry-After": "30"}) from None
    if not submitted.is_replay:
        await announce(services, submitted.job.id)
    return answer


async def _submit(
    services: Services, owner: Owner, body: JsonBody, *, key: str, trace_parent: str | None
) -> tuple[Submitted, Response]:
    """Look up the key, validate, insert; and the answer, which is made before the COMMIT."""
    fingerprint = await _look(services, body, fingerprint_of)
    root_path = services.limits.root_path
    async with services.database.reading() as tx:
        earlier = await tx.run_sync(replay, owner, key=key, fingerprint=fingerprint)
        if earlier is not None:
            submitted = Submitted(earlier, is_replay=True)
            return submitted, _accepted(submitted, await tx.run_sync(view, earlier), root_path)
        store = await tx.run_sync(find_store, owner.store)
        wanted = await _look(services, body, partial(read_request, time_zone=store.time_zone if store else "UTC"))
        await tx.run_sync(check, owner, wanted, max_items=services.limits.max_items)
    async with services.database.transaction() as tx:
        submitted = await tx.run_sync(
            submit,
            owner,
            wanted,
            key=key,
            fingerprint=fingerprint,
            checkpoint_every=services.limits.checkpoint_every,
            trace_parent=trace_parent,
        )
        answer = _accepted(submitted, await tx.run_sync(view, submitted.job), root_path)
        if not submitted.is_replay:
            stage(unknown=_unknown(export_path(root_path, submitted.job.id), key), done=answer)
    return submitted, answer


async def _look(services: Services, body: JsonBody, look: Callable[[Any], T]) -> T:
    return await services.threads.run(partial(look, body.value)) if body.is_large else look(body.value)


def _accepted(submitted: Submitted, found: ExportView, root_path: str) -> Response:
    model = export_model(found, root_path)
    headers = {"Location": model.links.self}
    if submitted.is_replay:
        headers["Idempotent-Replayed"] = "true"
    if model.state.is_active:
        headers["Retry-After"] = retry_after(model.state)
    return Response(model.model_dump_json(), 202, headers, "application/json")


def _unknown(path: str, key: str) -> Response:
    """What is true while nobody knows whether the job was committed: its id follows from the key either way."""
    return outcome_unknown(
        path,
        "The export may have been created. Send the same request with this `Idempotency-Key` again: its answer "
        "is certain. If `Location` shows the export, it was created; if it shows none, that proves nothing yet.",
        headers={"Idempotency-Key": key},
        idempotency_key=key,
    )


def read_request(body: Any, *, time_zone: str) -> ExportRequest:
    """A create's body as a request; raises the problems of section "422"."""
    _refuse_later_values(body)
    try:
        wanted = ExportBody.model_validate(body)
    except ValidationError as error:
        raise ProblemError(Problem.INVALID_REQUEST, errors=field_errors(error.errors())) from None
    try:
        selection = _selection(wanted, time_zone)
        return ExportRequest(wanted.document_type, wanted.layout, selection, _sort(wanted.sort, selection))
    except SelectionRefused as refused:
        raise ProblemError(
            Problem.INVALID_REQUEST, errors=[{"field": refused.field, "reason": refused.reason}]
        ) from None


def _refuse_later_values(body: Any) -> None:
    if not isinstance(body, dict):
        return
    if len(body) > _MANY_FIELDS:
        raise ProblemError(Problem.INVALID_REQUEST, f"The body has {len(body)} fields; see the documentation for ours.")
    for name, values in _LATER.items():
        if body.get(name) in values:
            raise ProblemError(Problem.NOT_SUPPORTED_YET, f"`{name}: {body[name]}` is not supported yet.")


def _selection(wanted: ExportBody, time_zone: str) -> Selection:
    asked = wanted.selection
    since = until = None
    if asked.created is not None:
        since, until = created_range(
            asked.created.since, asked.created.until, asked.created.time_zone, default_zone=time_zone
        )
    return Selection(
        created_from=since,
        created_to=until,
        # named twice is asked for once; the first place counts
        statuses=tuple(dict.fromkeys(asked.statuses)),
        order_ids=tuple(dict.fromkeys(asked.order_ids)),
        numbers=tuple(dict.fromkeys(asked.numbers)),
        customer_id=asked.customer_id,
    )


def _sort(asked: Sort | None, selection: Selection) -> Sort:
    if asked is None:
        return Sort.GIVEN if selection.names_orders else Sort.CREATED
    if asked is Sort.GIVEN and not selection.names_orders:
        raise SelectionRefused("sort", "`given` needs `order_ids` or `numbers` in the selection")
    return asked
