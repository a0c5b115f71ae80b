"""Bounded permits by priority, with a short wait: work that cannot be done in time is not begun."""

import asyncio
import heapq
from dataclasses import dataclass, field
from itertools import count
from typing import Final

from app.deadline.limit import Limit
from app.deadline.policy import Priority


class AdmissionDenied(Exception):
    """Every permit that this priority may use is taken, and none came free in time."""


@dataclass(frozen=True, slots=True)
class Permits:
    """How many requests may be at work at once in this process."""

    shared: int = 40
    """For everything but probes and waiting calls: four to a database connection keep ten of them busy."""
    least: int | None = None
    """What lateness may bring the shared ones down to: one to a database connection, so that each is at work and
    none has a queue. None: lateness changes nothing."""
    probes: int = 32
    waiting: int = 1000
    """Long polls sleep: they cost memory and nothing else."""
    wait: float = 0.01
    """Seconds that a request may wait for a permit: long enough for a burst, too short to be a queue."""


_SHARES: Final = {Priority.HIGH: 1.0, Priority.NORMAL: 0.8, Priority.LOW: 0.5}
"""The part of the shared permits that each priority may use: the rest is kept for those above it."""


@dataclass(slots=True)
class _Lane:
    limit: Limit
    shares: dict[Priority, float]
    taken: int = 0
    waiting: list[tuple[Priority, int, asyncio.Future[None]]] = field(default_factory=list)

    def has_room(self, priority: Priority) -> bool:
        return self.taken < max(1, int(self.limit.value * self.shares[priority]))


class Admission:
    """The permits of one process. To be used on one event loop."""

    def __init__(self, permits: Permits) -> None:
        self._wait = permits.wait
        least = permits.shared if permits.least is None else permits.least
        self._lanes = dict.fromkeys(_SHARES, _Lane(Limit(floor=least, ceiling=permits.shared), _SHARES))
        for one, size in ((Priority.PROBE, permits.probes), (Priority.WAITING, permits.waiting)):
            self._lanes[one] = _Lane(Limit(floor=size, ceiling=size), {one: 1.0})
        self._numbers = count()

    def limit(self, priority: Priority) -> int:
        """How many permits this priority's lane has now."""
        return self._lanes[priority].limit.value

    def taken(self, priority: Priority) -> int:
        """How many permits of this priority's lane are in use."""
        return self._lanes[priority].taken

    async def acquire(self, priority: Priority, *, within: float) -> "Permit":
        """A permit; raises `AdmissionDenied` after `within` seconds, but never waits longer than its own limit."""
        lane = self._lanes[priority]
        if not lane.waiting and lane.has_room(priority):
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

    def _begin(self, priority: Priority) -> int:
        return self._lanes[priority].limit.begin()

    def _in_time(self, priority: Priority) -> None:
        lane = self._lanes[priority]
        lane.limit.in_time(at_work=lane.taken)

    def _too_late(self, priority: Priority, number: int) -> None:
        self._lanes[priority].limit.too_late(number)

    def _let_in(self, lane: _Lane) -> None:
        while lane.waiting:
            priority, _, turn = lane.waiting[0]
            if turn.done():
                heapq.heappop(lane.waiting)
            elif lane.has_room(priority):
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
        self._number = admission._begin(priority)

    def release(self) -> None:
        """Let the next one in."""
        if self._admission is not None:
            admission, self._admission = self._admission, None
            admission._release(self._priority)

    def release_in_time(self) -> None:
        """Let the next one in, and in the long run more: this one ended with time to spare."""
        if self._admission is not None:
            self._admission._in_time(self._priority)
            self.release()

    def release_too_late(self) -> None:
        """Let the next one in, and from now on fewer: nobody waited any more for this one."""
        if self._admission is not None:
            self._admission._too_late(self._priority, self._number)
            self.release()


def _is_given(turn: asyncio.Future[None]) -> bool:
    """Whether the permit came in the same moment in which its wait ended."""
    return turn.done() and not turn.cancelled()
