"""The API in this process, on an event loop whose clock can be put forward, asked by callers who can wait.

A deadline then ends when a test has seen what it must meet, and not when a machine happens to be slow.
"""

import asyncio
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

import dramatiq
import httpx
from dramatiq.brokers.stub import StubBroker
from pydantic import SecretStr
from sqlalchemy import event, func, select

from app.api.requests import RequestLog
from app.artifacts.folder import FolderStore
from app.cli import composing
from app.database.engines import sync_engine
from app.database.planning import plan
from app.database.stores import create_store, create_token, find_store
from app.database.tables import JobRow
from app.database.transactions import Database
from app.deadline.current import Deadline, current
from app.deadline.middleware import DeadlineMiddleware
from app.deadline.policy import Priority, RoutePolicy
from app.domain.principal import Right
from app.messaging.broker import QUEUE
from app.settings import Settings
from tests.api.finishing import claimed
from tests.migrated import LIMITS
from tests.waiting import PATIENCE, until

BUDGET = 60.0
"""Seconds that every caller has: they end when a test says so, and not because a machine is slow."""
LAST = 0.1
"""Seconds that a call keeps when its deadline is brought near: both steps of a cancel take their real time."""


class HurriedLoop(asyncio.SelectorEventLoop):
    """An event loop whose clock can be put forward."""

    ahead = 0.0

    def time(self) -> float:
        return super().time() + self.ahead


@dataclass
class Asked:
    """A request on its way."""

    future: "Future[httpx.Response]" = field(default_factory=Future)
    scope: dict[str, Any] = field(default_factory=dict)

    @property
    def deadline(self) -> Deadline:
        return until(lambda: self.scope.get("deadline"))

    def answer(self) -> httpx.Response:
        return self.future.result(PATIENCE)


class HeldBroker(StubBroker):
    """Does what a test wants whenever the bell is rung."""

    def ring(self) -> None:
        """Nothing, unless a test says otherwise."""

    def enqueue(self, message: "dramatiq.Message[Any]", *, delay: int | None = None) -> "dramatiq.Message[Any]":
        self.ring()
        return super().enqueue(message, delay=delay)


class Api:
    """The application as a server runs it, on a thread of its own."""

    def __init__(self, url: str, folder: Path) -> None:
        artifacts = FolderStore(folder / "artifacts")
        artifacts.prepare()
        artifacts.identify()
        settings = Settings(database_url=SecretStr(url), request_seconds=BUDGET)
        self.broker = HeldBroker(middleware=[])
        self.broker.declare_queue(QUEUE)
        self.api = composing.build_api(settings, broker=self.broker, artifacts=artifacts)
        self.services = self.api.state.services
        self.loop = HurriedLoop()
        parts = self.api.state.deadlines
        self.zombies = parts.zombies

        def policy_of(scope: Any) -> RoutePolicy:
            policy: RoutePolicy = parts.rules.policy_of(scope)
            return replace(policy, caps={**policy.caps, "database": BUDGET})

        self.served = RequestLog(
            DeadlineMiddleware(
                self.api,
                rules=replace(parts.rules, policy_of=policy_of),
                admission=parts.admission,
                zombies=parts.zombies,
                signals=parts.signals,
                clock=self.loop.time,
            )
        )
        self.database = Database(sync_engine(url, LIMITS))
        self.engine = self.services.database._engine.sync_engine

    @contextmanager
    def running(self) -> Iterator["Api"]:
        over = asyncio.Event()
        begun = threading.Event()

        async def live() -> None:
            async with self.api.router.lifespan_context(self.api):
                begun.set()
                await over.wait()
            # what was held must have said its last word before the loop closes
            for thread in threading.enumerate():
                if "_connection_worker_thread" in thread.name:
                    await asyncio.to_thread(thread.join, PATIENCE)
            tasks = asyncio.all_tasks() - {asyncio.current_task()}
            taken = self.api.state.deadlines.admission.taken(Priority.NORMAL)
            self.left_behind = (tasks, taken, self.services.database.pool.in_use, self.zombies.count)

        thread = threading.Thread(target=self.loop.run_until_complete, args=(live(),))
        thread.start()
        try:
            assert begun.wait(PATIENCE)
            yield self
        finally:
            self.loop.call_soon_threadsafe(over.set)
            thread.join(PATIENCE)
            assert not thread.is_alive()
            assert self.left_behind == (set(), 0, 0, 0)
            self.loop.close()
            self.database.close()

    def owner(self) -> "Owner":
        """Somebody who has not been here before, in the one store."""
        name = f"owner-{uuid4().hex}"
        with self.database.transaction() as tx:
            store = find_store(tx, "demo") or create_store(tx, key="demo")
            token = create_token(tx, store_id=store.id, owner=name, rights=frozenset(Right), expires_at=None)
        return Owner(self, name, token.text)

    def ask(self, method: str, path: str, **options: Any) -> Asked:
        """Begin a request."""
        asked = Asked()

        async def app(scope: Any, receive: Any, send: Any) -> None:
            asked.scope = scope
            await self.served(scope, receive, send)

        async def request() -> httpx.Response:
            transport = httpx.ASGITransport(app, raise_app_exceptions=False)
            async with httpx.AsyncClient(transport=transport, base_url="http://api") as client:
                return await client.request(method, path, **options)

        asked.future = asyncio.run_coroutine_threadsafe(request(), self.loop)
        return asked

    def hurry(self, asked: Asked) -> None:
        """Bring the deadline of a request near."""

        def put_forward() -> None:
            self.loop.ahead += max(0.0, asked.deadline.left() - LAST)

        self.loop.call_soon_threadsafe(put_forward)

    def on_next_commit(self, act: Callable[[Any], None]) -> None:
        """What `on_commit` does, for the next one only."""
        acts = [act]
        self.on_commit(lambda driver: acts and acts.pop()(driver))

    def on_commit(self, act: Callable[[Any], object]) -> None:
        """Call with the driver's connection when the COMMIT of a staged write is about to be sent."""

        @event.listens_for(self.engine, "commit")
        def _(connection: Any) -> None:
            deadline = current()
            if deadline is not None and deadline.effect.is_unknown:
                act(connection.connection.driver_connection)


@dataclass
class Owner:
    """Somebody with a token."""

    api: Api
    name: str
    token: str

    def ask(self, method: str, path: str, *, headers: dict[str, str] | None = None, **options: Any) -> Asked:
        headers = {"Authorization": f"Bearer {self.token}", **(headers or {})}
        return self.api.ask(method, path, headers=headers, **options)

    def __call__(self, method: str, path: str, **options: Any) -> httpx.Response:
        return self.ask(method, path, **options).answer()

    def create(self, key: str | None = "k") -> Asked:
        """Begin to create the one export of these tests."""
        headers = {} if key is None else {"Idempotency-Key": key}
        # an order that is asked for by name is an item, whether there is one or not
        body = {"document_type": "invoice", "selection": {"numbers": ["1"]}}
        return self.ask("POST", "/v1/exports", json=body, headers=headers)

    def failed(self) -> dict[str, Any]:
        """An export that has failed: its one order does not exist."""
        export: dict[str, Any] = self.create().answer().json()
        with self.api.database.transaction() as tx:
            plan(tx, claimed(tx, UUID(export["id"])), max_items=1)
        return export

    def jobs(self) -> int:
        """How many jobs the database has for this owner."""
        # some of these tests end the server: a connection from before is not asked before it is used
        self.api.database.close()
        with self.api.database.reading() as tx:
            return tx.scalar(select(func.count()).where(JobRow.owner == self.name))
