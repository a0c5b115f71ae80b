"""A handle by which one thread stops the work that another thread waits for."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager


class Cancellation:
    """Cancelled once, for good. One handle may stand for many documents, one after another or at once."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._is_cancelled = False
        self._wakers: dict[object, Callable[[], object]] = {}

    @property
    def is_cancelled(self) -> bool:
        """Whether somebody called `cancel`."""
        return self._is_cancelled

    def cancel(self) -> None:
        """Stop what is under way with this handle, and whatever would begin with it later."""
        with self._lock:
            if self._is_cancelled:
                return
            self._is_cancelled = True
            wakers = list(self._wakers.values())
        # Outside the lock: a waker takes locks of its own.
        for wake in wakers:
            wake()

    @contextmanager
    def waking(self, wake: Callable[[], object]) -> Iterator[None]:
        """Have `wake` called on cancellation, at once if it has come already, while the block runs."""
        ticket = object()
        with self._lock:
            is_late = self._is_cancelled
            self._wakers[ticket] = wake
        try:
            if is_late:
                wake()
            yield
        finally:
            with self._lock:
                del self._wakers[ticket]
