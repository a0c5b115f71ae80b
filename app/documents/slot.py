"""The parent's side of one child: a Pebble pool of a single process, used for one call at a time.

A pool per child, because children of one Pebble pool share a pipe and its locks, and one that dies
while it holds them stops its siblings. Pebble also fails every task of a pool when an idle child
dies, may kill the task after the one that was cancelled, and measures time on the wall clock. So a
child that was cancelled, late or dead is never used again: its whole pool is dropped.
"""

import threading
import time
from collections.abc import Callable
from concurrent.futures import CancelledError
from concurrent.futures.process import BrokenProcessPool
from contextlib import ExitStack, suppress
from datetime import timedelta
from multiprocessing import get_context
from multiprocessing.connection import Pipe
from typing import Final, TypeVar

from pebble import ProcessExpired, ProcessFuture, ProcessPool

from app.documents import child
from app.documents.cancellation import Cancellation
from app.documents.errors import (
    ChildDied,
    DocumentTimedOut,
    OutOfMemory,
    RenderCancelled,
    RendererUnavailable,
)
from app.documents.fullness import LOOK_EVERY, Fullness

T = TypeVar("T")

START_LIMIT: Final = timedelta(seconds=60)
"""For a child to be ready. The first one waits for the fork server, which imports WeasyPrint."""

END_LIMIT: Final = timedelta(seconds=5)
"""For Pebble to give up a child (0.1 s as measured). It kills with SIGKILL after 3 s."""

# A fork server that has imported WeasyPrint gives a child in 0.07 s; spawn takes 1.1 s each time.
CONTEXT: Final = get_context("forkserver")
CONTEXT.set_forkserver_preload(["app.documents.fork_server"])


Stops = tuple[Cancellation, ...]
"""Any of these ends the work at once."""


class ChildLost(Exception):
    """The child was dead before it took the work."""


class Slot:
    """One child, started at once and ready a little later."""

    def __init__(self, *, memory_limit: int, prepare: Callable[[], None]) -> None:
        self.calls = 0
        self._memory_limit = memory_limit
        self.is_spent = False
        self._lifeline, self._parent_end = Pipe(duplex=False)
        self._cutting = threading.Lock()
        self._pool = ProcessPool(
            max_workers=1, initializer=child.enter, initargs=(self._lifeline, memory_limit), context=CONTEXT
        )
        try:
            self._ready = self._pool.schedule(child.perform, args=(prepare,))
        except (RuntimeError, BrokenProcessPool, OSError) as error:
            raise RendererUnavailable("A child could not be started.") from error

    def wait_until_ready(self, *, stops: Stops) -> None:
        """Return when the child has loaded all it needs.

        Raises `RendererUnavailable`, or `RenderCancelled` on one of the stops.
        """
        self.is_spent = True
        try:
            outcome = self._await(self._ready, time_limit=START_LIMIT, stops=stops)
        except (DocumentTimedOut, ProcessExpired, BrokenProcessPool) as error:
            raise RendererUnavailable("A child did not get ready.") from error
        if not isinstance(outcome, child.Done):
            cause = outcome.error if isinstance(outcome, child.Raised) else None
            raise RendererUnavailable("A child did not get ready.") from cause
        self.is_spent = False

    def run(
        self,
        function: Callable[..., T],
        args: tuple[object, ...],
        *,
        time_limit: timedelta,
        stops: Stops,
    ) -> T:
        """Have the child call the function; see `RendererPool.call` for what is raised."""
        self.calls += 1
        # Spent until shown otherwise: whatever goes wrong below costs a child, never a wrong document.
        self.is_spent = True
        fullness = Fullness(self._memory_limit)
        try:
            future = self._pool.schedule(child.perform, args=(function, *args))
            outcome = self._await(future, time_limit=time_limit, stops=stops, fullness=fullness)
        except ProcessExpired as death:
            raise OutOfMemory if fullness.explains(death.exitcode) else ChildDied(death.exitcode) from None
        except (BrokenProcessPool, RuntimeError) as lost:
            raise ChildLost from lost
        match outcome:
            case child.Done(value):
                self.is_spent = False
                result: T = value
                return result
            case child.Raised(error):
                self.is_spent = False
                raise error
            case _:
                raise OutOfMemory

    def is_full(self) -> bool:
        """Whether the child keeps so much memory that its next document may have too little."""
        return Fullness(self._memory_limit).leaves_no_room(self._pids())

    def end(self) -> None:
        """Kill the child, whatever it does, and wait until it is gone."""
        self.is_spent = True
        self._pool.stop()  # type: ignore[no-untyped-call]
        self._cut()
        # Bounded: should Pebble ever hang, a thread is lost and not the worker.
        ending = threading.Thread(target=self._end_pool, name="child-end", daemon=True)
        ending.start()
        ending.join(END_LIMIT.total_seconds())
        self._lifeline.close()

    def _end_pool(self) -> None:
        """Join the pool once nothing of it lives.

        Pebble takes the locks away before it ends the processes. A child that is still starting, such as the one
        that Pebble puts in a dead one's place, would then end with a traceback.
        """
        if self._pool._pool_manager_loop is not None:
            self._pool._pool_manager_loop.join()
        for process in tuple(self._pool._pool_manager.worker_manager.workers.values()):
            process.kill()
        self._pool.join()

    def _await(
        self,
        future: ProcessFuture[child.Outcome],
        *,
        time_limit: timedelta,
        stops: Stops,
        fullness: Fullness | None = None,
    ) -> child.Outcome:
        """Wait no longer than the limit, on the monotonic clock, and not past a cancellation."""

        def stop() -> None:
            self._pool.stop()  # type: ignore[no-untyped-call]  # or it would start another child at once
            future.cancel()  # type: ignore[no-untyped-call]
            self._cut()

        with ExitStack() as stack:
            for cancellation in stops:
                stack.enter_context(cancellation.waking(stop))
            give_up_at = time.monotonic() + time_limit.total_seconds()
            while (left := give_up_at - time.monotonic()) > 0:
                with suppress(TimeoutError):
                    try:
                        return future.result(min(left, LOOK_EVERY.total_seconds()))
                    except CancelledError:
                        raise RenderCancelled from None
                if fullness is not None:
                    fullness.look(self._pids())
            raise DocumentTimedOut(time_limit)

    def _pids(self) -> list[int]:
        return list(self._pool._pool_manager.worker_manager.workers)

    def _cut(self) -> None:
        """Cut the lifeline: the kernel kills the child at this very moment."""
        with self._cutting:
            self._parent_end.close()
