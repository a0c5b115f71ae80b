"""The adapter for SQLAlchemy's asyncio engines, on PostgreSQL (psycopg) and SQLite (aiosqlite).

A transaction waits for a connection, sends its statements and commits within one budget. The database
is told of it too, so that a statement whose caller is gone ends there as well.
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import Any, Final, Protocol

from sqlalchemy.exc import DBAPIError, SQLAlchemyError
from sqlalchemy.exc import TimeoutError as PoolTimeout
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from app.deadline.budget import UNBOUNDED, DependencyTimedOut
from app.deadline.current import current, queueing, share, spending

POOL: Final = "pool"
DATABASE: Final = "database"

ROLLING_BACK: Final = 0.25
"""Seconds that a ROLLBACK may take: a connection that needs longer is dropped, which rolls back too."""


class Guard(Protocol):
    """How one kind of database is held to a budget."""

    async def begin(self, connection: AsyncConnection) -> None:
        """Begin a transaction that ends with the innermost budget here, on the server too."""

    def release(self, connection: AsyncConnection) -> None:
        """The connection goes back to its pool: forget the budget. No input or output."""

    def is_whole(self, connection: AsyncConnection) -> bool:
        """Whether a connection whose statement was given up can still be used: nothing is under way on it."""

    def is_time_out(self, error: DBAPIError) -> bool:
        """Whether the database ended a statement because its time was up."""

    def is_definite(self, error: DBAPIError) -> bool:
        """Whether an error of a COMMIT says for certain that nothing was committed."""


class BudgetedPool:
    """An engine's connections, lent for one transaction each.

    The wait for a connection is ours, in the order of arrival, and not the pool's: so it is known
    whether time went into the queue or into the database. `wait` (seconds) bounds it where no deadline does.
    """

    def __init__(self, *, size: int, guard: Guard, wait: float = 30.0) -> None:
        self._permits = asyncio.Semaphore(size)
        self._guard = guard
        self._wait = wait
        self.size = size
        self.in_use = 0
        """Connections that are lent now."""

    @asynccontextmanager
    async def transaction(self, engine: AsyncEngine) -> AsyncIterator[AsyncConnection]:
        """One transaction on a connection of its own: committed at the end, rolled back on any error.

        Raises `DeadlineSpent` if the time ends in the queue, `DependencyTimedOut` if it ends in the database, and
        without a deadline SQLAlchemy's `TimeoutError` if no connection comes free, as its own pool does.
        """
        async with queueing(POOL):
            await self._take()
        self.in_use += 1
        try:
            async with spending(DATABASE):
                try:
                    async with self._connection(engine) as connection:
                        await self._guard.begin(connection)
                        yield connection
                        await self._commit(connection)
                except DBAPIError as error:
                    if current() is not None and self._guard.is_time_out(error):
                        raise DependencyTimedOut(DATABASE) from error
                    raise
        finally:
            self.in_use -= 1
            self._permits.release()

    async def _take(self) -> None:
        try:
            async with asyncio.timeout(self._wait if share() == UNBOUNDED else None):
                await self._permits.acquire()
        except TimeoutError:
            raise PoolTimeout(f"no connection came free within {self._wait:g} s") from None

    @asynccontextmanager
    async def _connection(self, engine: AsyncEngine) -> AsyncIterator[AsyncConnection]:
        connection = await engine.connect()
        try:
            yield connection
        except Exception:
            _refuse_effect()
            await _roll_back(connection)
            raise
        except BaseException:
            _refuse_effect()
            if self._guard.is_whole(connection):
                await _roll_back(connection)
            else:
                # nobody waits for what is under way, and a dropped connection is a ROLLBACK
                await _drop(connection)
            raise
        finally:
            self._guard.release(connection)
            # not through its own `async with`, which would wait for a frozen server, deaf to every cancel
            await connection.close()

    async def _commit(self, connection: AsyncConnection) -> None:
        deadline = current()
        if deadline is None:
            await connection.commit()
            return
        share().require(0.0, boundary="commit", now=deadline.clock())
        deadline.effect.sent()
        try:
            await connection.commit()
        except DBAPIError as error:
            if self._guard.is_definite(error):
                deadline.effect.refused()
            raise
        deadline.effect.acknowledged()


def _refuse_effect() -> None:
    """What was staged and not sent did not happen; what was sent stays unknown."""
    deadline = current()
    if deadline is not None and not deadline.effect.is_unknown:
        deadline.effect.refused()


async def _roll_back(connection: AsyncConnection) -> None:
    try:
        async with asyncio.timeout(ROLLING_BACK):
            await connection.rollback()
    except (TimeoutError, SQLAlchemyError, OSError):
        await _drop(connection)
    except BaseException:
        await _drop(connection)
        raise


async def _drop(connection: AsyncConnection) -> None:
    with suppress(SQLAlchemyError, OSError):
        await connection.invalidate()


def info_of(connection: AsyncConnection) -> dict[Any, Any] | None:
    """What is kept beside a pooled connection; None once it is gone."""
    found = connection.sync_connection
    return None if found is None or found.closed or found.invalidated else found.info


def milliseconds(seconds: float) -> int:
    """Whole milliseconds for a server's setting, where 0 would mean none."""
    return max(1, int(seconds * 1000))
