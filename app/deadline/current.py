"""The deadline of the request that this code serves, found wherever it runs.

Dependencies are used inside `spending`, queues of our own are waited in inside `queueing`. Outside of a
request both do nothing: background work has lifetimes of its own.
"""

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, Final

from app.deadline.answer import Answer
from app.deadline.budget import UNBOUNDED, Budget, Clock, DeadlineSpent, DependencyTimedOut
from app.deadline.effect import Effect
from app.deadline.outcome import Outcome, Reason, Verdict
from app.deadline.policy import RoutePolicy
from app.deadline.signals import Signals

if TYPE_CHECKING:
    from starlette.responses import Response

AGAIN_AFTER: Final = 0.02
"""Seconds between the two steps of a cancel. psycopg asks the server to stop at the first, and drops a
connection to a frozen server at the second; without a pause between them it would drop every one."""


class Deadline:
    """One request's deadline, what was spent of it, and where the request is now."""

    def __init__(self, budget: Budget, policy: RoutePolicy, signals: Signals, clock: Clock = time.monotonic) -> None:
        self.budget = budget
        self.policy = policy
        self.signals = signals
        self.clock = clock
        self.effect = Effect()
        self.is_over = False
        """Whether the request was told to stop; looked at by threads too."""
        self.outcome: Outcome | None = None
        self.spent: dict[str, float] = {}
        """Seconds by boundary, in the order of first use."""
        self._inside: list[tuple[str, bool]] = []

    @property
    def boundary(self) -> str:
        """Where the request is: a dependency, a queue, or `handler`."""
        return self._inside[-1][0] if self._inside else "handler"

    @property
    def is_downstream(self) -> bool:
        """Whether the request is in the hands of a dependency."""
        return bool(self._inside) and self._inside[-1][1]

    def left(self) -> float:
        """Seconds left of the whole request."""
        return self.budget.left(self.clock())

    def lift(self) -> None:
        """The answer has begun: from here on only caps and idle limits hold."""
        self.budget = UNBOUNDED

    def enter(self, boundary: str, *, downstream: bool) -> tuple[str, bool]:
        """Note that the request is there now; to be given back to `leave`."""
        place = (boundary, downstream)
        self._inside.append(place)
        return place

    def leave(self, place: tuple[str, bool], *, seconds: float) -> None:
        """Note that it is there no more."""
        self._inside.remove(place)
        self.spent[place[0]] = self.spent.get(place[0], 0.0) + seconds


_deadline: ContextVar[Deadline | None] = ContextVar("deadline", default=None)
_share: ContextVar[Budget | None] = ContextVar("share", default=None)


def current() -> Deadline | None:
    """The deadline of the request that is served here; None outside of one."""
    return _deadline.get()


def install(deadline: Deadline) -> None:
    """Make it the current one of this task and of those that it starts."""
    _deadline.set(deadline)


def share() -> Budget:
    """What the innermost dependency here may still use; unbounded outside of a request."""
    found, deadline = _share.get(), _deadline.get()
    if deadline is None:
        return UNBOUNDED
    return deadline.budget if found is None else found


def stage(*, unknown: "Response", done: "Response") -> None:
    """Say what to answer if the coming COMMIT is not acknowledged in time, and what if it is.

    The last act inside a transaction that writes. Outside of a request it does nothing.
    """
    deadline = _deadline.get()
    if deadline is not None:
        deadline.effect.stage(unknown=Answer.of(unknown), done=Answer.of(done))


def judge(error: DeadlineSpent | DependencyTimedOut) -> Verdict:
    """What an expiry inside the application means for its request."""
    deadline = _deadline.get()
    if isinstance(error, DependencyTimedOut):
        outcome, verdict = Outcome.DEADLINE_DOWNSTREAM, downstream(error.dependency)
    else:
        outcome, verdict = Outcome.DEADLINE_LOCAL, local(error.boundary)
    if deadline is not None:
        deadline.outcome = outcome
    return verdict


def downstream(dependency: str) -> Verdict:
    """A dependency used up its share."""
    return Verdict(Reason.DEADLINE_DOWNSTREAM, f"The {dependency} did not answer within its share.", dependency)


def local(boundary: str) -> Verdict:
    """The time ended in our own code or queues."""
    return Verdict(Reason.DEADLINE_LOCAL, f"The time ended at this point: {boundary}.", boundary)


@asynccontextmanager
async def spending(dependency: str) -> AsyncIterator[Budget]:
    """Use a dependency within what is left for it, worked out now.

    Raises `DeadlineSpent` before anything is begun if nothing is left, and `DependencyTimedOut` if
    the dependency used it all up.
    """
    deadline = _deadline.get()
    if deadline is None:
        yield UNBOUNDED
        return
    began = deadline.clock()
    budget = deadline.policy.share(share(), dependency, is_nested=_share.get() is not None, now=began)
    deadline.signals.reached(dependency, left=budget.left(began))
    budget.require(0.0, boundary=dependency, now=began)
    place = deadline.enter(dependency, downstream=True)
    token = _share.set(budget)
    try:
        async with hard_timeout(budget.left(began)) as end:
            yield budget
    except (TimeoutError, asyncio.CancelledError) as error:
        if isinstance(error, TimeoutError) and end.has_come:
            deadline.signals.expired(dependency)
            raise DependencyTimedOut(dependency) from None
        raise
    finally:
        _share.reset(token)
        seconds = deadline.clock() - began
        deadline.leave(place, seconds=seconds)
        deadline.signals.used(dependency, seconds=seconds)


@asynccontextmanager
async def queueing(queue: str) -> AsyncIterator[None]:
    """Wait in a queue of our own: it is paid from the same budget. Raises `DeadlineSpent` at its end."""
    deadline = _deadline.get()
    if deadline is None:
        yield
        return
    began = deadline.clock()
    budget = deadline.policy.share(share(), queue, is_nested=_share.get() is not None, now=began)
    budget.require(0.0, boundary=queue, now=began)
    place = deadline.enter(queue, downstream=False)
    try:
        async with asyncio.timeout(_seconds(budget.left(began))) as end:
            yield
    except TimeoutError:
        if end.expired():
            deadline.signals.expired(queue)
            raise DeadlineSpent(queue) from None
        raise
    finally:
        seconds = deadline.clock() - began
        deadline.leave(place, seconds=seconds)
        deadline.signals.queued(queue, seconds=seconds)


class End:
    """The two steps of a time-out."""

    def __init__(self, first: asyncio.Timeout, second: asyncio.Timeout) -> None:
        self._first, self._second = first, second

    @property
    def has_come(self) -> bool:
        """Whether the time ended, which tells our `TimeoutError` from another's."""
        return self._first.expired() or self._second.expired()


@asynccontextmanager
async def hard_timeout(seconds: float) -> AsyncIterator[End]:
    """Cancel the block after that long, and once more `AGAIN_AFTER` later; raises `TimeoutError`."""
    loop = asyncio.get_running_loop()
    async with asyncio.timeout(None) as second, asyncio.timeout(_seconds(seconds)) as first:
        # counted from the first step, not from now: a loop that was busy would take both at once, which is one
        arming = loop.call_later(seconds, lambda: second.reschedule(loop.time() + AGAIN_AFTER))
        try:
            yield End(first, second)
        finally:
            arming.cancel()


def _seconds(left: float) -> float | None:
    return None if left == float("inf") else left
