"""One budget across all attempts of a call, the pauses between them included."""

import random
import time
from typing import Final

from app.client.errors import SheafError

_FIRST_PAUSE: Final = 0.2
_LONGEST_PAUSE: Final = 5.0


class Patience:
    """Seconds that a call may go on asking, on the monotonic clock."""

    def __init__(self, seconds: float) -> None:
        self._give_up_at = time.monotonic() + seconds
        self._pause = _FIRST_PAUSE

    @property
    def left(self) -> float:
        """Seconds left, never below zero."""
        return max(0.0, self._give_up_at - time.monotonic())

    def next_pause(self, because: SheafError, *, at_least: float | None) -> float:
        """Seconds to the next attempt; raises `because` if the budget does not reach so far.

        The pauses double, with jitter, so that the clients of a server that comes back do not
        all arrive at once. `at_least` is the server's own wish.
        """
        pause = max(self._pause * random.uniform(0.5, 1.0), at_least or 0.0)  # noqa: S311 - no secret
        self._pause = min(self._pause * 2, _LONGEST_PAUSE)
        if pause >= self.left:
            raise because
        return pause
