"""The outermost layer of the API: a request id, the trace's id, and one log line for each request."""

import re
import time
from secrets import token_hex
from typing import Final

import structlog
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from app.api.traces import trace_parent_of
from app.deadline.current import Deadline
from app.domain.traces import trace_id_of

log = structlog.get_logger()

_ID: Final = re.compile(rb"[A-Za-z0-9._-]{1,64}")


class RequestLog:
    """Pure ASGI. Takes a proxy's `X-Request-Id` if it is harmless, else makes one, and answers with it."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        given = dict(scope["headers"]).get(b"x-request-id", b"")
        request_id = given.decode() if _ID.fullmatch(given) else token_hex(8)
        structlog.contextvars.bind_contextvars(request_id=request_id)
        trace_parent = trace_parent_of(scope)
        if trace_parent is not None:
            structlog.contextvars.bind_contextvars(trace_id=trace_id_of(trace_parent))
        began = time.monotonic()
        status = 0

        async def answer(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                message["headers"] = [*message["headers"], (b"x-request-id", request_id.encode())]
            await send(message)

        try:
            await self._app(scope, receive, answer)
        finally:
            deadline: Deadline | None = scope.get("deadline")
            log.info(
                "request.done",
                method=scope["method"],
                route=_route(scope, deadline),
                status=status,
                outcome=deadline.outcome if deadline else None,
                seconds=round(time.monotonic() - began, 4),
            )
            structlog.contextvars.unbind_contextvars("request_id", "trace_id")


def _route(scope: Scope, deadline: Deadline | None) -> str:
    """The template that answered, or that would have; never the address, which may hold ids."""
    if "route" in scope:
        return str(scope["route"].path)
    return deadline.policy.route.rpartition(" ")[2] if deadline else "unknown"
