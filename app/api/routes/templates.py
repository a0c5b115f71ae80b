"""`/v1/store/templates/{type}`: a store's own layout of one type of document."""

from functools import partial
from typing import Annotated, Final

from fastapi import APIRouter, Header, Path, Request, Response
from pydantic import ValidationError

from app.api.auth import PrincipalDependency
from app.api.bodies import read_json
from app.api.conditions import is_named
from app.api.documenting import documented, problems
from app.api.problems import ProblemError, field_errors
from app.api.rendering_problems import RENDERER_PROBLEMS, telling_of_renderer
from app.api.routes.creating import BODY_REFUSALS
from app.api.services import Services, ServicesDependency
from app.api.store_changes import (
    CHANGED,
    REFUSALS,
    IfMatch,
    change_store,
    headers_of,
    read_settings,
    require_settings,
    setting_refused,
    settings_gone,
    settings_shown,
)
from app.api.store_schemas import StoreModel, TemplateBody, TemplateModel
from app.documents.contract import RenderedDocument
from app.documents.errors import Strike
from app.documents.ours import template_of
from app.documents.own import OwnTemplateFailed
from app.documents.own_style import OwnStyleFailed
from app.documents.trial import MAX_TEXT, TIME_LIMIT, check_lengths, laid_out, sample, struck
from app.domain.codes import Problem
from app.domain.document_type import DocumentType
from app.domain.principal import Principal
from app.domain.store_settings import OwnTemplate, StoreSettings

router = APIRouter(tags=["store"])

Type = Annotated[DocumentType, Path(description="The type of document that is laid out.")]

_MAX_BODY: Final = 13 * MAX_TEXT
"""Bytes: two texts whose every character is written as an escape, and what is around them."""

_TRIED: Final = (*BODY_REFUSALS, Problem.UNAUTHENTICATED, Problem.RIGHT_MISSING, Problem.NOT_FOUND, *RENDERER_PROBLEMS)
_BODY: Final = {
    "requestBody": {
        "required": True,
        "content": {
            "application/json": {
                "schema": {"$ref": "#/components/schemas/TemplateBody"},
                "example": {"template": None, "style": "h1 { letter-spacing: 0.05em }"},
            }
        },
    }
}


@router.get(
    "/v1/store/templates/{document_type}",
    summary="Get the store's own template of a type",
    description=(
        "The store's own template and style, null where it has none, and ours to begin with. Any token of the store "
        "may read them. `ETag` is the version of the settings, as at `/v1/store`."
    ),
    response_model=TemplateModel,
    responses={
        200: {"description": "As they are.", "headers": documented("ETag")},
        304: {"description": "The settings are at the version in `If-None-Match`.", "headers": documented("ETag")},
        **problems(Problem.UNAUTHENTICATED, Problem.NOT_FOUND),
    },
)
async def get_template(
    services: ServicesDependency,
    principal: PrincipalDependency,
    document_type: Type,
    if_none_match: Annotated[str | None, Header()] = None,
) -> Response:
    """The template of one type, and ours."""
    version = await read_settings(services, principal.owner.store)
    headers = headers_of(version)
    if is_named(headers["ETag"], if_none_match):
        return Response(status_code=304, headers=headers)
    own = version.settings.template_of(document_type)
    model = TemplateModel(
        document_type=document_type,
        template=(own.html or None) if own is not None else None,
        style=(own.css or None) if own is not None else None,
        ours=template_of(document_type),
    )
    return Response(model.model_dump_json(), 200, headers, "application/json")


@router.put(
    "/v1/store/templates/{document_type}",
    summary="Set the store's own template of a type",
    description=(
        "Both are looked at, and a sample order is laid out by them, within this call's deadline, by the renderer of "
        "previews; only if a document comes of it they are kept, as a new version of the settings. Both are replaced: "
        "what is null is ours. Needs the right `settings`."
    ),
    response_model=StoreModel,
    responses={200: CHANGED, **problems(*_TRIED, *REFUSALS)},
    openapi_extra=_BODY,
)
async def put_template(
    request: Request,
    services: ServicesDependency,
    principal: PrincipalDependency,
    document_type: Type,
    if_match: IfMatch = None,
) -> Response:
    """Try a template and keep it."""
    own = await _own(request, services, principal, document_type)
    await _tried(services, principal, own)
    return await change_store(
        services,
        principal,
        partial(StoreSettings.with_template, own=own),
        if_match=if_match,
        answer=partial(settings_shown, key=principal.owner.store, root_path=services.limits.root_path),
    )


@router.delete(
    "/v1/store/templates/{document_type}",
    status_code=204,
    summary="Go back to our template and our style",
    description="A new version of the settings. Repeating is harmless. Needs the right `settings`.",
    responses={
        204: {"description": "They are ours now.", "headers": documented("ETag")},
        **problems(Problem.NOT_FOUND, *REFUSALS),
    },
)
async def delete_template(
    services: ServicesDependency, principal: PrincipalDependency, document_type: Type, if_match: IfMatch = None
) -> Response:
    """Take the store's own template of a type away."""
    require_settings(principal)
    ours = partial(StoreSettings.without_template, document_type=document_type)
    return await change_store(services, principal, ours, if_match=if_match, answer=settings_gone)


@router.post(
    "/v1/store/templates/{document_type}/preview",
    response_class=Response,
    summary="Try a template on a sample order",
    description="The sample order's PDF by the template and style in the body. Nothing is kept. Needs `settings`.",
    responses={
        200: {
            "description": "The PDF.",
            "content": {"application/pdf": {"schema": {"type": "string", "format": "binary"}}},
        },
        **problems(*_TRIED),
    },
    openapi_extra=_BODY,
)
async def preview_template(
    request: Request, services: ServicesDependency, principal: PrincipalDependency, document_type: Type
) -> Response:
    """The sample order's document."""
    own = await _own(request, services, principal, document_type)
    made = await _tried(services, principal, own)
    headers = {"Cache-Control": "no-store", "X-Content-Type-Options": "nosniff"}
    return Response(made.pdf, media_type="application/pdf", headers=headers)


async def _own(request: Request, services: Services, principal: Principal, document_type: Type) -> OwnTemplate:
    """The template and the style that the body holds."""
    require_settings(principal)
    body = await read_json(request, at_most=_MAX_BODY, idle=services.limits.import_idle)
    try:
        asked = TemplateBody.model_validate(body.value)
    except ValidationError as error:
        raise ProblemError(Problem.INVALID_REQUEST, errors=field_errors(error.errors())) from None
    if not asked.template and not asked.style:
        raise setting_refused("template", "name a template, a style, or both; DELETE goes back to ours")
    return OwnTemplate(document_type, asked.template or "", asked.style or "")


async def _tried(services: Services, principal: Principal, own: OwnTemplate) -> RenderedDocument:
    """The sample order by this template and the settings as they are; raises a problem that names what is wrong."""
    version = await read_settings(services, principal.owner.store)
    try:
        check_lengths(own)
        with telling_of_renderer():
            return laid_out(await services.renderer.call(sample, version.settings, own, time_limit=TIME_LIMIT))
    except OwnTemplateFailed as failed:
        raise _refused(failed) from None
    except Strike as strike:
        raise _refused(struck(strike)) from None


def _refused(failed: OwnTemplateFailed) -> ProblemError:
    return setting_refused("style" if isinstance(failed, OwnStyleFailed) else "template", f"{failed}.")
