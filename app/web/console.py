"""What the console's routes are given."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, cast

from fastapi import Depends, Request

from app.deadline.ingress import Network
from app.web.attempts import Attempts
from app.web.pages import Pages
from app.web.texts import Texts


@dataclass(frozen=True, slots=True)
class Console:
    """The console's parts in one API process."""

    pages: Pages
    attempts: Attempts
    root_path: str
    session_seconds: float
    """How long a sign-in lasts."""
    trusted: Sequence[Network] = ()
    """The proxies whose word about a caller's address is taken."""


def console_of(request: Request) -> Console:
    """The console of the application that serves this request."""
    return cast("Console", request.app.state.console)


def texts_of(request: Request) -> Texts:
    """What that console says."""
    return console_of(request).pages.texts


async def _console_of(request: Request) -> Console:
    # the framework would run a plain function in a thread
    return console_of(request)


ConsoleDependency = Annotated[Console, Depends(_console_of)]
