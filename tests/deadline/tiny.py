"""The room around an application of a few lines, with everything that it holds in sight."""

import asyncio
from collections.abc import Callable, Coroutine
from dataclasses import dataclass, field
from typing import Any

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from app.deadline.admission import Admission, Permits
from app.deadline.current import current
from app.deadline.middleware import DeadlineMiddleware, Rules
from app.deadline.policy import Priority, RoutePolicy
from app.deadline.words import EXPIRED
from app.deadline.zombies import Zombies
from tests.deadline.scenes import clock
from tests.deadline.visiting import Notes, Visit

Handler = Callable[[Request], Coroutine[Any, Any, Response]]
CALL = RoutePolicy("tiny")


@dataclass
class Tiny:
    """One handler behind the middleware."""

    handler: Handler
    policy: RoutePolicy = CALL
    policies: dict[str, RoutePolicy] = field(default_factory=dict)
    """By path, where one is not enough."""
    permits: Permits = field(default_factory=lambda: Permits(4))
    rules: dict[str, Any] = field(default_factory=dict)
    cap: int = 3
    options: dict[str, Any] = field(default_factory=dict)
    notes: Notes = field(default_factory=Notes)
    calls: int = 0
    """How often the handler was begun."""

    def __post_init__(self) -> None:
        self.admission = Admission(self.permits)
        self.zombies = Zombies(self.notes, cap=self.cap)
        application = Starlette(
            routes=[Route("/{rest:path}", self._handle, methods=["GET", "POST"])], exception_handlers=EXPIRED
        )
        self.app = DeadlineMiddleware(
            application,
            rules=Rules(policy_of=lambda scope: self.policies.get(scope["path"], self.policy), **self.rules),
            signals=self.notes,
            admission=self.admission,
            zombies=self.zombies,
            **({"clock": clock} | self.options),
        )

    def visit(self, method: str = "GET", path: str = "/", **options: Any) -> Visit:
        """A request that has not arrived yet."""
        return Visit(self.app, method, path, **options)

    @property
    def taken(self) -> int:
        """Permits in use, of every lane."""
        return sum(self.admission.taken(one) for one in (Priority.PROBE, Priority.NORMAL, Priority.WAITING))

    async def _handle(self, request: Request) -> Response:
        self.calls += 1
        return await self.handler(request)


class Gate:
    """A handler that says when it is inside, and stays until it is let go."""

    def __init__(self) -> None:
        self.inside = asyncio.Event()
        self.let_go = asyncio.Event()

    async def __call__(self, _request: Request) -> Response:
        self.inside.set()
        await self.let_go.wait()
        return PlainTextResponse("done")


async def at_once(_request: Request) -> Response:
    """A handler that answers, and tells what it was given."""
    deadline = current()
    return PlainTextResponse("" if deadline is None else str(deadline.left()))
