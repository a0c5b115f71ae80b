"""What is fetched from an export's page: its archive, and its lists as CSV."""

from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Header, Request, Response

from app.api.routes.fetching import archive_of
from app.api.routes.items import failures_as_csv, manifest_as_csv
from app.api.routes.reading import looked_at
from app.api.services import ServicesDependency
from app.web.visitors import VisitorDependency

router = APIRouter(include_in_schema=False)


@router.head("/exports/{export_id}/archive")
@router.get("/exports/{export_id}/archive")
async def get_archive(
    export_id: UUID,
    request: Request,
    services: ServicesDependency,
    visitor: VisitorDependency,
    if_none_match: Annotated[str | None, Header()] = None,
) -> Response:
    """The finished archive's bytes, or the part that is asked for, as the API gives them."""
    return await archive_of(request, services, visitor.owner, export_id, if_none_match=if_none_match)


@router.get("/exports/{export_id}/failures.csv")
async def get_failures(export_id: UUID, services: ServicesDependency, visitor: VisitorDependency) -> Response:
    """What has no document, and why."""
    return failures_as_csv(services, (await looked_at(services, visitor.owner, export_id)).job)


@router.get("/exports/{export_id}/manifest.csv")
async def get_manifest(export_id: UUID, services: ServicesDependency, visitor: VisitorDependency) -> Response:
    """Every item."""
    return await manifest_as_csv(services, (await looked_at(services, visitor.owner, export_id)).job)
