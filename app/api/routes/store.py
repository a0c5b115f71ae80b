"""`/v1/store`: what stands on every document of the owner's store."""

from functools import partial
from typing import Annotated, Final

from fastapi import APIRouter, Header, Request, Response

from app.api.auth import PrincipalDependency
from app.api.bodies import read_json
from app.api.conditions import is_named
from app.api.documenting import documented, problems
from app.api.routes.creating import BODY_REFUSALS
from app.api.services import ServicesDependency
from app.api.store_changes import (
    CHANGED,
    REFUSALS,
    IfMatch,
    change_store,
    changes_of,
    headers_of,
    read_settings,
    require_settings,
    settings_shown,
)
from app.api.store_schemas import StoreModel
from app.documents.settings import changed
from app.domain.codes import Problem

router = APIRouter(tags=["store"])

_MAX_BODY: Final = 1 << 16
"""Bytes of a change; the largest that can be taken has a third of it."""

_EXAMPLE: Final = {
    "tax_ids": [{"label": "VAT no.", "number": "GB 123 4567 89"}],
    "bank_lines": ["IBAN GB33 BUKB 2020 1555 5555 55", "BIC BUKBGB22"],
    "accent": "#1a4d8f",
    "footer": None,
}


@router.get(
    "/v1/store",
    summary="Look at the store's settings",
    description=(
        "What stands on every document of the token's store. Any token of the store may read it. `ETag` is the "
        "version: send it as `If-None-Match` and unchanged settings answer 304."
    ),
    response_model=StoreModel,
    responses={
        200: {"description": "As they are.", "headers": documented("ETag")},
        304: {"description": "They are at the version in `If-None-Match`.", "headers": documented("ETag")},
        **problems(Problem.UNAUTHENTICATED, Problem.NOT_FOUND),
    },
)
async def get_store(
    services: ServicesDependency,
    principal: PrincipalDependency,
    if_none_match: Annotated[str | None, Header()] = None,
) -> Response:
    """The settings of the principal's store."""
    key = principal.owner.store
    version = await read_settings(services, key)
    headers = headers_of(version)
    if is_named(headers["ETag"], if_none_match):
        return Response(status_code=304, headers=headers)
    return settings_shown(version, key=key, root_path=services.limits.root_path)


@router.patch(
    "/v1/store",
    summary="Change the store's settings",
    description=(
        "A JSON merge patch (RFC 7396): what is named is changed, null takes it away, lists are replaced whole. Needs "
        "the right `settings` (`sheaf tokens create --settings`): who changes the bank lines decides where the "
        "customers' money goes. Each change is a new version; exports that are planned keep what they froze. With "
        "`If-Match` nothing is changed unless the settings are at that version. The logo has an address of its own."
    ),
    response_model=StoreModel,
    responses={200: CHANGED, **problems(*BODY_REFUSALS, *REFUSALS)},
    openapi_extra={
        "requestBody": {
            "required": True,
            "content": {
                media_type: {"schema": {"$ref": "#/components/schemas/StoreChange"}, "example": _EXAMPLE}
                for media_type in ("application/merge-patch+json", "application/json")
            },
        }
    },
)
async def patch_store(
    request: Request, services: ServicesDependency, principal: PrincipalDependency, if_match: IfMatch = None
) -> Response:
    """Change what the patch names."""
    require_settings(principal)
    body = await read_json(request, at_most=_MAX_BODY, idle=services.limits.import_idle)
    return await change_store(
        services,
        principal,
        partial(changed, changes=changes_of(body.value)),
        if_match=if_match,
        answer=partial(settings_shown, key=principal.owner.store, root_path=services.limits.root_path),
    )
