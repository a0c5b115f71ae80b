"""`sheaf serve`, `sheaf api`, `sheaf worker`: the long-running commands."""

import os
import signal
import socket
import sys
import threading
from pathlib import Path
from typing import TYPE_CHECKING

import structlog

from app.cli import composing
from app.cli.ending import Endings
from app.cli.failing import Refused
from app.cli.loading import loading
from app.settings import Settings

if TYPE_CHECKING:
    from types import FrameType

    from fastapi import FastAPI

    from app.documents.pool import Render
    from worker.process import WorkerProcess

log = structlog.get_logger()

_PEER_SILENT_MS = 60_000
"""Twice what a download may stand still: by then our own limit has let go of everything but the socket."""


def serve(settings: Settings, folder: Path) -> None:
    """The embedded default: API and worker in this process, everything in one folder."""
    from app.database.steps import lapse_every_claim
    from worker.arenas import share_one_arena

    settings = settings.for_folder(folder)
    share_one_arena()
    with composing.locked_folder(folder):
        with loading():
            backup = composing.migrate_folder(settings, folder)
            if backup is not None:
                log.info("database.migrated", backup=str(backup))
            database = composing.open_database(settings)
            artifacts = composing.open_artifact_store(settings, database)
            # the lock is ours, so whoever held these claims is gone
            with database.transaction() as tx:
                lapse_every_claim(tx)
            broker = composing.open_broker(settings)
            api = composing.build_api(settings, broker=broker, artifacts=artifacts)
            # before anything works: a port that is taken ends us here
            listening = _listen(settings.host, settings.port)
            worker = composing.build_worker(
                settings, database=database, artifacts=artifacts, broker=broker, registry=api.state.metrics.registry
            )
        worker.start()
        try:
            _run_server(settings, api, listening, f"data in {folder}")
        finally:
            worker.end()
            database.close()


def api(settings: Settings) -> None:
    """An API process on PostgreSQL and Redis."""
    with loading():
        database = composing.open_database(settings)
        artifacts = composing.open_artifact_store(settings, database)
        database.close()
        broker = composing.open_broker(settings)
        application = composing.build_api(settings, broker=broker, artifacts=artifacts)
    _run_server(settings, application, _listen(settings.host, settings.port), "api")


def _run_server(settings: Settings, application: "FastAPI", listening: socket.socket, what: str) -> None:
    import uvicorn

    from app.api.application import drain, served

    host, port = listening.getsockname()[:2]
    config = uvicorn.Config(
        served(application),
        log_config=None,
        access_log=False,
        timeout_graceful_shutdown=int(settings.shutdown_seconds),
        proxy_headers=False,
        server_header=False,
    )

    class Server(uvicorn.Server):
        """Lets event streams end by themselves, which would else be waited for."""

        def handle_exit(self, sig: int, frame: "FrameType | None") -> None:
            drain(application)
            super().handle_exit(sig, frame)

    server = Server(config)
    # uvicorn raises the signal that ended it once more, for the handler of before: the default one
    # would end us there, with the worker's steps in hand
    handlers = {number: signal.signal(number, server.handle_exit) for number in (signal.SIGTERM, signal.SIGINT)}
    # the line that people and programs wait for
    print(f"Sheaf serves http://{host}:{port} ({what})", file=sys.stderr, flush=True)  # noqa: T201
    server.run(sockets=[listening])
    # whoever asks a second time does not want to wait for the worker
    for number, handler in handlers.items():
        signal.signal(number, handler)


def _listen(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # named as TCP, or asyncio does not turn off Nagle's algorithm and each answer waits 40 ms for an ACK
    listening = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    # connections inherit it: a peer that takes nothing for that long loses them, whatever is in the buffers
    listening.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, _PEER_SILENT_MS)
    try:
        listening.bind((host, port))
    except OSError as error:
        listening.close()
        raise composing.Misconfigured(f"Cannot listen on {host}:{port}: {error.strerror}.") from None
    listening.listen(1024)
    return listening


def worker(settings: Settings, *, lifeline: int | None = None, render: "Render | None" = None) -> None:
    """One worker process; returns when it has been told to end and has ended. `render` is for tests.

    A second request ends the grace for the steps in hand: they are handed back at once.
    """
    with loading():
        from worker.arenas import share_one_arena
        from worker.exposition import expose

        share_one_arena()
        database = composing.open_database(settings)
        artifacts = composing.open_artifact_store(settings, database)
        process = composing.build_worker(
            settings, database=database, artifacts=artifacts, broker=composing.open_broker(settings), render=render
        )
    if lifeline is not None:
        os.set_inheritable(lifeline, False)
    endings = Endings(lifeline=lifeline)
    expose(process.context.signals.registry, host=settings.worker_metrics_host, port=settings.worker_metrics_port)
    process.start()
    try:
        endings.wait()
        threading.Thread(target=_hurry, args=(endings, process), name="hurry", daemon=True).start()
    finally:
        process.end()
        database.close()


def _hurry(endings: Endings, process: "WorkerProcess") -> None:
    if endings.wait():
        process.hurry()


def check_worker(settings: Settings) -> None:
    """Raise `Refused` unless a worker process of this machine's name has shown in the database that it lives."""
    from app.database.hosts import is_alive

    database = composing.open_database(settings)
    with database.reading() as tx:
        lives = is_alive(tx, settings.worker_name)
    database.close()
    if not lives:
        raise Refused(f"No worker called {settings.worker_name} has shown a sign of life for 15 s.")
