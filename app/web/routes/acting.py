"""What is done to an export from its page: cancel, retry, delete. Each leads to a page that can be reloaded."""

from uuid import UUID

from fastapi import APIRouter, Request, Response
from fastapi.responses import RedirectResponse

from app.api.accepting import key_of
from app.api.guarding import PERSONAL
from app.api.problems import not_found
from app.api.routes.deleting import removed
from app.api.routes.retrying import retried
from app.api.services import ServicesDependency
from app.api.traces import trace_parent_of
from app.deadline.current import stage
from app.exports.cancel import cancel
from app.exports.request import AlreadyFinished
from app.web.answers import PageAnswers, unknown
from app.web.console import ConsoleDependency
from app.web.forms import FormDependency
from app.web.visitors import VisitorDependency

router = APIRouter(include_in_schema=False)


@router.post("/exports/{export_id}/cancel")
async def cancel_export(
    export_id: UUID,
    console: ConsoleDependency,
    services: ServicesDependency,
    visitor: VisitorDependency,
    _form: FormDependency,
) -> Response:
    """Ask it to stop; one that has ended meanwhile is shown as it ended."""
    path = f"{console.root_path}/exports/{export_id}"
    done = RedirectResponse(path, 303, PERSONAL)
    try:
        async with services.database.transaction() as tx:
            if await tx.run_sync(cancel, visitor.owner, export_id) is None:
                raise not_found()
            stage(unknown=unknown(console, f"/exports/{export_id}", "unknown.cancelled"), done=done)
    except AlreadyFinished:
        return done
    return done


@router.post("/exports/{export_id}/retry")
async def retry_export(
    export_id: UUID,
    request: Request,
    console: ConsoleDependency,
    services: ServicesDependency,
    visitor: VisitorDependency,
    form: FormDependency,
) -> Response:
    """Make what has no document once more; the form's key makes it one export, however often it is sent."""
    return await retried(
        services,
        visitor.owner,
        export_id,
        key=key_of(form.get("key")),
        trace_parent=trace_parent_of(request.scope),
        answers=PageAnswers(console),
    )


@router.post("/exports/{export_id}/delete")
async def delete_export(
    export_id: UUID,
    console: ConsoleDependency,
    services: ServicesDependency,
    visitor: VisitorDependency,
    _form: FormDependency,
) -> Response:
    """Delete it with all that belongs to it."""
    path = f"{console.root_path}/exports"
    answer = RedirectResponse(path, 303, PERSONAL)
    uncertain = unknown(console, "/exports", "unknown.deleted")
    await removed(services, visitor.owner, export_id, done=answer, unknown=uncertain)
    return answer
