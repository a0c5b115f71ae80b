"""The readiness verdict, refreshed in the background so that the probe never waits."""

import asyncio
import time
from collections.abc import Collection
from typing import Final

import structlog
from sqlalchemy import text
from sqlalchemy.exc import DBAPIError
from sqlalchemy.exc import TimeoutError as PoolTimeout

from app.database.transactions import AsyncDatabase
from app.deadline.current import hard_timeout

log = structlog.get_logger()

LOOK_EVERY: Final = 2.0
UNREACHABLE_AFTER: Final = 10.0
"""Seconds without an answer of the database before this process asks for no more traffic."""


class Readiness:
    """Why this process should get no traffic; `reason` is None when it should."""

    def __init__(self, database: AsyncDatabase, *, outgrown: Collection[str]) -> None:
        self._database = database
        self._outgrown = outgrown
        self._answered_at = time.monotonic()
        self._outdated: str | None = None
        self.is_draining = False

    @property
    def reason(self) -> str | None:
        """One sentence, or None."""
        if self.is_draining:
            return "This process is ending."
        if self._outdated is not None:
            return self._outdated
        if time.monotonic() - self._answered_at > UNREACHABLE_AFTER:
            return "The database does not answer."
        return None

    async def keep_looking(self) -> None:
        """Ask the database every two seconds, until cancelled."""
        while True:
            await self.look()
            await asyncio.sleep(LOOK_EVERY)

    async def look(self) -> None:
        """Ask the database once.

        A schema that we do not know is a later release's, which works with ours while hosts are changed over.
        """
        try:
            async with hard_timeout(LOOK_EVERY), self._database.reading() as tx:
                found = await tx.scalar(text("SELECT version_num FROM alembic_version"))
        except (DBAPIError, PoolTimeout, TimeoutError, OSError) as error:
            log.warning("readiness.no_answer", error=type(error).__name__)
            return
        self._answered_at = time.monotonic()
        is_too_old = found is None or found in self._outgrown
        self._outdated = "The database schema is too old: run `sheaf db upgrade`." if is_too_old else None
