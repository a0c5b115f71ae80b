"""The console as a part of the API's application: its addresses, and its answers to those who are not signed in."""

from collections.abc import Sequence
from urllib.parse import urlencode

from fastapi import FastAPI, Request, Response
from starlette.responses import RedirectResponse
from starlette.types import ASGIApp

from app.api.guarding import PERSONAL
from app.api.problems import problem_response
from app.deadline.ingress import Network
from app.domain.codes import Problem
from app.web.attempts import Attempts
from app.web.console import Console
from app.web.pages import Pages
from app.web.problem_pages import ProblemPages
from app.web.routes import (
    acting,
    assets,
    checking,
    export,
    exports,
    fetching,
    live,
    new_export,
    orders,
    samples,
    signing_in,
    store,
)
from app.web.visitors import SignInNeeded


def install_console(api: FastAPI, *, root_path: str, session_seconds: float, trusted: Sequence[Network] = ()) -> None:
    """Give the application its pages; a sign-in lasts `session_seconds`."""
    pages = Pages(root_path)
    api.state.console = Console(pages, Attempts(), root_path, session_seconds, trusted)
    # `/exports/new` before `/exports/{id}`
    for module in (
        assets,
        signing_in,
        exports,
        new_export,
        samples,
        export,
        acting,
        live,
        fetching,
        checking,
        orders,
        store,
    ):
        api.include_router(module.router)

    def dress(app: ASGIApp) -> ASGIApp:
        return ProblemPages(app, pages)

    api.state.dress = dress

    @api.exception_handler(SignInNeeded)
    async def _(request: Request, _needed: SignInNeeded) -> Response:
        if "text/html" not in request.headers.get("accept", ""):
            return problem_response(Problem.UNAUTHENTICATED, headers=PERSONAL)
        # nobody comes back to where only a form leads
        query = f"?{urlencode({'next': request.url.path})}" if request.method == "GET" else ""
        return RedirectResponse(f"{root_path}/sign-in{query}", 303, PERSONAL)
