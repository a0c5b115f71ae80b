"""The pauses between the attempts of one call, paid from the budget that the attempts spend."""

import random
import time
from collections.abc import Callable
from typing import Final

import httpx

from app.deadline.budget import Budget

RETRY: Final = "retry"
"""What a pause that does not fit is called as a boundary."""


class Backoff:
    """One call's pauses: from `first` seconds they double up to `longest`, with jitter.

    Without jitter, the callers of a service that comes back would all arrive at once. `useful` is the
    least, in seconds, that is worth an attempt.
    """

    def __init__(
        self,
        budget: Budget,
        *,
        first: float = 0.2,
        longest: float = 5.0,
        useful: float = 0.05,
        clock: Callable[[], float] = time.monotonic,
        jitter: Callable[[], float] = random.random,
    ) -> None:
        self.budget = budget
        self._next = first
        self._longest = longest
        self._useful = useful
        self._clock = clock
        self._jitter = jitter

    @property
    def left(self) -> float:
        """Seconds left for attempts and pauses."""
        return self.budget.left(self._clock())

    def next_pause(self, *, at_least: float | None = None) -> float:
        """Seconds to wait before the next attempt; between half of the present pause and all of it.

        `at_least` is the server's own wish. Raises `DeadlineSpent` if no useful attempt fits after it.
        """
        pause = max(self._next * (1 + self._jitter()) / 2, at_least or 0.0)
        self._next = min(self._next * 2, self._longest)
        self.budget.require(pause + self._useful, boundary=RETRY, now=self._clock())
        return pause


def retry_after(response: httpx.Response) -> float | None:
    """Seconds after which the server wants to be asked again, if it says so in a way that we take."""
    # the other form, a date, would need the server's clock
    text = response.headers.get("retry-after", "").strip()
    return float(text) if text.isascii() and text.isdigit() and len(text) < 7 else None
