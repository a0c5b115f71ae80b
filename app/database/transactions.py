"""A transaction is a visible `with`: it commits at its end and rolls back on any error.

Statements are written once, as functions of a `Session`. Workers call them in a `Database`
transaction; the API runs the same functions through `AsyncSession.run_sync`.
"""

from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager

from sqlalchemy import Engine
from sqlalchemy.ext.asyncio import AsyncEngine, AsyncSession
from sqlalchemy.orm import Session

from app.database.engines import READING


class Database:
    """Transactions for workers and commands."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._reading = engine.execution_options(**_reading_options(engine))

    @contextmanager
    def transaction(self) -> Iterator[Session]:
        """Read and write; on SQLite it holds the write lock from its first moment."""
        with Session(self._engine, expire_on_commit=False) as session, session.begin():
            yield session

    @contextmanager
    def reading(self) -> Iterator[Session]:
        """Read only; never waits for a writer."""
        with Session(self._reading, expire_on_commit=False) as session, session.begin():
            yield session

    def close(self) -> None:
        """Close every connection."""
        self._engine.dispose()


class AsyncDatabase:
    """Transactions for the API."""

    def __init__(self, engine: AsyncEngine) -> None:
        self._engine = engine
        self._reading = engine.execution_options(**_reading_options(engine.sync_engine))

    @asynccontextmanager
    async def transaction(self) -> AsyncIterator[AsyncSession]:
        """Read and write; on SQLite it holds the write lock from its first moment."""
        async with AsyncSession(self._engine, expire_on_commit=False) as session, session.begin():
            yield session

    @asynccontextmanager
    async def reading(self) -> AsyncIterator[AsyncSession]:
        """Read only; never waits for a writer."""
        async with AsyncSession(self._reading, expire_on_commit=False) as session, session.begin():
            yield session

    async def close(self) -> None:
        """Close every connection."""
        await self._engine.dispose()


def _reading_options(engine: Engine) -> dict[str, bool]:
    if engine.dialect.name == "sqlite":
        return {READING: True}
    return {"postgresql_readonly": True}
