"""PostgreSQL held to a budget: the server ends a statement slightly before its caller would give up.

`set_config(…, true)` holds for one transaction. It does not bound COMMIT, which only the caller's own
cutoff ends; what is left running then is found by `client_connection_check_interval`.
"""

from math import inf
from typing import Any, Final

import psycopg
from sqlalchemy import Connection, event
from sqlalchemy.exc import DBAPIError
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from app.deadline.budget import Budget
from app.deadline.current import current, share
from app.deadline.sqlalchemy import info_of, milliseconds

_LIMITS: Final = "SELECT set_config('statement_timeout', %s, true), set_config('lock_timeout', %s, true)"
_GRANTED: Final = "deadline_granted"

EARLIER: Final = 0.005
"""Seconds by which the server's limit ends before ours, so that its clear error comes first."""
SLACK: Final = 1.2
"""A limit that was granted earlier may be this many times what is left; then it is set anew, which costs a
round trip (0.2 ms)."""


class PostgresqlGuard:
    """Limits set on the server, for each transaction and again when a statement starts late in it."""

    def watch(self, engine: AsyncEngine) -> None:
        """Look at the budget before each statement of this engine."""
        event.listen(engine.sync_engine, "before_cursor_execute", _before_statement)

    async def begin(self, connection: AsyncConnection, budget: Budget) -> None:
        """Begin, and tell the server what is left."""
        await connection.begin()
        deadline = current()
        left = inf if deadline is None else budget.left(deadline.clock())
        if left == inf:
            return
        text = str(milliseconds(left - EARLIER))
        await connection.exec_driver_sql(_LIMITS, (text, text))
        info = info_of(connection)
        if info is not None:
            info[_GRANTED] = left

    def release(self, connection: AsyncConnection) -> None:
        """Forget what was granted: the setting ended with its transaction."""
        info = info_of(connection)
        if info is not None:
            info.pop(_GRANTED, None)

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
