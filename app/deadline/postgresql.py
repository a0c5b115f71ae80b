"""PostgreSQL held to a budget: the server ends a statement slightly before its caller would give up.

The limits hold for one transaction. They do not bound COMMIT, which only the caller's own
cutoff ends; what is left running then is found by `client_connection_check_interval`.
"""

import asyncio
from math import inf
from typing import Any, Final

import psycopg
from psycopg.pq import TransactionStatus
from sqlalchemy import Connection, ExceptionContext, event
from sqlalchemy.exc import DBAPIError
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from app.deadline.current import current, share
from app.deadline.sqlalchemy import info_of, milliseconds

_LIMITS: Final = "SELECT set_config('statement_timeout', %s, true), set_config('lock_timeout', %s, true)"
_GRANTED: Final = "deadline_granted"

EARLIER: Final = 0.005
"""Seconds by which the server's limit ends before ours, so that its clear error comes first."""
SLACK: Final = 1.2
"""A limit that was granted earlier may be this many times what is left; then it is set anew, which costs a
round trip (0.2 ms)."""
_BETWEEN_STATEMENTS: Final = {TransactionStatus.IDLE, TransactionStatus.INTRANS, TransactionStatus.INERROR}


class PostgresqlGuard:
    """Limits set on the server, for each transaction and again when a statement starts late in it.

    The driver is put into its autocommit mode, so that BEGIN, its mode and the limits are ours to send: in one
    message instead of three. `reading` names the execution option of transactions that only read.
    """

    def __init__(self, *, reading: str = "read_only") -> None:
        self._reading = reading

    def watch(self, engine: AsyncEngine) -> None:
        """Begin the transactions of this engine, look at the budget before each statement, keep what is whole."""
        event.listen(engine.sync_engine, "do_connect", _on_do_connect)
        event.listen(engine.sync_engine, "begin", self._on_begin)
        event.listen(engine.sync_engine, "before_cursor_execute", _before_statement)
        event.listen(engine.sync_engine, "handle_error", _on_error)

    async def begin(self, connection: AsyncConnection) -> None:
        """Begin, and tell the server what is left of the innermost budget here."""
        await connection.begin()

    def release(self, connection: AsyncConnection) -> None:
        """Forget what was granted: the setting ended with its transaction."""
        info = info_of(connection)
        if info is not None:
            info.pop(_GRANTED, None)

    def is_whole(self, connection: AsyncConnection) -> bool:
        """Whether the server has answered everything it was asked: the driver's first step of a cancel saw to it."""
        found = connection.sync_connection
        return found is not None and _is_whole(found)

    def _on_begin(self, connection: Connection) -> None:
        statement = "BEGIN READ ONLY" if connection.get_execution_options().get(self._reading, False) else "BEGIN"
        deadline = current()
        left = inf if deadline is None else share().left(deadline.clock())
        if left != inf:
            limit = milliseconds(left - EARLIER)
            statement += f"; SET LOCAL statement_timeout = {limit}; SET LOCAL lock_timeout = {limit}"
            connection.info[_GRANTED] = left
        connection.exec_driver_sql(statement)

    def is_time_out(self, error: DBAPIError) -> bool:
        """A statement or a lock wait that the server ended."""
        return isinstance(error.orig, psycopg.errors.QueryCanceled | psycopg.errors.LockNotAvailable)

    def is_definite(self, error: DBAPIError) -> bool:
        """The server itself said no, and its session goes on: an ERROR ends the transaction and nothing else.

        A FATAL or a PANIC carries a code too and proves nothing: after a PANIC for its write-ahead log, the
        server's recovery may well find the COMMIT there.
        """
        found = error.orig
        if not isinstance(found, psycopg.Error) or found.diag.severity_nonlocalized != "ERROR":
            return False
        code = found.sqlstate or "08"
        # 08: connection; 57: the operator stopped it; 40003: "statement completion unknown" in so many words
        return code[:2] not in {"08", "57"} and code != "40003"


def _on_do_connect(_dialect: Any, _record: Any, _arguments: Any, options: dict[str, Any]) -> None:
    options["autocommit"] = True


def _before_statement(
    connection: Connection, cursor: Any, _statement: str, _parameters: Any, _context: Any, _many: bool
) -> None:
    deadline = current()
    if deadline is None:
        return
    budget, now = share(), deadline.clock()
    budget.require(0.0, boundary="statement", now=now)
    granted = connection.info.get(_GRANTED)
    left = budget.left(now)
    if granted is not None and granted > left * SLACK:
        text = str(milliseconds(left - EARLIER))
        cursor.execute(_LIMITS, (text, text))
        connection.info[_GRANTED] = left


def _on_error(context: ExceptionContext) -> None:
    """Keep a connection whose statement was given up and has ended; the library would drop every one.

    New connections cost a server process each, and a database that is slow already makes nothing slower than those.
    """
    is_cancel = isinstance(context.original_exception, asyncio.CancelledError)
    if is_cancel and context.connection is not None and _is_whole(context.connection):
        context.is_disconnect = False


def _is_whole(connection: Connection) -> bool:
    if connection.closed or connection.invalidated:
        return False
    driver = connection.connection.driver_connection
    return (
        isinstance(driver, psycopg.AsyncConnection)
        and not driver.closed
        and driver.info.transaction_status in _BETWEEN_STATEMENTS
    )
