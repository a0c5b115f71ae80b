"""`POST /v1/exports/{id}/cancel`: an export is told to stop."""

from uuid import UUID

from fastapi import APIRouter, Response

from app.api.auth import PrincipalDependency
from app.api.documenting import documented, problems
from app.api.presenting import export_model, export_path, retry_after
from app.api.problems import ProblemError, not_found, outcome_unknown
from app.api.schemas import ExportModel
from app.api.services import ServicesDependency
from app.deadline.current import stage
from app.domain.codes import Problem
from app.exports.cancel import cancel
from app.exports.inspect import ExportView, view
from app.exports.request import AlreadyFinished

router = APIRouter(tags=["exports"])


@router.post(
    "/v1/exports/{export_id:export}/cancel",
    status_code=202,
    summary="Cancel an export",
    description=(
        "After a 202 the export never becomes `completed`: it is `cancelled` within two seconds while any worker "
        "runs. Repeating is harmless. If completion came first: 409 with the final state."
    ),
    responses={
        202: {
            "description": "It is `cancelled`, or `cancelling`.",
            "headers": documented(sometimes=("Retry-After",)),
        },
        **problems(Problem.UNAUTHENTICATED, Problem.NOT_FOUND, Problem.ALREADY_FINISHED, Problem.OUTCOME_UNKNOWN),
    },
    response_model=ExportModel,
)
async def cancel_export(export_id: UUID, services: ServicesDependency, principal: PrincipalDependency) -> Response:
    """Ask an export to stop."""
    root_path = services.limits.root_path
    try:
        async with services.database.transaction() as tx:
            job = await tx.run_sync(cancel, principal.owner, export_id)
            if job is None:
                raise not_found()
            answer = _stopping(await tx.run_sync(view, job), root_path)
            stage(unknown=_unknown(export_path(root_path, export_id)), done=answer)
    except AlreadyFinished as finished:
        raise ProblemError(
            Problem.ALREADY_FINISHED, f"The export is {finished.state}.", state=str(finished.state)
        ) from None
    return answer


def _stopping(found: ExportView, root_path: str) -> Response:
    state = found.job.state
    headers = {"Retry-After": retry_after(state)} if state.is_active else None
    return Response(export_model(found, root_path).model_dump_json(), 202, headers, "application/json")


def _unknown(path: str) -> Response:
    return outcome_unknown(
        path,
        "The export may have been told to stop. Repeat the cancel: that is harmless, and its answer is certain.",
    )
