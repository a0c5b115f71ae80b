"""An installation on PostgreSQL whose workers may be killed and frozen, and what its database says of their claims."""

import signal
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from subprocess import Popen
from typing import Any, Final

import psycopg

from tests import waiting
from tests.installation import Installation, distributed, renderers_of
from tests.servers import running_postgres, running_redis

PATIENCE: Final = 120.0
"""Seconds until a measurement gives up."""
until = partial(waiting.until, within=PATIENCE)


@dataclass
class Fleet:
    """A running installation and an eye in its database."""

    installation: Installation
    database: "psycopg.Connection[tuple[Any, ...]]"

    def add_worker(self) -> Popen[bytes]:
        """One more worker process, whose child is there; it renders as the notes of the orders say."""
        worker = self.installation.add_worker((sys.executable, "-m", "tests.faulty_worker"))
        until(lambda: renderers_of(worker))
        return worker

    def workers(self) -> list[Popen[bytes]]:
        """Those that live."""
        return [worker for worker in self.installation.workers if worker.poll() is None]

    def row(self, query: str, *values: object) -> tuple[Any, ...] | None:
        """The first row of an answer."""
        return self.database.execute(query.encode(), values).fetchone()

    def holder(self, export: str) -> Popen[bytes] | None:
        """The worker that renders a step of this export now."""
        found = self.row(
            "SELECT host FROM steps WHERE job_id = %s AND kind = 'render' AND state = 'claimed' ORDER BY id", export
        )
        if found is None:
            return None
        pid = int(found[0].rpartition(":")[2])
        return next(worker for worker in self.workers() if worker.pid == pid)


@contextmanager
def running_fleet(folder: Path, *, redis: bool, **settings: str) -> Iterator[Fleet]:
    """An API process without workers, on servers of its own; thaws and ends all that was started."""
    with ExitStack() as stack:
        postgres = stack.enter_context(running_postgres())
        bells = stack.enter_context(running_redis()) if redis else None
        url = postgres.url(postgres.create_database())
        running = distributed(folder, url, bells.url if bells else None, workers=0, **settings)
        installation = stack.enter_context(running)
        database = stack.enter_context(psycopg.connect(url.replace("+psycopg", ""), autocommit=True))
        yield Fleet(installation, database)


def end(worker: Popen[bytes]) -> None:
    """Kill a worker at once."""
    worker.send_signal(signal.SIGKILL)
    worker.wait()
