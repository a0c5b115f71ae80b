"""A caller and a server driven by hand: bytes come, the caller leaves and reads exactly when a test says so."""

import asyncio
import json
from collections import deque
from typing import Any

from starlette.types import ASGIApp, Message

from app.deadline.current import Deadline
from app.deadline.outcome import Outcome
from app.deadline.signals import Signals


class Visit:
    """One request to an ASGI application, inside of one event loop."""

    def __init__(
        self,
        app: ASGIApp,
        method: str = "GET",
        path: str = "/",
        *,
        headers: dict[str, str] | None = None,
        body: bytes | None = b"",
    ) -> None:
        path, _, query = path.partition("?")
        self.scope: dict[str, Any] = {
            "type": "http",
            "asgi": {"version": "3.0", "spec_version": "2.3"},
            "http_version": "1.1",
            "method": method,
            "scheme": "http",
            "path": path,
            "raw_path": path.encode(),
            "query_string": query.encode(),
            "root_path": "",
            "headers": [(name.lower().encode(), value.encode()) for name, value in (headers or {}).items()],
            "client": ("127.0.0.1", 50_000),
            "server": ("127.0.0.1", 80),
            "state": {},
        }
        self.status: int | None = None
        self.headers: dict[str, str] = {}
        self.body = bytearray()
        self.is_whole = False
        """Whether the whole answer was handed over."""
        self.asked = 0
        """How often the server was asked for what the caller sends."""
        self.has_left = False
        self.is_reading = asyncio.Event()
        self.is_reading.set()
        self.is_stuck = asyncio.Event()
        """Set once something of the answer waits for a caller who does not read."""
        self._pieces: deque[Message] = deque()
        self._news = asyncio.Event()
        self._app = app
        self.task: asyncio.Task[None] | None = None
        if body is not None:
            self.give(body, is_last=True)

    @property
    def deadline(self) -> Deadline:
        """What the middleware made for this request."""
        return self.scope["deadline"]

    @property
    def place(self) -> str | None:
        """Where the request is; None before it has arrived."""
        return self.deadline.boundary if "deadline" in self.scope else None

    @property
    def told(self) -> tuple[int | None, str, str]:
        """Status, code and boundary of a problem."""
        problem = json.loads(self.body)
        return self.status, problem["code"], problem["boundary"]

    @property
    def timing(self) -> dict[str, float]:
        """`Server-Timing` in seconds."""
        parts = [part.split(";dur=") for part in self.headers["server-timing"].split(", ")]
        return {name: float(value) / 1000 for name, value in parts}

    def give(self, piece: bytes, *, is_last: bool = False) -> None:
        """A piece of the body arrives."""
        self._pieces.append({"type": "http.request", "body": piece, "more_body": not is_last})
        self._news.set()

    def leave(self) -> None:
        """The caller hangs up; as servers do, whatever it sent before and nobody read is gone."""
        self.has_left = True
        self._news.set()

    def begin(self) -> "Visit":
        """The request arrives."""
        self.task = asyncio.create_task(self._app(self.scope, self._receive, self._send))
        return self

    async def end(self) -> "Visit":
        """Wait until the application has returned; what it raises is raised here."""
        assert self.task is not None
        await asyncio.shield(self.task)
        return self

    @property
    def is_over(self) -> bool:
        """Whether the application has returned."""
        return self.task is not None and self.task.done()

    async def answer(self) -> "Visit":
        """From its arrival to its end."""
        return await self.begin().end()

    async def _receive(self) -> Message:
        self.asked += 1
        while not (self.has_left or self.is_whole or self._pieces):
            self._news.clear()
            await self._news.wait()
        if self.has_left or self.is_whole:
            return {"type": "http.disconnect"}
        return self._pieces.popleft()

    async def _send(self, message: Message) -> None:
        if self.has_left:
            return
        if not self.is_reading.is_set():
            self.is_stuck.set()
            await self.is_reading.wait()
        if message["type"] == "http.response.start":
            assert self.status is None, "an answer began twice"
            self.status = message["status"]
            self.headers = {name.decode().lower(): value.decode() for name, value in message["headers"]}
            return
        assert not self.is_whole, "more came after the answer's end"
        self.body += message.get("body", b"")
        if not message.get("more_body", False):
            self.is_whole = True
            self._news.set()


class Notes(Signals):
    """Signals, written down."""

    def __init__(self) -> None:
        self.ends: list[tuple[str, Outcome, int]] = []
        """Route, outcome and status of every request that ended."""
        self.expiries: list[str] = []
        self.late: list[str] = []
        self.zombie_counts: list[tuple[str, int]] = []
        self.stops = 0
        self.refusals: list[str] = []
        self.ignored_headers: list[str] = []
        self.began_with: list[float] = []
        self.queues: list[str] = []
        self.used_of: list[str] = []

    def began(self, route: str, *, budget: float) -> None:
        self.began_with.append(budget)

    def ended(self, route: str, outcome: Outcome, *, status: int, seconds: float) -> None:
        self.ends.append((route, outcome, status))

    def queued(self, queue: str, *, seconds: float) -> None:
        self.queues.append(queue)

    def refused(self, reason: str) -> None:
        self.refusals.append(reason)

    def used(self, dependency: str, *, seconds: float) -> None:
        self.used_of.append(dependency)

    def expired(self, boundary: str) -> None:
        self.expiries.append(boundary)

    def stopped(self, *, seconds: float) -> None:
        self.stops += 1

    def finished_late(self, why: str) -> None:
        self.late.append(why)

    def zombies(self, kind: str, count: int) -> None:
        self.zombie_counts.append((kind, count))

    def ignored(self, header: str) -> None:
        self.ignored_headers.append(header)
