"""`/v1/store/logo`: the picture at the top of every document."""

from dataclasses import replace
from functools import partial
from typing import Annotated, Any, Final

from fastapi import APIRouter, Header, Request, Response

from app.api.auth import PrincipalDependency
from app.api.bodies import read_bytes
from app.api.conditions import is_named
from app.api.documenting import documented, problems
from app.api.problems import not_found
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
from app.api.store_schemas import StoreModel
from app.documents.logo import MAX_BYTES, MAX_SIDE, LogoRefused, checked_logo, media_type
from app.domain.codes import Problem
from app.domain.principal import Owner
from app.domain.store_settings import StoreSettings

router = APIRouter(tags=["store"])

_PICTURES: Final = ("image/png", "image/jpeg")
_CONTENT: Final[dict[str, Any]] = {name: {"schema": {"type": "string", "format": "binary"}} for name in _PICTURES}


@router.get(
    "/v1/store/logo",
    summary="Get the logo",
    description="The picture as it was uploaded. `ETag` is the version of the settings, as at `/v1/store`.",
    response_class=Response,
    responses={
        200: {"description": "The picture.", "headers": documented("ETag"), "content": _CONTENT},
        304: {"description": "The settings are at the version in `If-None-Match`.", "headers": documented("ETag")},
        **problems(Problem.UNAUTHENTICATED, Problem.NOT_FOUND),
    },
)
async def get_logo(
    services: ServicesDependency,
    principal: PrincipalDependency,
    if_none_match: Annotated[str | None, Header()] = None,
) -> Response:
    """The logo of the principal's store."""
    return await logo_of(services, principal.owner, if_none_match=if_none_match)


async def logo_of(services: Services, owner: Owner, *, if_none_match: str | None) -> Response:
    """The logo of the owner's store; a store without one answers as if nothing were there."""
    version = await read_settings(services, owner.store)
    logo = version.settings.logo
    if logo is None:
        raise not_found()
    headers = headers_of(version)
    if is_named(headers["ETag"], if_none_match):
        return Response(status_code=304, headers=headers)
    # whatever a picture says besides, no browser shall run it
    headers |= {"X-Content-Type-Options": "nosniff", "Content-Security-Policy": "default-src 'none'; sandbox"}
    return Response(logo, 200, headers, media_type(logo))


@router.put(
    "/v1/store/logo",
    summary="Set the logo",
    description=(
        f"A PNG or JPEG of at most {MAX_BYTES >> 20} MiB and {MAX_SIDE} pixels a side. It is opened to see that it is "
        "one, whatever its media type says. SVG is not taken: it can refer to other files. Needs the right `settings`."
    ),
    response_model=StoreModel,
    responses={
        200: CHANGED,
        **problems(
            Problem.UPLOAD_STALLED,
            Problem.PAYLOAD_TOO_LARGE,
            Problem.UNSUPPORTED_MEDIA_TYPE,
            Problem.INVALID_REQUEST,
            *REFUSALS,
        ),
    },
    openapi_extra={"requestBody": {"required": True, "content": _CONTENT}},
)
async def put_logo(
    request: Request, services: ServicesDependency, principal: PrincipalDependency, if_match: IfMatch = None
) -> Response:
    """Put a picture at the top of every document."""
    require_settings(principal)
    data = await read_bytes(request, at_most=MAX_BYTES, idle=services.limits.import_idle, media_types=_PICTURES)
    try:
        # it is decoded for that: a second of the processor for the largest
        logo = await services.threads.run(partial(checked_logo, data))
    except LogoRefused as refused:
        raise setting_refused("logo", str(refused)) from None
    return await change_store(
        services,
        principal,
        partial(_with_logo, logo=logo),
        if_match=if_match,
        answer=partial(settings_shown, key=principal.owner.store, root_path=services.limits.root_path),
    )


@router.delete(
    "/v1/store/logo",
    status_code=204,
    summary="Take the logo away",
    description="Documents have the store's name in its place. Repeating is harmless. Needs the right `settings`.",
    responses={204: {"description": "There is none now.", "headers": documented("ETag")}, **problems(*REFUSALS)},
)
async def delete_logo(
    services: ServicesDependency, principal: PrincipalDependency, if_match: IfMatch = None
) -> Response:
    """Take the picture away."""
    require_settings(principal)
    return await change_store(
        services, principal, partial(_with_logo, logo=None), if_match=if_match, answer=settings_gone
    )


def _with_logo(settings: StoreSettings, *, logo: bytes | None) -> StoreSettings:
    return replace(settings, logo=logo)
