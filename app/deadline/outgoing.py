"""Calls to other services over httpx, each attempt inside the budget that its request carries.

    with httpx.Client(transport=BudgetTransport(httpx.HTTPTransport())) as http:
        http.get(url, extensions={"budget": budget})

A client whose transport was given takes no proxies from the environment: give them to the inner one.
"""

import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from math import inf
from typing import Final

import httpx

from app.deadline.budget import Budget, Clock, DeadlineSpent, DependencyTimedOut

OUTGOING: Final = "outgoing"
"""What these calls are called as a boundary and as a dependency, unless they are given a name."""

WAY_BACK: Final = 0.05
"""Seconds in which the other side's own "too late" can still arrive: a deadline as it answers it, and a network."""


class BudgetTransport(httpx.BaseTransport):
    """Bounds another transport by `request.extensions["budget"]`; a request without one passes untouched.

    What is left is sent on as `Connect-Timeout-Ms`, less `way_back` seconds or a tenth, whichever is less.
    Raises `DeadlineSpent` before the network is touched if no whole millisecond is left, and
    `DependencyTimedOut` if the budget ends before the answer does.

    Each step (waiting for a connection, connecting, sending, reading) begins with what is left then. A
    step cannot be cut from outside: looking up a name has no time-out, a head that comes in pieces is
    bounded piece by piece, and a body that stands still after it trickled may take as long once more as
    was left when it began. `AsyncBudgetTransport` ends on time in all of these.
    """

    def __init__(
        self,
        inner: httpx.BaseTransport,
        *,
        name: str = OUTGOING,
        way_back: float = WAY_BACK,
        clock: Clock = time.monotonic,
    ) -> None:
        self._inner = inner
        self._name = name
        self._way_back = way_back
        self._clock = clock

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """Send one attempt."""
        attempt = attempt_of(request, name=self._name, clock=self._clock)
        if attempt is None:
            return self._inner.handle_request(request)
        bounded = attempt.bound(request, way_back=self._way_back)
        with attempt.telling():
            response = self._inner.handle_request(bounded)
        assert isinstance(response.stream, httpx.SyncByteStream)  # noqa: S101 - for the type: httpx asserts it too
        response.stream = _BoundedStream(response.stream, attempt)
        return response

    def close(self) -> None:
        """Close the connections."""
        self._inner.close()


class _BoundedStream(httpx.SyncByteStream):
    """An answer's body, which httpx bounds only from piece to piece."""

    def __init__(self, inner: httpx.SyncByteStream, attempt: "Attempt") -> None:
        self._inner = inner
        self._attempt = attempt

    def __iter__(self) -> Iterator[bytes]:
        with self._attempt.telling():
            for piece in self._inner:
                self._attempt.check()
                yield piece

    def close(self) -> None:
        self._inner.close()


def attempt_of(request: httpx.Request, *, name: str, clock: Clock) -> "Attempt | None":
    """The attempt that this request begins, or None if nothing bounds it."""
    budget = request.extensions.get("budget")
    return None if budget is None or budget.cutoff == inf else Attempt(budget, name, clock)


@dataclass(frozen=True, slots=True)
class Attempt:
    """One attempt at a call, until its answer is read."""

    budget: Budget
    name: str
    clock: Clock

    def left(self) -> float:
        """Seconds left now."""
        return self.budget.left(self.clock())

    def bound(self, request: httpx.Request, *, way_back: float) -> httpx.Request:
        """The request as it is sent; the caller's own stays as it is, for the next attempt."""
        left = self.left()
        milliseconds = int((left - min(way_back, left / 10)) * 1000)
        if milliseconds < 1:
            raise DeadlineSpent(self.name)
        headers = request.headers.copy()
        # ten digits are all that the protocol takes
        headers["Connect-Timeout-Ms"] = str(min(milliseconds, 9_999_999_999))
        timeouts = _Timeouts(request.extensions.get("timeout", {}), self)
        return httpx.Request(
            request.method,
            request.url,
            headers=headers,
            stream=request.stream,
            extensions={**request.extensions, "timeout": timeouts},
        )

    def check(self) -> None:
        """Raise `DependencyTimedOut` if nothing is left."""
        if self.left() <= 0:
            raise DependencyTimedOut(self.name)

    @contextmanager
    def telling(self) -> Iterator[None]:
        """Tell a time-out that was the budget's from one that was set for the step alone."""
        try:
            yield
        except httpx.TimeoutException as error:
            if self.left() > 0:
                raise
            raise DependencyTimedOut(self.name) from error


class _Timeouts(Mapping[str, float | None]):
    """httpx's time-outs: what was set for a step, or what is left when the step begins, if that is less."""

    def __init__(self, asked: Mapping[str, float | None], attempt: Attempt) -> None:
        self._asked = asked
        self._attempt = attempt

    def __getitem__(self, step: str) -> float:
        # a socket takes zero for "do not wait at all", which is another error
        left = max(0.001, self._attempt.left())
        asked = self._asked.get(step)
        return left if asked is None else min(asked, left)

    def __iter__(self) -> Iterator[str]:
        return iter(("connect", "read", "write", "pool"))

    def __len__(self) -> int:
        return 4
