"""A fixed number of killable children, each given one document at a time."""

import atexit
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from datetime import timedelta
from typing import TypeVar

from app.documents import child
from app.documents.cancellation import Cancellation
from app.documents.contract import RenderedDocument, RenderRequest, UnrenderableDocument
from app.documents.errors import ChildDied, PoolClosed, RenderCancelled
from app.documents.slot import END_LIMIT, ChildLost, Slot, Stops

T = TypeVar("T")

Render = Callable[[RenderRequest], RenderedDocument | UnrenderableDocument]


class RendererPool:
    """Runs documents, and other work that needs a killable process, in children of this process.

    Work is submitted only with a permit for a free child, so nothing queues inside and the time
    limit is exact. Any thread may call any method.

    Args:
        workers: how many children, and so how many documents at a time.
        time_limit: for one document, from submission to its ready child until its result.
        memory_limit: bytes of private memory for one child. Any document takes 100 MB, one of 5,000 lines 520 MB.
        documents_per_child: after so many calls a child is replaced, or as soon as it keeps half of its memory limit.
        render: what makes a document; importable, for it is called in the child.

    """

    def __init__(
        self,
        *,
        workers: int,
        time_limit: timedelta,
        memory_limit: int,
        documents_per_child: int,
        render: Render = child.render,
    ) -> None:
        self._time_limit = time_limit
        self._memory_limit = memory_limit
        self._documents_per_child = documents_per_child
        self._render = render
        self._prepare = child.prepare if render is child.render else _nothing
        self._workers = workers
        self._closing = Cancellation()
        self._changed = threading.Condition()
        # The permits. None stands for a child that is not started yet.
        self._free: list[Slot | None] = [None] * workers
        self.started = 0
        """Children so far, and how those that ended did: worn by use, or killed and lost."""
        self.worn = 0
        self.killed = 0
        # Runs before Pebble's own hook, which waits three seconds for each child.
        atexit.register(self.close)

    def render(
        self, request: RenderRequest, *, cancelled: Cancellation | None = None
    ) -> RenderedDocument | UnrenderableDocument:
        """Make one document and wait for it. Raises as `call` does."""
        return self.call(self._render, request, time_limit=self._time_limit, cancelled=cancelled)

    def call(
        self,
        function: Callable[..., T],
        *args: object,
        time_limit: timedelta,
        cancelled: Cancellation | None = None,
    ) -> T:
        """Call an importable function in a child and wait for its result, which must pickle.

        Raises `DocumentTimedOut`, `ChildDied`, `OutOfMemory`, `RenderCancelled`, `PoolClosed`,
        `RendererUnavailable`, or whatever the function raised.
        """
        stops = (cancelled or Cancellation(), self._closing)
        try:
            for _ in range(2):
                with self._slot(stops) as slot, suppress(ChildLost):
                    return slot.run(function, args, time_limit=time_limit, stops=stops)
        except RenderCancelled:
            if self._closing.is_cancelled:
                raise PoolClosed from None
            raise
        # Twice a child was dead before it took the work. Idle deaths do not come in pairs.
        raise ChildDied(None)

    def warm_up(self) -> None:
        """Start all children and return when they are ready.

        Raises `RendererUnavailable`, and `RenderCancelled` if the pool is closed meanwhile.
        """
        with self._changed:
            taken, self._free = self._free, []
        ready: list[Slot | None] = []
        try:
            ready.extend(slot or self._new_slot() for slot in taken)
            for slot in ready:
                if slot is not None:
                    slot.wait_until_ready(stops=(self._closing,))
        finally:
            for index, slot in enumerate(ready):
                if slot is not None and slot.is_spent:
                    self._end(slot)
                    ready[index] = None
            with self._changed:
                self._free = ready + [None] * (len(taken) - len(ready)) + self._free
                self._changed.notify_all()

    def close(self) -> None:
        """Take no more work, kill what is under way, and return when the children are gone."""
        atexit.unregister(self.close)
        self._closing.cancel()
        with self._changed:
            self._changed.wait_for(lambda: len(self._free) == self._workers, timeout=END_LIMIT.total_seconds())
            slots = [slot for slot in self._free if slot is not None]
            self._free = [None] * len(self._free)
        endings = [threading.Thread(target=slot.end, daemon=True) for slot in slots]
        for ending in endings:
            ending.start()
        for ending in endings:
            ending.join()

    @contextmanager
    def _slot(self, stops: Stops) -> Iterator[Slot]:
        """Lend one ready child; when it comes back spent or worn, another takes its place."""
        slot = self._take_permit(stops)
        try:
            if slot is None:
                slot = self._new_slot()
            slot.wait_until_ready(stops=stops)
            yield slot
        finally:
            if slot is not None and (slot.is_spent or self._is_worn(slot) or self._closing.is_cancelled):
                self._end(slot)
                slot = None
            with self._changed:
                self._free.append(slot)
                self._changed.notify_all()

    def _take_permit(self, stops: Stops) -> Slot | None:
        with ExitStack() as stack:
            for stop in stops:
                stack.enter_context(stop.waking(self._wake_all))
            with self._changed:
                self._changed.wait_for(lambda: self._free or any(stop.is_cancelled for stop in stops))
                if any(stop.is_cancelled for stop in stops):
                    raise RenderCancelled
                return self._free.pop()

    def _wake_all(self) -> None:
        with self._changed:
            self._changed.notify_all()

    def _is_worn(self, slot: Slot) -> bool:
        return slot.calls >= self._documents_per_child or slot.is_full()

    def _end(self, slot: Slot) -> None:
        with self._changed:
            if slot.is_spent:
                self.killed += 1
            else:
                self.worn += 1
        slot.end()

    def _new_slot(self) -> Slot:
        with self._changed:
            self.started += 1
        return Slot(memory_limit=self._memory_limit, prepare=self._prepare)


def _nothing() -> None:
    """Prepare nothing: a render function of somebody else's prepares itself."""
