"""*Store*: what stands on every document, changed by those who may, with a look at each document before it is saved."""

from dataclasses import replace
from typing import Annotated, Final

from fastapi import APIRouter, Header, Query, Request, Response
from fastapi.responses import RedirectResponse
from sqlalchemy.orm import Session

from app.api.guarding import PERSONAL
from app.api.problems import ProblemError
from app.api.routes.documents import as_pdf
from app.api.routes.logo import logo_of
from app.api.services import Services, ServicesDependency
from app.api.store_changes import change_store, require_settings
from app.database.settings import Version, current_version, find_version
from app.database.tables import StoreRow
from app.domain.codes import Problem
from app.domain.principal import Right
from app.web.answers import unknown
from app.web.console import Console, ConsoleDependency
from app.web.store_forms import form_of, merged
from app.web.store_pages import Meanwhile, Said, store_page
from app.web.store_previews import asked_in, document_with, previewed
from app.web.store_visits import Typed, typed_of
from app.web.visitors import Visitor, VisitorDependency

router = APIRouter(include_in_schema=False)

_REFUSED: Final = Problem.INVALID_REQUEST.status


@router.get("/store")
async def show_store(
    console: ConsoleDependency,
    services: ServicesDependency,
    visitor: VisitorDependency,
    saved: Annotated[int | None, Query(ge=1, lt=2**31)] = None,
) -> Response:
    """The settings as they are; `saved` is the version that the visitor has just made."""
    return await store_page(console, services, visitor, said=Said(saved=saved))


@router.post("/store")
async def save_store(
    request: Request, console: ConsoleDependency, services: ServicesDependency, visitor: VisitorDependency
) -> Response:
    """Save all of it as one version, unless something is wrong or somebody else was faster."""
    require_settings(visitor.principal)
    typed = await typed_of(request, services)
    if typed.refusals:
        return await store_page(console, services, visitor, typed, Said(refusals=typed.refusals, status=_REFUSED))
    path = f"{console.root_path}/store"
    try:
        return await change_store(
            services,
            visitor.principal,
            typed.apply,
            if_match=f'"{typed.version}"',
            answer=lambda version: RedirectResponse(f"{path}?saved={version.number}", 303, PERSONAL),
            unknown=unknown(console, "/store", "unknown.saved"),
        )
    except ProblemError as problem:
        if problem.problem is not Problem.PRECONDITION_FAILED:
            raise
        return await _late(console, services, visitor, typed, status=problem.problem.status)


@router.post("/store/preview")
async def preview_store(
    request: Request, console: ConsoleDependency, services: ServicesDependency, visitor: VisitorDependency
) -> Response:
    """The page as it was typed, beside a document with these settings. Nothing is saved."""
    typed = await typed_of(request, services)
    if not visitor.principal.may(Right.SETTINGS):
        found = await previewed(services, visitor.owner, typed, change=None)
        return await store_page(console, services, visitor, said=Said(preview=found, status=found.status))
    if typed.refusals:
        said = Said(refusals=typed.refusals, preview=asked_in(typed), status=_REFUSED)
        return await store_page(console, services, visitor, typed, said)
    found = await previewed(services, visitor.owner, typed, change=typed.apply)
    return await store_page(console, services, visitor, typed, Said(preview=found, status=found.status))


@router.post("/store/preview.pdf")
async def preview_store_as_pdf(request: Request, services: ServicesDependency, visitor: VisitorDependency) -> Response:
    """The document with these settings, all of its pages."""
    typed = await typed_of(request, services)
    may_change = visitor.principal.may(Right.SETTINGS)
    return as_pdf(await document_with(services, visitor.owner, typed, change=typed.apply if may_change else None))


@router.get("/store/logo")
async def get_logo(
    services: ServicesDependency, visitor: VisitorDependency, if_none_match: Annotated[str | None, Header()] = None
) -> Response:
    """The logo, for the page that shows it."""
    return await logo_of(services, visitor.owner, if_none_match=if_none_match)


async def _late(console: Console, services: Services, visitor: Visitor, typed: Typed, *, status: int) -> Response:
    """The form once more, over the settings as somebody else has left them."""
    owner = visitor.owner

    def read(tx: Session) -> tuple[Version, Version | None]:
        store = tx.get_one(StoreRow, owner.store_id)
        return current_version(tx, store), find_version(tx, store, typed.version)

    async with services.database.reading() as tx:
        current, base = await tx.run_sync(read)
    if typed.apply(current.settings) == current.settings:
        # sent twice, or the same thought by two
        return RedirectResponse(f"{console.root_path}/store?saved={current.number}", 303, PERSONAL)
    opened_with = None if base is None else form_of(base.settings)
    found = merged(typed.form, base=opened_with, current=form_of(current.settings))
    theirs, taken = dict(found.theirs), list(found.taken)
    if base is not None and base.settings.logo != current.settings.logo:
        if typed.logo is not None or typed.removes_logo:
            theirs["logo"] = ""
        else:
            taken.append("logo")
    said = Said(meanwhile=Meanwhile(current, theirs, taken), status=status)
    return await store_page(console, services, visitor, replace(typed, form=found.form, version=current.number), said)
