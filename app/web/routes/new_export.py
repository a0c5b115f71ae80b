"""*New export*: the form, a look at what it would make, and the create itself."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Final
from uuid import UUID, uuid4
from zoneinfo import ZoneInfo

from fastapi import APIRouter, Query, Request, Response
from fastapi.responses import PlainTextResponse
from sqlalchemy.orm import Session

from app.api.accepting import key_of
from app.api.bodies import JsonBody
from app.api.guarding import PERSONAL
from app.api.preview_schemas import ExportPreview
from app.api.problems import ProblemError
from app.api.routes.creating import create
from app.api.routes.previewing import previewed
from app.api.services import Services, ServicesDependency
from app.api.traces import trace_parent_of
from app.database.holdings import Holdings, holdings, newest_orders
from app.database.jobs import find_job
from app.database.lifetimes import database_time
from app.domain.codes import Problem
from app.domain.filename_patterns import Named, PatternRefused, check_pattern, stem_by
from app.domain.principal import Owner
from app.web.answers import PageAnswers
from app.web.console import Console, ConsoleDependency
from app.web.forms import FormDependency
from app.web.presets import Preset, presets
from app.web.stores import zone_of
from app.web.visitors import Visitor, VisitorDependency
from app.web.wishes import Wish, field_of, wish_like, wish_of

router = APIRouter(include_in_schema=False)

_MENDED_HERE: Final = frozenset(
    {
        Problem.INVALID_REQUEST,
        Problem.SELECTION_EMPTY,
        Problem.SELECTION_TOO_LARGE,
        Problem.ACTIVE_EXPORT_EXISTS,
        Problem.IDEMPOTENCY_KEY_REUSED,
        Problem.EXPORT_DELETED,
        Problem.RENDERER_UNAVAILABLE,
    }
)
"""Problems that are told in the form, since something in it, or a moment's patience, mends them."""
_MANY: Final = 1 << 16
"""Characters of order numbers and ids that take long enough to look through to be given to a thread."""
_KEY_IS_SPENT: Final = frozenset({Problem.IDEMPOTENCY_KEY_REUSED, Problem.EXPORT_DELETED})
_EXAMPLE: Final = Named("invoice", "1001", 1001, "2026-11-30", "Ada Lovelace")
"""What names files in a store without orders."""


@dataclass(frozen=True, slots=True)
class _Error:
    """What is wrong, at which field of the form, and where to look."""

    text: str
    field: str = ""
    href: str = ""
    link: str = ""


@dataclass(frozen=True)
class _Offered:
    presets: Sequence[Preset]
    holdings: Holdings
    example: str
    zone: ZoneInfo


@router.get("/exports/new")
async def show_form(
    console: ConsoleDependency,
    services: ServicesDependency,
    visitor: VisitorDependency,
    like: Annotated[UUID | None, Query()] = None,
) -> Response:
    """The form, empty or filled like an earlier export of the visitor's."""

    def earlier(tx: Session) -> Wish:
        job = None if like is None else find_job(tx, visitor.owner, like)
        return Wish() if job is None else wish_like(job, zone_of(tx, visitor.owner))

    async with services.database.reading() as tx:
        wish = await tx.run_sync(earlier)
    return await _form(console, services, visitor, wish, key=uuid4().hex)


@router.post("/exports/new")
async def show_preview(
    console: ConsoleDependency, services: ServicesDependency, visitor: VisitorDependency, form: FormDependency
) -> Response:
    """The form as it was sent, with what it would make. Nothing is created."""
    wish, key = wish_of(form), key_of(form.get("key"))
    try:
        found = await previewed(services, visitor.owner, _body_of(wish))
    except ProblemError as problem:
        return await _refused(console, services, visitor, wish, problem, key=key)
    return await _form(console, services, visitor, wish, key=key, preview=found)


@router.post("/exports")
async def create_export(
    request: Request,
    console: ConsoleDependency,
    services: ServicesDependency,
    visitor: VisitorDependency,
    form: FormDependency,
) -> Response:
    """Create it, and go to its page; the form's key makes it one export, however often it is sent."""
    wish, key = wish_of(form), key_of(form.get("key"))
    try:
        return await create(
            services,
            visitor.owner,
            _body_of(wish),
            key=key,
            trace_parent=trace_parent_of(request.scope),
            answers=PageAnswers(console),
        )
    except ProblemError as problem:
        return await _refused(console, services, visitor, wish, problem, key=key)


@router.get("/exports/new/example")
async def show_example(
    services: ServicesDependency,
    visitor: VisitorDependency,
    document_type: Annotated[str, Query(max_length=20)] = "",
    filename_pattern: Annotated[str, Query(max_length=300)] = "",
) -> Response:
    """What a file would be called, as plain text for the script."""

    def read(tx: Session) -> str:
        wish = Wish(document_type=document_type, pattern=filename_pattern)
        return _example(tx, visitor.owner, wish, zone_of(tx, visitor.owner))

    async with services.database.reading() as tx:
        return PlainTextResponse(await tx.run_sync(read), headers=PERSONAL)


def _body_of(wish: Wish) -> JsonBody:
    return JsonBody(wish.body(), is_large=len(wish.numbers) + len(wish.order_ids) > _MANY)


async def _refused(
    console: Console, services: Services, visitor: Visitor, wish: Wish, problem: ProblemError, *, key: str
) -> Response:
    if problem.problem not in _MENDED_HERE:
        raise problem
    # the key has made another export: sent again on purpose, the form makes a new one
    fresh = uuid4().hex if problem.problem in _KEY_IS_SPENT else key
    errors = _errors(console, problem)
    status, headers = problem.problem.status, problem.headers
    return await _form(
        console, services, visitor, wish, key=fresh, errors=errors, status=status, headers=dict(headers or {})
    )


def _errors(console: Console, problem: ProblemError) -> list[_Error]:
    t = console.pages.texts
    if problem.problem is Problem.INVALID_REQUEST and "errors" in problem.extra:
        found = []
        for error in problem.extra["errors"]:
            field = field_of(error["field"])
            label = t(f"new.{field}") if field else error["field"]
            found.append(_Error(t("errors.one", field=label, reason=error["reason"]), field))
        return found
    href = str(problem.extra.get("export") or "").replace(f"{console.root_path}/v1/", f"{console.root_path}/", 1)
    text = t(f"errors.{problem.problem.code}", count=problem.extra.get("max_items", ""))
    return [_Error(text, href=href, link=t("problem.export") if href else "")]


async def _form(
    console: Console,
    services: Services,
    visitor: Visitor,
    wish: Wish,
    *,
    key: str,
    errors: Sequence[_Error] = (),
    preview: ExportPreview | None = None,
    status: int = 200,
    headers: dict[str, str] | None = None,
) -> Response:
    owner = visitor.owner

    def read(tx: Session) -> _Offered:
        zone = zone_of(tx, owner)
        today = database_time(tx).astimezone(zone).date()
        return _Offered(presets(today), holdings(tx, owner.store_id), _example(tx, owner, wish, zone), zone)

    async with services.database.reading() as tx:
        offered = await tx.run_sync(read)
    return console.pages.page(
        "new_export.html",
        status=status,
        headers=headers,
        visitor=visitor,
        place="new",
        wish=wish,
        key=key,
        errors=errors,
        preview=preview,
        **vars(offered),
    )


def _example(tx: Session, owner: Owner, wish: Wish, zone: ZoneInfo) -> str:
    """The name of the newest order's file by this pattern, or why there is none."""
    try:
        check_pattern(wish.pattern)
    except PatternRefused as refused:
        return refused.reason
    newest = newest_orders(tx, owner.store_id, limit=1)
    named = _EXAMPLE
    if newest:
        (order,) = newest
        created = order.created_at
        day = "" if created is None else created.astimezone(zone).date().isoformat()
        named = Named(wish.document_type, order.number, order.shop_id, day, order.customer)
    return f"{stem_by(wish.pattern, named)}.pdf"
