"""A transaction is a visible `with`: it commits at its end and rolls back on any error.

Statements are written once, as functions of a `Session`. Workers call them in a `Database`
transaction; the API runs the same functions through `AsyncSession.run_sync`.
"""

from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from typing import Final

from sqlalchemy import Engine, ExceptionContext, event
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine, AsyncSession
from sqlalchemy.orm import Session

from app.database.engines import READING
from app.deadline.sqlalchemy import BudgetedPool
from app.domain.lifecycle import JobState


@dataclass(frozen=True, slots=True)
class Ended:
    """A transaction ended a job."""

    state: JobState
    failure_code: str | None
    cancel_seconds: float | None
    """From the cancel's request to the end; None if nobody asked for one."""


_ENDS: Final = "sheaf_ends"


def note_end(tx: Session, ended: Ended) -> None:
    """Have it told once this transaction is committed, and never if it is not."""
    tx.info.setdefault(_ENDS, []).append(ended)


class Database:
    """Transactions for workers and commands."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self.on_end: Callable[[Ended], None] = lambda _ended: None
        """Hears of every job that a committed transaction ended."""
        self._reading = engine.execution_options(**{READING: True})

    @contextmanager
    def transaction(self) -> Iterator[Session]:
        """Read and write; on SQLite it holds the write lock from its first moment."""
        with Session(self._engine, expire_on_commit=False) as session, session.begin():
            yield session
        for ended in session.info.get(_ENDS, ()):
            self.on_end(ended)

    @contextmanager
    def reading(self) -> Iterator[Session]:
        """Read only; never waits for a writer."""
        with Session(self._reading, expire_on_commit=False) as session, session.begin():
            yield session

    def watch_errors(self, tell: Callable[[str], None]) -> None:
        """Have every error of the database told by its class's name."""

        @event.listens_for(self._engine, "handle_error")
        def _on_error(context: ExceptionContext) -> None:
            tell(type(context.sqlalchemy_exception or context.original_exception).__name__)

    def close(self) -> None:
        """Close every connection."""
        self._engine.dispose()


class AsyncDatabase:
    """Transactions for the API, each inside what is left of its request's deadline.

    Raises `DeadlineSpent` and `DependencyTimedOut`, beside what the database itself says.
    """

    def __init__(self, engine: AsyncEngine, pool: BudgetedPool) -> None:
        self._engine = engine
        self._reading = engine.execution_options(**{READING: True})
        self.pool = pool

    @asynccontextmanager
    async def transaction(self) -> AsyncIterator[AsyncSession]:
        """Read and write; on SQLite it holds the write lock from its first moment."""
        async with self.pool.transaction(self._engine) as connection, _session(connection) as session:
            yield session

    @asynccontextmanager
    async def reading(self) -> AsyncIterator[AsyncSession]:
        """Read only; never waits for a writer."""
        async with self.pool.transaction(self._reading) as connection, _session(connection) as session:
            yield session

    async def close(self) -> None:
        """Close every connection."""
        await self._engine.dispose()


@asynccontextmanager
async def _session(connection: AsyncConnection) -> AsyncIterator[AsyncSession]:
    """A session in the connection's transaction, which it neither commits nor rolls back."""
    session = AsyncSession(bind=connection, expire_on_commit=False)
    try:
        yield session
        await session.flush()
    finally:
        # without input or output: the transaction is not the session's
        session.sync_session.close()
