"""`POST /v1/exports/preview`: what a create with the same body would be planned as."""

from functools import partial

from fastapi import APIRouter, Request

from app.api.accepting import SELECTION_REFUSALS, refusals
from app.api.auth import PrincipalDependency
from app.api.bodies import JsonBody, read_json
from app.api.documenting import problems
from app.api.preview_schemas import ExportPreview
from app.api.previews import foresight, preview_model
from app.api.routes.creating import BODY, BODY_REFUSALS, look, read_request
from app.api.services import Services, ServicesDependency
from app.database.stores import time_zone_of
from app.domain.codes import Problem
from app.domain.principal import Owner
from app.exports.preview import preview

router = APIRouter(tags=["exports"])


@router.post(
    "/v1/exports/preview",
    response_model=ExportPreview,
    summary="Preview an export",
    description=(
        "Takes the body of a create, refuses what a create would refuse, and tells what the export would be planned "
        "as at this moment: how many documents, the first ten of them, what would be skipped or fail and why, and an "
        "estimate. Nothing is created."
    ),
    responses=problems(*BODY_REFUSALS, Problem.UNAUTHENTICATED, *SELECTION_REFUSALS),
    openapi_extra=BODY,
)
async def preview_export(
    request: Request, services: ServicesDependency, principal: PrincipalDependency
) -> ExportPreview:
    """Look at what planning would do; see `app.exports.preview`."""
    limits = services.limits
    body = await read_json(request, at_most=limits.body_max_bytes, idle=limits.import_idle)
    return await previewed(services, principal.owner, body)


async def previewed(services: Services, owner: Owner, body: JsonBody) -> ExportPreview:
    """What a create with this body would be planned as; raises the problems of this route."""
    limits = services.limits
    with refusals(limits.root_path):
        async with services.database.reading() as tx:
            time_zone = await tx.run_sync(time_zone_of, owner.store_id)
            wanted = await look(services, body, partial(read_request, time_zone=time_zone))
            found = await tx.run_sync(preview, owner, wanted, max_items=limits.max_items)
    # outside of the transaction: nobody's connection waits for what only reads
    known = await services.threads.run(partial(foresight, found, wanted))
    return preview_model(found, wanted, known, limits.root_path)
