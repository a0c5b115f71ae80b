"""The API's own renderer: one document for one request, within what is left of its deadline.

The pool is made for threads that may wait. A request waits on the event loop instead: for the first child, for its
turn, for its document. When it stops waiting, whyever, its child is killed at that moment and the thread that
waited for the child comes back; the turn is given on only then.
"""

import asyncio
import time
from collections.abc import Callable
from contextvars import Context
from datetime import timedelta
from functools import partial
from typing import Final, TypeVar

from app.deadline.current import queueing, share, spending
from app.deadline.zombies import Threads, Zombies
from app.documents.ability import why_not
from app.documents.cancellation import Cancellation
from app.documents.contract import RenderedDocument, RenderRequest, UnrenderableDocument
from app.documents.errors import PoolClosed, RenderCancelled
from app.documents.pictures import TIME_LIMIT, Picture, drawn
from app.documents.pool import RendererPool
from app.documents.slot import START_LIMIT

T = TypeVar("T")

RENDERER: Final = "renderer"

PATIENCE: Final = 2.0
"""Seconds to wait for a turn: what a few usual documents take. Whoever waits longer is better told so."""

SAYING_SO: Final = 0.25
"""Seconds kept from every wait, to say what was waited for before the deadline says that it was too late."""


class RendererBusy(Exception):
    """Every child is at work for others."""


class RendererStarting(Exception):
    """The first child is not ready yet; it goes on starting."""


class RendererUnable(Exception):
    """Nothing is rendered on this machine; the text says why."""


class Renderer:
    """A pool of so many children for requests; they start with the first one, and stay."""

    def __init__(self, pool: RendererPool, *, children: int, zombies: Zombies) -> None:
        self._pool = pool
        # beside those that wait for documents: one that starts children, one that ends them
        self._threads = Threads(zombies, size=children + 2, name=RENDERER)
        self._turns = asyncio.Semaphore(children)
        self._starting: asyncio.Task[str | None] | None = None
        self.size = children
        self.in_use = 0
        """Children that are at work, or being replaced."""

    async def render(self, request: RenderRequest) -> RenderedDocument | UnrenderableDocument:
        """Make one document.

        Raises `RendererUnable`, `RendererStarting`, `RendererBusy`, whatever the pool raises, and what every
        dependency raises whose time is up.
        """
        return await self._in_turn(partial(self._pool.render, request))

    async def draw(self, pdf: bytes) -> tuple[Picture, ...]:
        """The first pages of a document as pictures; raises as `render` does."""
        return await self.call(drawn, pdf, time_limit=TIME_LIMIT)

    async def call(self, function: Callable[..., T], *args: object, time_limit: timedelta) -> T:
        """What an importable function answers in a child; raises as `render` does, and whatever the function raises."""
        return await self._in_turn(partial(self._pool.call, function, *args, time_limit=time_limit))

    async def close(self) -> None:
        """Kill what is under way and leave no child behind."""
        await self._threads.run(self._pool.close)
        self._threads.close()

    async def _in_turn(self, work: Callable[..., T]) -> T:
        """Do what occupies a child, once one is free for it; `work` takes the cancellation that frees it again."""
        async with queueing("turn"):
            await self._until_ready()
            await self._take_turn()
        stop = Cancellation()
        is_begun = False
        try:
            async with spending(RENDERER):
                held = partial(work, cancelled=stop)
                is_begun = True
                return await self._threads.run(held, on_end=self._give_turn)
        finally:
            # of no effect on what has ended
            stop.cancel()
            if not is_begun:
                self._give_turn()

    async def _until_ready(self) -> None:
        if self._starting is None:
            # not in the context of this request: it goes on when the request has ended
            self._starting = asyncio.get_running_loop().create_task(self._start(), context=Context())
        starting = self._starting
        done, _ = await asyncio.wait({starting}, timeout=_at_most(START_LIMIT.total_seconds()))
        if not done:
            raise RendererStarting
        reason = starting.result()
        if reason is not None:
            if self._starting is starting:
                # somebody may have installed what it lacks: the next request asks again
                self._starting = None
            raise RendererUnable(reason)

    async def _start(self) -> str | None:
        try:
            return await self._threads.run(partial(why_not, self._pool))
        except (PoolClosed, RenderCancelled):
            return "this process ends"

    async def _take_turn(self) -> None:
        try:
            async with asyncio.timeout(_at_most(PATIENCE)):
                await self._turns.acquire()
        except TimeoutError:
            raise RendererBusy from None
        self.in_use += 1

    def _give_turn(self) -> None:
        self.in_use -= 1
        self._turns.release()


def _at_most(seconds: float) -> float:
    """So many seconds, or as many as leave time to answer."""
    return max(0.0, min(seconds, share().left(time.monotonic()) - SAYING_SO))
