"""The database's clock held against this process's own: only the first can be set to another time."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

TOLERANCE: Final = timedelta(seconds=5)
"""By how much the two may part between two looks: drift stays far below, a clock that is set does not."""


@dataclass(slots=True)
class ClockWatch:
    """Remembers the last look at both clocks. Suspending the machine looks like a jump, and harms as little."""

    _last: tuple[datetime, float] | None = None

    def jump(self, *, asked: float, told: datetime, answered: float) -> timedelta | None:
        """By how much the database's clock was set since the last look; None if it was not, or nobody can say.

        The database said `told` at a moment between `asked` and `answered` of the monotonic clock, in seconds.
        """
        if timedelta(seconds=answered - asked) > TOLERANCE:
            self._last = None  # such an answer tells no time
            return None
        last, self._last = self._last, (told, answered)
        if last is None:
            return None
        jump = (told - last[0]) - timedelta(seconds=answered - last[1])
        return jump if abs(jump) > TOLERANCE else None
