"""Lanes: threads that have documents made, one for each child, whichever step the documents are of.

A step's documents wait in one line for the next free lane. So all children work on one step after the other, and
while its documents are stored and the next step is loaded, they are at those of the step behind it.
"""

from collections.abc import Callable, Iterable
from concurrent.futures import CancelledError, Future, ThreadPoolExecutor
from contextvars import copy_context
from functools import partial
from typing import TypeVar

from app.documents.cancellation import Cancellation
from app.documents.errors import PoolClosed, RenderCancelled

T = TypeVar("T")
R = TypeVar("R")


class Lanes:
    """As many as there are children. Any thread may call any method."""

    def __init__(self, count: int) -> None:
        self._threads = ThreadPoolExecutor(count, thread_name_prefix="lane")

    def each(self, work: Callable[[T], R], things: Iterable[T], *, stop: Cancellation) -> list[R]:
        """What `work` makes of each thing, in their order.

        The first error is raised, and stops the rest: what waits is never begun. Raises `RenderCancelled` if that was
        asked for before, and `PoolClosed` after `close`.
        """
        errors: list[Exception] = []

        def one(thing: T) -> R:
            if stop.is_cancelled:
                raise RenderCancelled
            try:
                return work(thing)
            except Exception as error:
                errors.append(error)
                stop.cancel()  # those beside it end soon, however long they would take
                raise

        # with the log's fields of whoever asks
        waiting = [self._begin(partial(copy_context().run, one, thing)) for thing in things]
        try:
            return [begun.result() for begun in waiting]
        except CancelledError:
            raise PoolClosed from None
        except Exception:  # noqa: BLE001 - of the errors of all, the one that came first tells why
            for begun in waiting:
                begun.cancel()
            raise (errors or [RenderCancelled()])[0] from None

    def _begin(self, work: Callable[[], R]) -> Future[R]:
        try:
            return self._threads.submit(work)
        except RuntimeError:
            raise PoolClosed from None

    def close(self) -> None:
        """Begin nothing more. What is under way ends with the pool."""
        self._threads.shutdown(wait=False, cancel_futures=True)
