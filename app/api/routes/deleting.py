"""`DELETE /v1/exports/{id}`: an ended export goes with all that belongs to it."""

from functools import partial
from uuid import UUID

import structlog
from fastapi import APIRouter, Response

from app.api.auth import PrincipalDependency
from app.api.documenting import problems
from app.api.presenting import export_path
from app.api.problems import ProblemError, not_found, outcome_unknown
from app.api.services import Services, ServicesDependency
from app.artifacts.store import ArtifactsUnavailable
from app.deadline.budget import DeadlineSpent, DependencyTimedOut
from app.deadline.current import spending, stage
from app.domain.codes import Problem
from app.domain.principal import Owner
from app.exports.delete import delete
from app.exports.request import RetryUnplanned, StillActive

log = structlog.get_logger()
router = APIRouter(tags=["exports"])


@router.delete(
    "/v1/exports/{export_id:export}",
    status_code=204,
    summary="Delete an export",
    description=(
        "The export's record, its items and its archive are gone after a 204; downloads that have begun may end. "
        "Asked again, it answers 404, as for anything that is not there. A create with the deleted export's "
        "`Idempotency-Key` is refused with `export_deleted`: a request that comes late brings nothing back. While a "
        "retry of it is queued or selecting its items, it stays: `retry_unplanned`."
    ),
    responses={
        204: {"description": "It is gone."},
        **problems(
            Problem.UNAUTHENTICATED,
            Problem.NOT_FOUND,
            Problem.EXPORT_ACTIVE,
            Problem.RETRY_UNPLANNED,
            Problem.OUTCOME_UNKNOWN,
        ),
    },
)
async def delete_export(export_id: UUID, services: ServicesDependency, principal: PrincipalDependency) -> Response:
    """Delete an export that has ended."""
    done = Response(status_code=204)
    unknown = _unknown(export_path(services.limits.root_path, export_id))
    await removed(services, principal.owner, export_id, done=done, unknown=unknown)
    return done


async def removed(services: Services, owner: Owner, export_id: UUID, *, done: Response, unknown: Response) -> None:
    """Delete the owner's export; raises the problems of this route. The answers are staged for the COMMIT."""
    try:
        async with services.database.transaction() as tx:
            if not await tx.run_sync(delete, owner, export_id):
                raise not_found()
            stage(unknown=unknown, done=done)
    except StillActive as active:
        raise ProblemError(Problem.EXPORT_ACTIVE, f"The export is {active.state}.", state=str(active.state)) from None
    except RetryUnplanned as needed:
        href = export_path(services.limits.root_path, needed.job_id)
        raise ProblemError(Problem.RETRY_UNPLANNED, export=href) from None
    await _remove_bytes(services, export_id)


async def _remove_bytes(services: Services, export_id: UUID) -> None:
    """Remove what is stored of a job that is gone, inside what is left; the reconciler finds what stays."""
    try:
        async with spending("artifacts"):
            await services.threads.run(partial(services.artifacts.clear, str(export_id), keep=None))
    except (ArtifactsUnavailable, DeadlineSpent, DependencyTimedOut) as error:
        log.warning("artifacts.left", job_id=str(export_id), error=type(error).__name__)


def _unknown(path: str) -> Response:
    return outcome_unknown(
        path,
        "The export may have been deleted. Repeat the delete: a 204 or a 404 says for certain that it is gone.",
    )
