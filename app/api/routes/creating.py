"""`POST /v1/exports`: the request hands its work over to a durable job."""

from collections.abc import Callable
from functools import partial
from typing import Any, Final, TypeVar

from fastapi import APIRouter, Request, Response
from pydantic import ValidationError

from app.api.accepting import ACCEPTED, REFUSALS, Answers, IdempotencyKey, JsonAnswers, answered, key_of, refusals
from app.api.announcing import announce
from app.api.auth import PrincipalDependency
from app.api.bodies import JsonBody, read_json
from app.api.documenting import problems
from app.api.problems import ProblemError, field_errors
from app.api.schemas import ExportBody, ExportModel, SelectionBody
from app.api.services import Services, ServicesDependency
from app.api.traces import trace_parent_of
from app.database.stores import time_zone_of
from app.domain.codes import Problem
from app.domain.filename_patterns import PatternRefused, check_pattern
from app.domain.identity import fingerprint as fingerprint_of
from app.domain.principal import Owner
from app.domain.selection import Selection, SelectionRefused, Sort, created_range
from app.exports.request import ExportRequest
from app.exports.submit import Submitted, check, replay, submit

router = APIRouter(tags=["exports"])

T = TypeVar("T")

_MANY_FIELDS = 100
"""Fields beyond which a body is refused unread."""

BODY: Final[dict[str, Any]] = {
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
}
"""The body, as OpenAPI tells it: it is read by hand."""

BODY_REFUSALS: Final = (
    Problem.MALFORMED_JSON,
    Problem.UPLOAD_STALLED,
    Problem.PAYLOAD_TOO_LARGE,
    Problem.UNSUPPORTED_MEDIA_TYPE,
    Problem.INVALID_REQUEST,
)
"""The problems of a body that is read by hand."""


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
        202: ACCEPTED,
        **problems(*BODY_REFUSALS, *REFUSALS),
    },
    openapi_extra=BODY,
)
async def create_export(
    request: Request,
    services: ServicesDependency,
    principal: PrincipalDependency,
    idempotency_key: IdempotencyKey = None,
) -> Response:
    """Hand the work over; see `app.exports.submit`."""
    key = key_of(idempotency_key)
    body = await read_json(request, at_most=services.limits.body_max_bytes, idle=services.limits.import_idle)
    answers = JsonAnswers(services.limits.root_path)
    trace_parent = trace_parent_of(request.scope)
    return await create(services, principal.owner, body, key=key, trace_parent=trace_parent, answers=answers)


async def create(
    services: Services, owner: Owner, body: JsonBody, *, key: str, trace_parent: str | None, answers: Answers
) -> Response:
    """Create the export, or find the one that this key has created; raises the problems of `REFUSALS`."""
    with refusals(services.limits.root_path):
        submitted, answer = await _submit(services, owner, body, key=key, trace_parent=trace_parent, answers=answers)
    if not submitted.is_replay:
        await announce(services, submitted.job.id)
    return answer


async def _submit(
    services: Services, owner: Owner, body: JsonBody, *, key: str, trace_parent: str | None, answers: Answers
) -> tuple[Submitted, Response]:
    """Look up the key, validate, insert; and the answer, which is made before the COMMIT."""
    fingerprint = await look(services, body, fingerprint_of)
    async with services.database.reading() as tx:
        earlier = await tx.run_sync(replay, owner, key=key, fingerprint=fingerprint)
        if earlier is not None:
            submitted = Submitted(earlier, is_replay=True)
            return submitted, await answered(tx, submitted, answers)
        time_zone = await tx.run_sync(time_zone_of, owner.store_id)
        wanted = await look(services, body, partial(read_request, time_zone=time_zone))
        await tx.run_sync(check, owner, wanted, max_items=services.limits.max_items)
    async with services.database.transaction() as tx:
        submitted = await tx.run_sync(
            submit,
            owner,
            wanted,
            key=key,
            fingerprint=fingerprint,
            checkpoint_every=services.limits.checkpoint_every,
            combined_part=services.limits.combined_part,
            trace_parent=trace_parent,
        )
        answer = await answered(tx, submitted, answers)
    return submitted, answer


async def look(services: Services, body: JsonBody, read: Callable[[Any], T]) -> T:
    """What `read` finds in the body; a large one is read in a thread."""
    return await services.threads.run(partial(read, body.value)) if body.is_large else read(body.value)


def read_request(body: Any, *, time_zone: str) -> ExportRequest:
    """A create's body as a request; raises the problems of section "422"."""
    _refuse_many_fields(body)
    try:
        wanted = ExportBody.model_validate(body)
    except ValidationError as error:
        raise ProblemError(Problem.INVALID_REQUEST, errors=field_errors(error.errors())) from None
    selection = selection_of(wanted.selection, time_zone)
    try:
        sort = _sort(wanted.sort, selection)
        check_pattern(wanted.filename_pattern)
    except SelectionRefused as refused:
        raise _refused(refused.field, refused.reason) from None
    except PatternRefused as refused:
        raise _refused("filename_pattern", refused.reason) from None
    return ExportRequest(
        wanted.document_type, wanted.layout, selection, sort, filename_pattern=wanted.filename_pattern, pdf=wanted.pdf
    )


def _refused(field: str, reason: str) -> ProblemError:
    return ProblemError(Problem.INVALID_REQUEST, errors=[{"field": field, "reason": reason}])


def _refuse_many_fields(body: Any) -> None:
    if isinstance(body, dict) and len(body) > _MANY_FIELDS:
        raise ProblemError(Problem.INVALID_REQUEST, f"The body has {len(body)} fields; see the documentation for ours.")


def selection_of(asked: SelectionBody, time_zone: str) -> Selection:
    """The selection of a checked body; raises the problem `invalid_request` for a range that means nothing."""
    since = until = None
    try:
        if asked.created is not None:
            since, until = created_range(
                asked.created.since, asked.created.until, asked.created.time_zone, default_zone=time_zone
            )
    except SelectionRefused as refused:
        raise _refused(refused.field, refused.reason) from None
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
