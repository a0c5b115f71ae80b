"""Budget arithmetic: pure, on a monotonic clock that is passed in. Nothing here sleeps or reads a clock."""

from collections.abc import Callable
from dataclasses import dataclass
from math import inf
from typing import Self

Clock = Callable[[], float]
"""A monotonic clock, in seconds."""


class DeadlineSpent(Exception):
    """Too little time is left to begin this; nothing of it was begun. `boundary` says before what."""

    def __init__(self, boundary: str) -> None:
        super().__init__(f"no time left before {boundary}")
        self.boundary = boundary


class DependencyTimedOut(Exception):
    """A dependency used up its share of the budget and was stopped; `dependency` names it."""

    def __init__(self, dependency: str) -> None:
        super().__init__(f"{dependency} used up its time")
        self.dependency = dependency


@dataclass(frozen=True, slots=True)
class Budget:
    """Time left for one call, as its end in seconds on this process's monotonic clock."""

    cutoff: float

    @classmethod
    def of(cls, seconds: float, *, now: float) -> Self:
        """A budget of that many seconds from now."""
        return cls(now + seconds)

    def left(self, now: float) -> float:
        """Seconds until the cutoff, never below zero; `inf` for a budget without end."""
        return max(0.0, self.cutoff - now)

    def is_spent(self, now: float) -> bool:
        """Whether the cutoff has come."""
        return now >= self.cutoff

    def child(self, *, reserve: float = 0.0, cap: float = inf, now: float) -> "Budget":
        """What a dependency may use: never more than we have, less what we keep to answer.

        `reserve` and `cap` are seconds, not negative. The child may be spent from its first moment.
        """
        # our own cutoff first: a reserve below zero, or no number, must not lengthen it
        return Budget(min(self.cutoff, self.cutoff - reserve, now + cap))

    def require(self, seconds: float, *, boundary: str, now: float) -> None:
        """Raise `DeadlineSpent` unless more than that many seconds are left; expired work never starts."""
        left = self.cutoff - now
        if left <= 0 or left < seconds:
            raise DeadlineSpent(boundary)


UNBOUNDED = Budget(inf)
"""No deadline: the work of background tasks and of commands."""
