"""Signing in with a token, and out again, here or everywhere."""

import re
import secrets
from math import ceil
from typing import Annotated, Final

import structlog
from fastapi import APIRouter, Query, Request, Response
from fastapi.responses import RedirectResponse

from app.api.guarding import PERSONAL
from app.api.problems import problem_response
from app.api.services import ServicesDependency
from app.database.sessions import begin_session, end_session, end_sessions_of
from app.deadline.current import stage
from app.domain.codes import Problem
from app.web.console import Console, ConsoleDependency
from app.web.cookies import cookie_of, forget_cookie, set_cookie
from app.web.forms import Form, FormDependency
from app.web.peers import peer_of
from app.web.visitors import VisitorDependency, form_token_of, possible_visitor_of

log = structlog.get_logger()
router = APIRouter(include_in_schema=False)

_HOME: Final = "/exports"
_OWN_PATH: Final = re.compile(r"/(exports|orders|store)(/[A-Za-z0-9-]+)*")
"""Pages of ours: whoever signs in is led nowhere else."""
_LONGEST: Final = 200
"""Characters of the longest token that is looked up; ours are 49."""


@router.get("/")
async def begin(console: ConsoleDependency) -> Response:
    """Whoever opens the bare address is led to their exports."""
    return RedirectResponse(f"{console.root_path}{_HOME}", 303, PERSONAL)


@router.get("/sign-in")
async def show_sign_in(
    request: Request, console: ConsoleDependency, wanted: Annotated[str, Query(alias="next", max_length=500)] = _HOME
) -> Response:
    """The form, or the page that was wanted for whoever is signed in already."""
    if await possible_visitor_of(request) is not None:
        return RedirectResponse(f"{console.root_path}{_own(wanted)}", 303, PERSONAL)
    return _form(request, console, wanted=wanted)


@router.post("/sign-in")
async def sign_in(
    request: Request, console: ConsoleDependency, services: ServicesDependency, form: FormDependency
) -> Response:
    """Begin a session. Its cookie is a new one, whatever the browser had before."""
    address = peer_of(request, console.trusted)
    wait = console.attempts.wait(address)
    if wait > 0:
        return _form(request, console, wanted=form.get("next"), wait=ceil(wait))
    secret = await _begin(console, services, form)
    if secret is None:
        console.attempts.failed(address)
        log.info("session.refused")
        return _form(request, console, wanted=form.get("next"), is_refused=True)
    answer = RedirectResponse(f"{console.root_path}{_own(form.get('next'))}", 303, PERSONAL)
    set_cookie(request, answer, secret, seconds=console.session_seconds)
    return answer


@router.post("/sign-out")
async def sign_out(
    request: Request,
    console: ConsoleDependency,
    services: ServicesDependency,
    visitor: VisitorDependency,
    form: FormDependency,
) -> Response:
    """End this session, or with `everywhere` all of its owner's."""
    answer = RedirectResponse(f"{console.root_path}/sign-in", 303, PERSONAL)
    forget_cookie(request, answer)
    async with services.database.transaction() as tx:
        if form.get("everywhere"):
            await tx.run_sync(end_sessions_of, visitor.owner)
        else:
            await tx.run_sync(end_session, visitor.secret)
        unknown = problem_response(Problem.OUTCOME_UNKNOWN, console.pages.texts("unknown.signed_out"))
        stage(unknown=unknown, done=answer)
    return answer


async def _begin(console: Console, services: ServicesDependency, form: Form) -> str | None:
    token = form.get("token").strip()
    if not token or len(token) > _LONGEST:
        return None
    async with services.database.transaction() as tx:
        return await tx.run_sync(begin_session, token, seconds=console.session_seconds)


def _form(
    request: Request, console: Console, *, wanted: str, is_refused: bool = False, wait: int | None = None
) -> Response:
    secret = cookie_of(request) or secrets.token_urlsafe(32)
    status, headers = (403 if is_refused else 200), None
    if wait is not None:
        status, headers = Problem.TOO_MANY_SIGN_INS.status, {"Retry-After": str(wait)}
    answer = console.pages.page(
        "sign_in.html",
        status=status,
        headers=headers,
        form_token=form_token_of(secret),
        next=_own(wanted),
        is_refused=is_refused,
        wait=wait,
    )
    set_cookie(request, answer, secret)
    return answer


def _own(path: str) -> str:
    return path if _OWN_PATH.fullmatch(path) else _HOME
