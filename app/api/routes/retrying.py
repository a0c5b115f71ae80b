"""`POST /v1/exports/{id}/retry`: what has no document is tried again, as an export of its own."""

from uuid import UUID

from fastapi import APIRouter, Request, Response

from app.api.accepting import ACCEPTED, REFUSALS, Answers, IdempotencyKey, JsonAnswers, answered, key_of, refusals
from app.api.announcing import announce
from app.api.auth import PrincipalDependency
from app.api.documenting import problems
from app.api.problems import ProblemError, not_found
from app.api.schemas import ExportModel
from app.api.services import Services, ServicesDependency
from app.api.traces import trace_parent_of
from app.domain.codes import Problem
from app.domain.principal import Owner
from app.exports.request import ExportCancelled, NothingToRetry, StillActive
from app.exports.retry import retry, retry_fingerprint
from app.exports.submit import Submitted, replay

router = APIRouter(tags=["exports"])


@router.post(
    "/v1/exports/{export_id:export}/retry",
    status_code=202,
    response_model=ExportModel,
    summary="Retry an export",
    description=(
        "Creates a new export of every item that has no document, at the orders' newest versions, under the ordinals "
        "and file names that it had. Of a completed export these are the items that failed. A failed export has no "
        "archive: there it is every item that was not skipped, and if it never got as far as items, its selection "
        "anew. Orders that did not exist are looked for again. `retry_of` links the new export to this one. An export "
        "that was cancelled is not retried. Repeating a request with its `Idempotency-Key` gives the export that the "
        "first one created."
    ),
    responses={
        202: ACCEPTED,
        **problems(
            Problem.NOT_FOUND,
            Problem.EXPORT_ACTIVE,
            Problem.EXPORT_CANCELLED,
            Problem.NOTHING_TO_RETRY,
            *REFUSALS,
        ),
    },
)
async def retry_export(
    export_id: UUID,
    request: Request,
    services: ServicesDependency,
    principal: PrincipalDependency,
    idempotency_key: IdempotencyKey = None,
) -> Response:
    """Create the retry; see `app.exports.retry`."""
    key = key_of(idempotency_key)
    answers = JsonAnswers(services.limits.root_path)
    trace_parent = trace_parent_of(request.scope)
    return await retried(services, principal.owner, export_id, key=key, trace_parent=trace_parent, answers=answers)


async def retried(
    services: Services, owner: Owner, export_id: UUID, *, key: str, trace_parent: str | None, answers: Answers
) -> Response:
    """Create the retry, or find the one that this key has created; raises the problems of this route."""
    try:
        with refusals(services.limits.root_path):
            submitted, answer = await _retry(
                services, owner, export_id, key=key, trace_parent=trace_parent, answers=answers
            )
    except StillActive as active:
        raise ProblemError(Problem.EXPORT_ACTIVE, f"The export is {active.state}.", state=str(active.state)) from None
    except ExportCancelled:
        raise ProblemError(Problem.EXPORT_CANCELLED) from None
    except NothingToRetry:
        raise ProblemError(Problem.NOTHING_TO_RETRY) from None
    if not submitted.is_replay:
        await announce(services, submitted.job.id)
    return answer


async def _retry(
    services: Services, owner: Owner, export_id: UUID, *, key: str, trace_parent: str | None, answers: Answers
) -> tuple[Submitted, Response]:
    """Look up the key, then decide under the export's lock; and the answer, which is made before the COMMIT."""
    async with services.database.reading() as tx:
        earlier = await tx.run_sync(replay, owner, key=key, fingerprint=retry_fingerprint(export_id))
        if earlier is not None:
            submitted = Submitted(earlier, is_replay=True)
            return submitted, await answered(tx, submitted, answers)
    async with services.database.transaction() as tx:
        created = await tx.run_sync(
            retry,
            owner,
            export_id,
            key=key,
            checkpoint_every=services.limits.checkpoint_every,
            max_items=services.limits.max_items,
            trace_parent=trace_parent,
        )
        if created is None:
            raise not_found()
        answer = await answered(tx, created, answers)
    return created, answer
