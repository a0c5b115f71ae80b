"""What goes on although it was told to stop: counted, and capped so that it cannot pile up."""

import asyncio
import contextvars
from collections import Counter
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from typing import Final, TypeVar

from app.deadline.signals import Signals

T = TypeVar("T")

TASK: Final = "task"
THREAD: Final = "thread"


class Zombies:
    """Handlers and threads that outlive their request."""

    def __init__(self, signals: Signals, *, cap: int = 100) -> None:
        self._signals = signals
        self._cap = cap
        self._living: Counter[str] = Counter()

    @property
    def count(self) -> int:
        """How many there are."""
        return self._living.total()

    @property
    def is_full(self) -> bool:
        """Whether no further request should be begun: what stuck before would stick again."""
        return self.count >= self._cap

    def rose(self, kind: str) -> None:
        """One more goes on."""
        self._living[kind] += 1
        self._signals.zombies(kind, self._living[kind])

    def fell(self, kind: str) -> None:
        """One has ended after all."""
        self._living[kind] -= 1
        self._signals.zombies(kind, self._living[kind])


class Threads:
    """Blocking calls in a bounded number of threads.

    A thread cannot be cancelled. Its caller can: it stops waiting at once, and the thread is counted
    as a zombie until it ends. A call that no thread has begun yet never runs.
    """

    def __init__(self, zombies: Zombies, *, size: int, name: str) -> None:
        self._zombies = zombies
        self._pool = ThreadPoolExecutor(size, thread_name_prefix=name)

    async def run(self, call: Callable[[], T], *, on_end: Callable[[], None] | None = None) -> T:
        """The call's result, in this context.

        `on_end` runs on the event loop once no thread works at the call, whether its caller still waits or not.
        """
        context = contextvars.copy_context()
        loop = asyncio.get_running_loop()
        future: Future[T] = self._pool.submit(context.run, call)
        if on_end is not None:
            future.add_done_callback(lambda _: _tell(loop, on_end))
        try:
            return await asyncio.wrap_future(future)
        except asyncio.CancelledError:
            if not future.cancel() and not future.done():
                self._zombies.rose(THREAD)
                future.add_done_callback(lambda _: _tell(loop, partial(self._zombies.fell, THREAD)))
            raise

    def close(self) -> None:
        """Begin nothing more; what is stuck is left to end by itself."""
        self._pool.shutdown(wait=False, cancel_futures=True)


def _tell(loop: asyncio.AbstractEventLoop, what: Callable[[], None]) -> None:
    # a thread can outlive the loop; then nobody counts any more
    with suppress(RuntimeError):
        loop.call_soon_threadsafe(what)
