"""Our API in this process, on a database of either kind, with everything that it holds in sight."""

import json
import threading
import time
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from socket import SO_SNDBUF, SOL_SOCKET
from typing import Any

import dramatiq
import psycopg
import uvicorn
from pydantic import SecretStr
from sqlalchemy import make_url, select
from starlette.types import Receive, Scope, Send

from app.api.requests import RequestLog
from app.artifacts.folder import FolderStore
from app.cli import composing, serving
from app.database.engines import sync_engine
from app.database.stores import create_store, create_token, find_store
from app.database.tables import JobRow
from app.database.transactions import Database
from app.deadline.admission import Admission, Permits
from app.deadline.answer import Answer
from app.deadline.effect import Effect
from app.deadline.middleware import DeadlineMiddleware
from app.deadline.policy import Priority, RoutePolicy
from app.domain.principal import Right
from app.messaging.broker import memory_broker
from app.settings import Settings
from tests.deadline.scenes import BOUND, play
from tests.deadline.visiting import Notes, Visit
from tests.migrated import LIMITS
from tests.waiting import until

LANES = (Priority.PROBE, Priority.NORMAL, Priority.WAITING)


class Observed:
    """The application as it is composed, and what a test may do at the moments of a write."""

    def __init__(
        self,
        url: str,
        folder: Path,
        *,
        clock: Callable[[], float] = time.monotonic,
        broker: dramatiq.Broker | None = None,
        permits: Permits | None = None,
        changes: dict[str, Any] | None = None,
        **settings: Any,
    ) -> None:
        self.artifacts = FolderStore(folder / "artifacts")
        self.artifacts.prepare()
        self.artifacts.identify()
        self.api = composing.build_api(
            Settings(database_url=SecretStr(url), **settings),
            broker=broker or memory_broker(),
            artifacts=self.artifacts,
        )
        self.services = self.api.state.services
        self.pool = self.services.database.pool
        self.engine = self.services.database._engine.sync_engine
        self.notes = Notes()
        parts = self.api.state.deadlines
        self.admission = Admission(permits or Permits())
        self.zombies = parts.zombies

        def policy_of(scope: Scope) -> RoutePolicy:
            return replace(parts.rules.policy_of(scope), **(changes or {}))

        self.app = RequestLog(
            DeadlineMiddleware(
                self._serve,
                rules=replace(parts.rules, policy_of=policy_of),
                admission=self.admission,
                zombies=self.zombies,
                signals=self.notes,
                clock=clock,
            )
        )
        self.database = Database(sync_engine(url, LIMITS))
        self.at: dict[str, Callable[[], object]] = {}
        """What is done when a write is `staged`, when its COMMIT is `sent`, when it is `acknowledged`."""

    async def _serve(self, scope: Scope, receive: Receive, send: Send) -> None:
        if "deadline" in scope:
            scope["deadline"].effect = _Watched(self.at)
        await self.api(scope, receive, send)

    def owner(self, name: str = "alice") -> "Owner":
        """Somebody with a token."""
        with self.database.transaction() as tx:
            store = find_store(tx, "demo") or create_store(tx, key="demo")
            token = create_token(tx, store_id=store.id, owner=name, rights=frozenset(Right), expires_at=None)
        return Owner(self, token.text)

    def jobs(self) -> list[str]:
        """The states of all jobs."""
        with self.database.reading() as tx:
            return [str(state) for state in tx.scalars(select(JobRow.state).order_by(JobRow.created_at))]

    @property
    def held(self) -> dict[str, int]:
        """What is in use now, of everything that a request may hold; empty when nothing is."""
        found = {
            "connections": self.pool.in_use,
            "places in the pool": self.pool.size - self.pool._permits._value,
            "connections of the driver": self.engine.pool.checkedout(),
            "zombies": self.zombies.count,
            "permits": sum(self.admission.taken(lane) for lane in LANES),
        }
        return {name: count for name, count in found.items() if count}

    def play(self, scene: Coroutine[Any, Any, None]) -> None:
        """Run a scene around it, and close it whatever happens."""

        async def whole() -> None:
            try:
                await scene
            finally:
                await self.close()

        play(whole())

    async def close(self) -> None:
        """Close what the application's lifespan would."""
        self.services.threads.close()
        await self.services.database.close()

    @contextmanager
    def listening(self) -> Iterator["Listening"]:
        """Serve it on a socket, from a thread of its own."""
        socket = serving._listen("127.0.0.1", 0)
        # as over a real network, where a peer that reads nothing is noticed before megabytes are on their way
        socket.setsockopt(SOL_SOCKET, SO_SNDBUF, 1 << 16)
        server = uvicorn.Server(
            uvicorn.Config(
                self._listened,
                interface="asgi3",
                log_config=None,
                access_log=False,
                proxy_headers=False,
                timeout_graceful_shutdown=5,
            )
        )
        thread = threading.Thread(target=server.run, kwargs={"sockets": [socket]})
        thread.start()
        try:
            wait_until(lambda: server.started)
            yield Listening(socket.getsockname()[1], server)
        finally:
            server.should_exit = True
            thread.join(BOUND)
            assert not thread.is_alive()
            socket.close()

    async def _listened(self, scope: Scope, receive: Receive, send: Send) -> None:
        # the lifespan's background look at the database would be seen as a connection in use
        if scope["type"] == "lifespan":
            assert (await receive())["type"] == "lifespan.startup"
            await send({"type": "lifespan.startup.complete"})
            assert (await receive())["type"] == "lifespan.shutdown"
            await self.close()
            await send({"type": "lifespan.shutdown.complete"})
            return
        await self.app(scope, receive, send)


class _Watched(Effect):
    """An effect slot that says how far it has come."""

    def __init__(self, at: dict[str, Callable[[], object]]) -> None:
        super().__init__()
        self._at = at

    def stage(self, *, unknown: Answer, done: Answer) -> None:
        super().stage(unknown=unknown, done=done)
        self._at.get("staged", int)()

    def sent(self) -> None:
        is_staged = not self.is_unknown
        super().sent()
        if is_staged and self.is_unknown:
            self._at.get("sent", int)()

    def acknowledged(self) -> None:
        was_sent = self.is_unknown
        super().acknowledged()
        if was_sent:
            self._at.get("acknowledged", int)()


@dataclass
class Owner:
    """Somebody with a token."""

    house: Observed
    token: str

    @property
    def headers(self) -> dict[str, str]:
        return {"Authorization": f"Bearer {self.token}", "Content-Type": "application/json"}

    def visit(self, method: str, path: str, *, sends: Any = None, **headers: str) -> Visit:
        """A request that has not arrived yet; header names are given with `_`."""
        more = {name.replace("_", "-"): value for name, value in headers.items()}
        body = b"" if sends is None else json.dumps(sends).encode()
        return Visit(self.house.app, method, path, headers=self.headers | more, body=body)

    def create(self, **headers: str) -> Visit:
        """The create of these tests: always the same one."""
        sends = {"document_type": "invoice"}
        return self.visit("POST", "/v1/exports", sends=sends, Idempotency_Key="the-key", **headers)

    async def load(self, orders: list[dict[str, Any]]) -> None:
        """Import orders."""
        visit = await self.visit("POST", "/v1/orders/import", sends=orders).answer()
        assert visit.status == 200, visit.body


@dataclass
class Listening:
    """A server on a port of 127.0.0.1."""

    port: int
    server: uvicorn.Server

    @property
    def is_quiet(self) -> bool:
        """Whether nobody is connected and nothing is at work."""
        state = self.server.server_state
        return not state.connections and not state.tasks


class Witness:
    """A connection of its own to PostgreSQL, which sees who waits and whom it blocks."""

    def __init__(self, url: str) -> None:
        found = make_url(url)
        self.connection = psycopg.connect(
            host=found.host, port=found.port, user=found.username, dbname=found.database, application_name="witness"
        )
        self.connection.autocommit = True

    def one(self, query: str, *values: Any) -> Any:
        """The first value of the first row; None without one."""
        cursor = self.connection.execute(query.encode(), values)
        row = cursor.fetchone() if cursor.description else None
        return None if row is None else row[0]

    def blocked(self) -> list[int]:
        """The server processes that wait for this connection."""
        query = "SELECT array_agg(pid) FROM pg_stat_activity WHERE pg_backend_pid() = ANY(pg_blocking_pids(pid))"
        return self.one(query) or []

    def at_work(self) -> int:
        """How many server processes of ours are in a transaction."""
        return self.one(
            "SELECT count(*) FROM pg_stat_activity "
            "WHERE datname = current_database() AND application_name = 'sheaf' AND state <> 'idle'"
        )

    def close(self) -> None:
        """Let go of everything."""
        self.connection.close()


def wait_until(is_so: Callable[[], Any]) -> Any:
    """What the question answers as soon as it is true, for a server in a thread or a process."""
    return until(is_so, within=BOUND)
