"""`POST /v1/documents/preview`: the PDF of one order, made while its caller waits."""

from urllib.parse import quote

from fastapi import APIRouter, Request, Response
from pydantic import ValidationError

from app.api.auth import PrincipalDependency
from app.api.bodies import read_json
from app.api.digests import repr_digest
from app.api.documenting import documented, problems
from app.api.problems import ProblemError, field_errors, not_found
from app.api.rendering import RendererBusy, RendererStarting, RendererUnable
from app.api.routes.creating import BODY_REFUSALS
from app.api.schemas import DocumentBody
from app.api.services import Services, ServicesDependency
from app.documents.contract import RenderedDocument, RenderRequest, SkippedDocument, UnrenderableDocument
from app.documents.errors import PoolClosed, RendererUnavailable, Strike
from app.domain.codes import Problem
from app.domain.document_type import DocumentType
from app.domain.lifecycle import Outcome
from app.domain.principal import Owner
from app.exports.document import NoDocument, OrderMissing, Printable, printable

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
        "the document."
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
            Problem.NOT_FOUND,
            Problem.DOCUMENT_NOT_OWED,
            Problem.DOCUMENT_FAILED,
            Problem.RENDERER_UNAVAILABLE,
            Problem.RENDERER_STARTING,
            Problem.RENDERER_BUSY,
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
    """Render one document; see `app.exports.document` and `app.api.rendering`."""
    limits = services.limits
    body = await read_json(request, at_most=limits.body_max_bytes, idle=limits.import_idle)
    return await document_of(services, principal.owner, body.value)


async def document_of(services: Services, owner: Owner, body: object) -> Response:
    """The PDF that this body asks for; raises the problems of this route."""
    wanted = _wanted(body)
    try:
        frozen = await _frozen(services, owner, wanted)
        document = await services.renderer.render(_request(wanted, frozen))
    except OrderMissing:
        raise not_found() from None
    except NoDocument as none:
        raise _without(none.outcome, none.code, none.reason) from None
    except Strike as strike:
        raise _without(Outcome.FAILED, strike.code, strike.reason) from None
    except RendererBusy:
        raise _unavailable(Problem.RENDERER_BUSY, "1") from None
    except RendererStarting:
        raise _unavailable(Problem.RENDERER_STARTING, "2") from None
    except (RendererUnable, RendererUnavailable, PoolClosed) as unable:
        raise _unavailable(Problem.RENDERER_UNAVAILABLE, "30", f"On the API's host: {unable}") from None
    if not isinstance(document, RenderedDocument):
        raise _without(_outcome(document), document.code, document.reason)
    return _answer(document, frozen.file_name)


def _wanted(body: object) -> DocumentBody:
    try:
        wanted = DocumentBody.model_validate(body)
    except ValidationError as error:
        raise ProblemError(Problem.INVALID_REQUEST, errors=field_errors(error.errors())) from None
    is_of_refund = wanted.document_type is DocumentType.CREDIT_NOTE
    if is_of_refund != (wanted.refund_id is not None):
        reason = "says which refund a credit note is for" if is_of_refund else "goes with credit notes only"
        raise ProblemError(Problem.INVALID_REQUEST, errors=[{"field": "refund_id", "reason": reason}])
    return wanted


async def _frozen(services: Services, owner: Owner, wanted: DocumentBody) -> Printable:
    async with services.database.reading() as tx:
        return await tx.run_sync(
            printable, owner, wanted.document_type, order_id=wanted.order_id, refund_id=wanted.refund_id
        )


def _request(wanted: DocumentBody, frozen: Printable) -> RenderRequest:
    return RenderRequest(
        document_type=wanted.document_type,
        payload=frozen.content.payload,
        refunds=frozen.content.refunds,
        store=frozen.store_settings,
        refund_id=wanted.refund_id,
    )


def _outcome(document: UnrenderableDocument) -> Outcome:
    return Outcome.SKIPPED if isinstance(document, SkippedDocument) else Outcome.FAILED


def _without(outcome: Outcome, code: str, reason: str) -> ProblemError:
    problem = Problem.DOCUMENT_NOT_OWED if outcome is Outcome.SKIPPED else Problem.DOCUMENT_FAILED
    return ProblemError(problem, f"{reason}.", item_code=code)


def _unavailable(problem: Problem, seconds: str, detail: str | None = None) -> ProblemError:
    return ProblemError(problem, detail, headers={"Retry-After": seconds})


def _answer(document: RenderedDocument, file_name: str) -> Response:
    headers = {
        # RFC 8187: an order number may hold any letter
        "Content-Disposition": f"inline; filename*=UTF-8''{quote(file_name, safe='')}",
        "Repr-Digest": repr_digest(document.sha256),
        "Cache-Control": "no-store",
        "X-Content-Type-Options": "nosniff",
    }
    return Response(document.pdf, media_type="application/pdf", headers=headers)
