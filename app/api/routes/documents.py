"""`POST /v1/documents/preview`: the PDF of one order, made while its caller waits."""

from functools import partial
from urllib.parse import quote

from fastapi import APIRouter, Request, Response
from pydantic import ValidationError

from app.api.auth import PrincipalDependency
from app.api.bodies import read_json
from app.api.digests import repr_digest
from app.api.documenting import documented, problems
from app.api.printing import REFUSALS, Printed, printed
from app.api.problems import ProblemError, field_errors
from app.api.routes.creating import BODY_REFUSALS
from app.api.schemas import DocumentBody
from app.api.services import ServicesDependency
from app.api.store_changes import named_in, require_settings
from app.documents.settings import changed
from app.domain.codes import Problem
from app.domain.document_type import DocumentType

router = APIRouter(tags=["documents"])


@router.post(
    "/v1/documents/preview",
    response_class=Response,
    summary="Preview a document",
    description=(
        "The PDF that an export would make of this order now, byte for byte, with the store's settings as they are; "
        "nothing is created. It is rendered within this call's deadline by the API's own renderer, which makes few at "
        "a time: a long document may need an export. An order that an export of the whole store would skip is refused "
        "with `document_not_owed` and the reason's code in `item_code`, also if an export that names it would make "
        "the document. Without an order (`order_id` null) it is of an invented one. With `settings` it is "
        "as it would be if the store's settings were changed so, which needs the right `settings`; nothing is kept."
    ),
    responses={
        200: {
            "description": "The PDF.",
            "headers": documented("Content-Disposition", "Repr-Digest"),
            "content": {"application/pdf": {"schema": {"type": "string", "format": "binary"}}},
        },
        **problems(
            *BODY_REFUSALS,
            Problem.UNAUTHENTICATED,
            Problem.RIGHT_MISSING,
            *REFUSALS,
        ),
    },
    openapi_extra={
        "requestBody": {
            "required": True,
            "content": {
                "application/json": {
                    "schema": {"$ref": "#/components/schemas/DocumentBody"},
                    "example": {"document_type": "invoice", "order_id": 7102},
                }
            },
        }
    },
)
async def preview_document(request: Request, services: ServicesDependency, principal: PrincipalDependency) -> Response:
    """Render one document; see `app.api.printing` and `app.api.rendering`."""
    limits = services.limits
    body = await read_json(request, at_most=limits.body_max_bytes, idle=limits.import_idle)
    wanted, change = wanted_of(body.value), None
    if wanted.settings is not None:
        # a document that looks like the store's and names another account is for nobody else to make
        require_settings(principal)
        change = partial(changed, changes=named_in(wanted.settings))
    return as_pdf(await printed(services, principal.owner, wanted, change=change))


def wanted_of(body: object) -> DocumentBody:
    """The document that this body asks for; raises the problem `invalid_request`."""
    try:
        wanted = DocumentBody.model_validate(body)
    except ValidationError as error:
        raise ProblemError(Problem.INVALID_REQUEST, errors=field_errors(error.errors())) from None
    is_of_refund = wanted.document_type is DocumentType.CREDIT_NOTE and wanted.order_id is not None
    if is_of_refund != (wanted.refund_id is not None):
        reason = "says which refund a credit note is for" if is_of_refund else "goes with credit notes of orders only"
        raise ProblemError(Problem.INVALID_REQUEST, errors=[{"field": "refund_id", "reason": reason}])
    return wanted


def as_pdf(found: Printed) -> Response:
    """The document as it is sent."""
    headers = {
        # RFC 8187: an order number may hold any letter
        "Content-Disposition": f"inline; filename*=UTF-8''{quote(found.file_name, safe='')}",
        "Repr-Digest": repr_digest(found.document.sha256),
        "Cache-Control": "no-store",
        "X-Content-Type-Options": "nosniff",
    }
    return Response(found.document.pdf, media_type="application/pdf", headers=headers)
