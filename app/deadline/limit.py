"""How many requests may be at work at once, learned from whether those before ended in time.

A fixed number is right for one speed of the dependencies. When they slow down, what is let in waits longer
than anybody wants, and everything is done for nobody. So the number falls when a request ends too late and
grows while they end in time, as TCP's window does (RFC 5681, section 3.1). Pure: nothing here waits or
reads a clock.
"""

from typing import Final

FALL: Final = 0.75
"""What a lateness leaves of the limit: less than TCP's half, since one lateness is noticed only a whole
deadline after its cause."""


class Limit:
    """A number from `floor` to `ceiling`; at first the ceiling."""

    def __init__(self, *, floor: int, ceiling: int) -> None:
        self._floor = min(floor, ceiling)
        self._ceiling = ceiling
        self._now = float(ceiling)
        self._begun = 0
        self._begun_at_fall = 0

    @property
    def value(self) -> int:
        """The limit now."""
        return int(self._now)

    def begin(self) -> int:
        """One more is at work: its number, to be told to `too_late`."""
        self._begun += 1
        return self._begun

    def in_time(self, *, at_work: int) -> None:
        """One of that many ended with time to spare: after as many as the limit allows, one more is allowed."""
        # a limit that nobody came near has proved nothing
        if at_work * 2 > self._now:
            self._now = min(self._ceiling, self._now + 1 / self._now)

    def too_late(self, number: int) -> None:
        """One ended too late. Those that had begun before the last fall say nothing of the limit since."""
        if number > self._begun_at_fall:
            self._now = max(self._floor, self._now * FALL)
            self._begun_at_fall = self._begun
