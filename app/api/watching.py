"""Following exports as they change: one task of a process looks for all who watch, and each hears the newest alone."""

import asyncio
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Annotated, Final, cast
from uuid import UUID

import structlog
from fastapi import Depends, Request
from sqlalchemy.exc import DBAPIError
from sqlalchemy.exc import TimeoutError as PoolTimeout
from sqlalchemy.orm import Session

from app.api.problems import ProblemError
from app.database.jobs import find_watched_jobs
from app.database.tables import JobRow
from app.database.transactions import AsyncDatabase
from app.deadline.current import hard_timeout
from app.domain.codes import Problem
from app.domain.lifecycle import JobState, Phase
from app.exports.inspect import ExportView, views

log = structlog.get_logger()

LOOK_EVERY: Final = 0.5
"""Seconds between two looks: the rhythm in which workers look too."""
LOOK_SOON: Final = 0.1
"""Seconds between two looks while an export that is watched is nearly over: its archive is what they wait for."""
QUICK_LOOKS: Final = 100
"""After so many of these in a row whatever is in the way has the usual ones."""
LAST_STEPS: Final = 2
"""So many steps are left of an export that is nearly over."""
LOOKS_FOR: Final = 5.0
"""Seconds that one look may take; then the next one is tried."""
MOST: Final = 1000
"""Listeners of one process: each is a connection and a few kilobytes."""


class Listener:
    """One who watches one export. Slow ones miss what lies between; nothing piles up for them."""

    def __init__(self) -> None:
        self._news = asyncio.Event()
        self._latest: ExportView | None = None
        self.is_gone = False
        """Whether the export has been deleted."""

    def tell(self, view: ExportView | None) -> None:
        """Give it the newest view; None for an export that is no more."""
        self.is_gone = view is None
        self._latest = view
        self._news.set()

    async def next(self, within: float) -> ExportView | None:
        """The newest view that was not given before; None if none comes in so many seconds."""
        try:
            async with asyncio.timeout(within):
                await self._news.wait()
        except TimeoutError:
            return None
        self._news.clear()
        return self._latest


class Watcher:
    """Reads every export that is watched in one statement, twice a second, and only while somebody watches.

    While one of them is nearly over it looks more often.
    """

    def __init__(self, database: AsyncDatabase) -> None:
        self._database = database
        self._listeners: dict[UUID, set[Listener]] = {}
        self._somebody = asyncio.Event()
        self._quick_looks = 0
        self.looks = 0
        """How often it has looked, and told what it found."""
        self.is_ending = False
        """Whether this process ends: streams then end too, and their readers come back to another one."""

    @property
    def count(self) -> int:
        """How many listeners there are."""
        return sum(len(listeners) for listeners in self._listeners.values())

    def require_room(self) -> None:
        """Raise the problem `concurrency_limit` if as many listen as may."""
        if self.count >= MOST:
            raise ProblemError(
                Problem.CONCURRENCY_LIMIT, "This process has as many listeners as it can.", headers={"Retry-After": "5"}
            )

    @contextmanager
    def listen(self, job_id: UUID) -> Iterator[Listener]:
        """Watch an export."""
        listener = Listener()
        self._listeners.setdefault(job_id, set()).add(listener)
        self._somebody.set()
        try:
            yield listener
        finally:
            self._listeners[job_id].discard(listener)
            if not self._listeners[job_id]:
                del self._listeners[job_id]

    async def wait_for_news(self, job_id: UUID, is_known: Callable[[JobRow], bool], *, within: float) -> None:
        """Return when an export is not as it is known any more, or is no more; after so many seconds; as we end."""
        ends_at = time.monotonic() + within
        with self.listen(job_id) as listener:
            while not self.is_ending and (left := ends_at - time.monotonic()) > 0:
                view = await listener.next(min(LOOK_EVERY, left))
                if listener.is_gone or (view is not None and not is_known(view.job)):
                    return

    async def keep_watching(self) -> None:
        """Look again and again, until cancelled."""
        while True:
            if not self._listeners:
                self._somebody.clear()
                await self._somebody.wait()
            await asyncio.sleep(await self.look())

    async def look(self) -> float:
        """Look once, and say in how many seconds to look again.

        What cannot be read is not told: whoever listens goes on listening.
        """
        watched = list(self._listeners)

        def read(tx: Session) -> Mapping[UUID, ExportView]:
            return {view.job.id: view for view in views(tx, find_watched_jobs(tx, watched))}

        try:
            async with hard_timeout(LOOKS_FOR), self._database.reading() as tx:
                found = await tx.run_sync(read)
        except (DBAPIError, PoolTimeout, TimeoutError, OSError) as error:
            log.warning("watching.no_answer", error=type(error).__name__)
            return LOOK_EVERY
        for job_id in watched:
            for listener in self._listeners.get(job_id, ()):
                listener.tell(found.get(job_id))
        self.looks += 1
        if not any(_is_nearly_over(view.job) for view in found.values()):
            self._quick_looks = 0
            return LOOK_EVERY
        self._quick_looks += 1
        return LOOK_SOON if self._quick_looks <= QUICK_LOOKS else LOOK_EVERY


def _is_nearly_over(job: JobRow) -> bool:
    is_last = job.phase is Phase.RENDERING and job.steps_left <= LAST_STEPS
    return is_last or job.phase is Phase.PACKAGING or job.state is JobState.CANCELLING


async def _watcher_of(request: Request) -> Watcher:
    return cast("Watcher", request.app.state.watcher)


WatcherDependency = Annotated[Watcher, Depends(_watcher_of)]
