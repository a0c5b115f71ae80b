"""The API on a socket, in a thread of this process: its callers are real, and its insides can be looked at."""

import asyncio
import socket
import threading
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
import uvicorn
from fastapi import FastAPI
from pydantic import SecretStr
from sqlalchemy import text

from app.api.application import served
from app.artifacts.folder import FolderStore
from app.cli import composing
from app.deadline.policy import Priority
from app.documents.pool import Render
from app.settings import Settings
from tests.minting import mint
from tests.shop import order
from tests.waiting import PATIENCE, until


@dataclass
class Api:
    """The API on a socket, in a thread of this process, so that its pool and its permits can be looked at."""

    api: FastAPI
    http: httpx.Client
    token: str
    callers: ThreadPoolExecutor
    loop: "Future[asyncio.AbstractEventLoop]" = field(default_factory=Future)

    def begin(self, method: str, path: str, *, ms: int | None = None, **options: Any) -> "Future[httpx.Response]":
        """A call on its way, with a deadline or without."""
        headers = {"Authorization": f"Bearer {self.token}"}
        if ms is not None:
            headers["Connect-Timeout-Ms"] = str(ms)
        return self.callers.submit(self.http.request, method, path, headers=headers, **options)

    def __call__(self, method: str, path: str, **options: Any) -> httpx.Response:
        return self.begin(method, path, **options).result()

    def create(self, **options: Any) -> httpx.Response:
        return self("POST", "/v1/exports", json={"document_type": "invoice"}, **options)

    def assert_probes_answer(self) -> None:
        assert [self.http.get(path).status_code for path in ("/livez", "/readyz")] == [200, 200]

    def assert_whole(self) -> None:
        """Nothing goes on and no permit is taken; every connection can be had, all at the same time."""
        parts, database = self.api.state.deadlines, self.api.state.services.database
        until(lambda: database.pool.in_use == 0 and parts.admission.taken(Priority.NORMAL) == 0)
        until(lambda: parts.zombies.count == 0)

        async def hold_all() -> None:
            everybody = asyncio.Barrier(database.pool.size)

            async def hold_one() -> None:
                async with database.reading() as tx:
                    await tx.execute(text("SELECT 1"))
                    await everybody.wait()

            async with asyncio.timeout(PATIENCE):
                await asyncio.gather(*(hold_one() for _ in range(database.pool.size)))

        asyncio.run_coroutine_threadsafe(hold_all(), self.loop.result(PATIENCE)).result()


@contextmanager
def serving(folder: Path, url: str, *, render: Render | None = None, **settings: Any) -> Iterator[Api]:
    """An API on this migrated database, which gets a store with one order; `render` is the renderer of its previews."""
    artifacts = FolderStore(folder / "artifacts")
    artifacts.prepare()
    artifacts.identify()
    set_to = Settings(database_url=SecretStr(url), **settings)
    broker = composing.open_broker(set_to)
    api = composing.build_api(set_to, broker=broker, artifacts=artifacts, render=render)
    server = uvicorn.Server(uvicorn.Config(served(api), log_config=None))
    listening = socket.create_server(("127.0.0.1", 0))
    address = f"http://127.0.0.1:{listening.getsockname()[1]}"
    with ThreadPoolExecutor(20) as callers, httpx.Client(base_url=address, timeout=PATIENCE) as http:
        running = Api(api, http, mint(url), callers)

        async def live() -> None:
            running.loop.set_result(asyncio.get_running_loop())
            await server.serve(sockets=[listening])

        thread = threading.Thread(target=asyncio.run, args=(live(),))
        thread.start()
        try:
            until(lambda: server.started)
            assert running("POST", "/v1/orders/import", json=[order(1)]).status_code == 200
            yield running
        finally:
            server.should_exit = True
            thread.join(PATIENCE)
            assert not thread.is_alive()
