"""Bounded permits by priority, with a short wait: work that cannot be done in time is not begun."""

import asyncio
import heapq
from dataclasses import dataclass, field
from itertools import count
from typing import Final

from app.deadline.policy import Priority


class AdmissionDenied(Exception):
    """Every permit that this priority may use is taken, and none came free in time."""


@dataclass(frozen=True, slots=True)
class Permits:
    """How many requests may be at work at once in this process."""

    shared: int = 40
    """For everything but probes and waiting calls: four to a database connection keep ten of them busy."""
    probes: int = 32
    waiting: int = 1000
    """Long polls sleep: they cost memory and nothing else."""
    wait: float = 0.01
    """Seconds that a request may wait for a permit: long enough for a burst, too short to be a queue."""


_SHARES: Final = {Priority.HIGH: 1.0, Priority.NORMAL: 0.8, Priority.LOW: 0.5}
"""The part of the shared permits that each priority may use: the rest is kept for those above it."""


@dataclass(slots=True)
class _Lane:
    limits: dict[Priority, int]
    taken: int = 0
    waiting: list[tuple[Priority, int, asyncio.Future[None]]] = field(default_factory=list)


class Admission:
    """The permits of one process. To be used on one event loop."""

    def __init__(self, permits: Permits) -> None:
        self._wait = permits.wait
        shared = _Lane({one: max(1, int(permits.shared * share)) for one, share in _SHARES.items()})
        self._lanes = dict.fromkeys(_SHARES, shared)
        self._lanes[Priority.PROBE] = _Lane({Priority.PROBE: permits.probes})
        self._lanes[Priority.WAITING] = _Lane({Priority.WAITING: permits.waiting})
        self._numbers = count()

    def taken(self, priority: Priority) -> int:
        """How many permits of this priority's lane are in use."""
        return self._lanes[priority].taken

    async def acquire(self, priority: Priority, *, within: float) -> "Permit":
        """A permit; raises `AdmissionDenied` after `within` seconds, but never waits longer than its own limit."""
        lane = self._lanes[priority]
        if not lane.waiting and lane.taken < lane.limits[priority]:
            lane.taken += 1
            return Permit(self, priority)
        turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        heapq.heappush(lane.waiting, (priority, next(self._numbers), turn))
        # somebody below us may be at the head, who is not let in where we would be
        self._let_in(lane)
        try:
            async with asyncio.timeout(min(self._wait, within)):
                await turn
        except TimeoutError:
            if not _is_given(turn):
                raise AdmissionDenied from None
        except asyncio.CancelledError:
            if _is_given(turn):
                self._release(priority)
            raise
        return Permit(self, priority)

    def _release(self, priority: Priority) -> None:
        lane = self._lanes[priority]
        lane.taken -= 1
        self._let_in(lane)

    def _let_in(self, lane: _Lane) -> None:
        while lane.waiting:
            priority, _, turn = lane.waiting[0]
            if turn.done():
                heapq.heappop(lane.waiting)
            elif lane.taken < lane.limits[priority]:
                heapq.heappop(lane.waiting)
                lane.taken += 1
                turn.set_result(None)
            else:
                return


class Permit:
    """One place among those that work; giving it back twice is harmless."""

    def __init__(self, admission: Admission, priority: Priority) -> None:
        self._admission: Admission | None = admission
        self._priority = priority

    def release(self) -> None:
        """Let the next one in."""
        if self._admission is not None:
            admission, self._admission = self._admission, None
            admission._release(self._priority)


def _is_given(turn: asyncio.Future[None]) -> bool:
    """Whether the permit came in the same moment in which its wait ended."""
    return turn.done() and not turn.cancelled()
