"""Two transactions at once: one holds what the other needs, and the database says so."""

import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, Final

from sqlalchemy import text
from sqlalchemy.orm import Session

from app.database.standing import server_process
from app.database.transactions import Database

PATIENCE: Final = 20.0
"""Seconds until a test gives up: a lock is given up after 10."""

Write = Callable[[Session], Any]


class Contender:
    """A write in a thread and a transaction of its own, begun while another transaction holds its locks."""

    def __init__(self, database: Database, write: Write, threads: ThreadPoolExecutor) -> None:
        self._database = database
        self._session: Future[int | None] = Future()
        self._result = threads.submit(self._run, write)

    def _run(self, write: Write) -> Any:
        with self._database.transaction() as tx:
            self._session.set_result(server_process(tx))
            return write(tx)

    def wait_until_blocked(self, *, by: Session) -> None:
        """Return once the server says that this write waits for that transaction.

        SQLite has one writer: `by` has written, so this one has not begun, and nobody needs to be asked.
        """
        holder = server_process(by)
        if holder is None:
            assert not self._session.done()
            return
        self.wait_until_blocked_by(holder)

    def wait_until_blocked_by(self, holder: int) -> None:
        """The same for any session of a server, by its process."""
        give_up_at = time.monotonic() + PATIENCE
        while holder not in self._blockers():
            assert not self._result.done(), "it did not wait"
            assert time.monotonic() < give_up_at, "it was never blocked"

    @property
    def server_process(self) -> int:
        """The process of PostgreSQL that works for this write."""
        pid = self._session.result(PATIENCE)
        assert pid is not None
        return pid

    def _blockers(self) -> list[int]:
        with self._database.reading() as tx:
            return list(tx.scalar(text("SELECT pg_blocking_pids(:pid)"), {"pid": self.server_process}) or ())

    def result(self) -> Any:
        """What the write gave, or what it raised."""
        return self._result.result(PATIENCE)
