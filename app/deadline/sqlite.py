"""SQLite held to a budget: its statements look at the clock themselves, and lock waits come in slices.

aiosqlite runs each connection in a thread that cannot be cancelled. A progress handler ends a statement
from inside; a wait for the write lock is asked for again and again, so that it can be given up between.
"""

import sqlite3
from typing import Any, Final
from weakref import WeakSet

from sqlalchemy import Connection, event
from sqlalchemy.exc import DBAPIError, OperationalError
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine
from sqlalchemy.util import await_
from sqlalchemy.util.concurrency import in_greenlet

from app.deadline.budget import UNBOUNDED, Clock
from app.deadline.current import Deadline, current, share
from app.deadline.sqlalchemy import info_of

EVERY: Final = 4000
"""Virtual machine instructions between two looks at the clock: about 4 % of a long statement's time."""
SLICE: Final = 0.05
"""Seconds of one wait for the write lock, to be set as the connection's `timeout`: what a thread may still
sleep after its caller has left."""
_WATCH: Final = "deadline_watch"


class _Watch:
    """What a connection's statements look at; written by the event loop, read by the connection's thread."""

    def __init__(self) -> None:
        self.deadline: Deadline | None = None
        self.budget = UNBOUNDED

    def must_stop(self) -> bool:
        deadline = self.deadline
        return deadline is not None and (deadline.is_over or self.budget.is_spent(deadline.clock()))


class ClosingConnection(sqlite3.Connection):
    """Lets go of its lock when it is closed, and not when somebody forgets its last cursor.

    SQLite keeps a closed connection, with its lock, while a statement of it is half read: an INSERT whose
    RETURNING nobody fetched is one (sqlite.org/c3ref/close.html, "zombie"). The traceback of a cancelled
    request refers to it until it is collected as garbage.
    """

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self._cursors: WeakSet[sqlite3.Cursor] = WeakSet()

    def cursor(self, *arguments: Any) -> Any:
        """A cursor that ends with its connection."""
        cursor = super().cursor(*arguments)
        self._cursors.add(cursor)
        return cursor

    def close(self) -> None:
        """Close the cursors, then the connection: what was not committed is rolled back."""
        for cursor in list(self._cursors):
            cursor.close()
        super().close()


class SqliteGuard:
    """A progress handler on every connection, pointed at the budget of whoever holds it."""

    def watch(self, engine: AsyncEngine) -> None:
        """Give every connection of this engine its handler, and let it close at once."""

        @event.listens_for(engine.sync_engine, "do_connect")
        def _on_do_connect(_dialect: Any, _record: Any, _arguments: Any, options: dict[str, Any]) -> None:
            options["factory"] = ClosingConnection

        @event.listens_for(engine.sync_engine, "connect")
        def _on_connect(connection: Any, record: Any) -> None:
            watch = record.info[_WATCH] = _Watch()
            connection.run_async(lambda driver: driver.set_progress_handler(watch.must_stop, EVERY))

        engine.sync_engine.dialect.do_terminate = _end  # type: ignore[method-assign, assignment]

    async def begin(self, connection: AsyncConnection) -> None:
        """Point the handler at this request, and begin: on SQLite a transaction begins with its lock."""
        info = info_of(connection)
        if info is not None:
            watch: _Watch = info[_WATCH]
            watch.budget, watch.deadline = share(), current()
        await connection.begin()

    def release(self, connection: AsyncConnection) -> None:
        """Let the handler look at nobody."""
        info = info_of(connection)
        if info is not None:
            info[_WATCH].deadline = None

    def is_whole(self, connection: AsyncConnection) -> bool:
        """Never: its thread may still be at the statement that was given up."""
        return False

    def is_time_out(self, error: DBAPIError) -> bool:
        """Interrupted by the handler, or still locked at the end of the budget."""
        return isinstance(error.orig, sqlite3.OperationalError) and error.orig.sqlite_errorcode in {
            sqlite3.SQLITE_INTERRUPT,
            sqlite3.SQLITE_BUSY,
        }

    def is_definite(self, error: DBAPIError) -> bool:
        """Every refusal but a failed write to the disk, of which nobody knows how far it came."""
        code = getattr(error.orig, "sqlite_errorcode", sqlite3.SQLITE_IOERR)
        return code & 0xFF != sqlite3.SQLITE_IOERR


def _end(connection: Any) -> None:
    """Let a dropped connection's thread close it after what it is doing now, and end.

    SQLAlchemy's own way is to ask for an orderly close in a task of its own and, if the wait for that is
    given up, to ask once more: the first task then waits for ever, since the thread has ended.
    """
    ended = connection.driver_connection.stop()
    # whoever gives this up leaves nothing behind; without a greenlet it is the garbage collector that closes
    if in_greenlet():
        await_(ended)


def begin_in_slices(connection: Connection, statement: str, *, at_most: float, clock: Clock) -> None:
    """Send a `BEGIN` again while the lock is taken: until the budget ends, but no longer than `at_most` seconds.

    To be called by the service's own `begin` listener; between two slices the caller can be cancelled.
    """
    give_up_at = min(share().cutoff, clock() + at_most)
    while True:
        try:
            connection.exec_driver_sql(statement)
        except OperationalError as error:
            is_locked = isinstance(error.orig, sqlite3.OperationalError) and (
                error.orig.sqlite_errorcode == sqlite3.SQLITE_BUSY
            )
            if not is_locked or clock() >= give_up_at:
                raise
        else:
            return
