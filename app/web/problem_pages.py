"""Problems as pages: whoever asks for HTML is told in HTML what went wrong, whichever layer said so."""

import json
from typing import Any, Final

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from app.api.guarding import PERSONAL
from app.api.problems import MEDIA_TYPE
from app.web.pages import NO_ONE, Pages

_OF_PROGRAMS: Final = ("/v1/", "/livez", "/readyz", "/metrics", "/openapi.json")
"""Addresses that answer in JSON, whatever is asked for."""


class ProblemPages:
    """Pure ASGI. Holds back the beginning of a problem's answer until its body is there, which is short."""

    def __init__(self, app: ASGIApp, pages: Pages) -> None:
        self._app = app
        self._pages = pages

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        if scope["type"] != "http" or not _wants_page(scope):
            await self._app(scope, receive, send)
            return
        beginning: Message | None = None
        body = b""

        async def answer(message: Message) -> None:
            nonlocal beginning, body
            if message["type"] == "http.response.start":
                if Headers(raw=message["headers"]).get("content-type") != MEDIA_TYPE:
                    await send(message)
                else:
                    beginning = message
            elif beginning is None:
                await send(message)
            else:
                body += message.get("body", b"")
                if not message.get("more_body", False):
                    await self._send_page(scope, beginning, body, send)

        await self._app(scope, receive, answer)

    async def _send_page(self, scope: Scope, beginning: Message, body: bytes, send: Send) -> None:
        problem: dict[str, Any] = json.loads(body) if body else {}
        page = b""
        if problem:
            values = {**NO_ONE, "problem": problem, "is_repeatable": scope["method"] in ("GET", "HEAD")}
            page = self._pages.text("problem.html", values).encode()
        headers = MutableHeaders(raw=list(beginning["headers"]))
        headers.update({**PERSONAL, "Content-Type": "text/html; charset=utf-8", "Content-Length": str(len(page))})
        await send({**beginning, "headers": headers.raw})
        await send({"type": "http.response.body", "body": page if scope["method"] != "HEAD" else b""})


def _wants_page(scope: Scope) -> bool:
    return not scope["path"].startswith(_OF_PROGRAMS) and "text/html" in Headers(scope=scope).get("accept", "")
