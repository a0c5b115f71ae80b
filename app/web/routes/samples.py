"""A sample of what a new export would make: one order's document, as the preview of its form links to it."""

from typing import Annotated

from fastapi import APIRouter, Query, Response

from app.api.printing import printed
from app.api.routes.documents import as_pdf, wanted_of
from app.api.services import ServicesDependency
from app.web.visitors import VisitorDependency

router = APIRouter(include_in_schema=False)


@router.get("/exports/new/sample")
async def show_sample(
    services: ServicesDependency,
    visitor: VisitorDependency,
    document_type: Annotated[str, Query(max_length=20)],
    order_id: Annotated[int, Query(ge=0, lt=2**63)],
    refund_id: Annotated[int | None, Query(ge=0, lt=2**63)] = None,
) -> Response:
    """The PDF, as the API makes it."""
    body = {"document_type": document_type, "order_id": order_id}
    wanted = wanted_of(body if refund_id is None else {**body, "refund_id": refund_id})
    return as_pdf(await printed(services, visitor.owner, wanted))
