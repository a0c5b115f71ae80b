"""The ASGI middleware: one deadline around one request, enforced from outside of the application.

The application runs in a task of its own. When the time is up or the caller has left, the task is told to
stop, 20 ms later told again, and the middleware answers itself, whatever the task does.
"""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from starlette.types import ASGIApp, Receive, Scope, Send

from app.deadline.admission import Admission, AdmissionDenied, Permit, Permits
from app.deadline.answer import Answer
from app.deadline.budget import Budget, Clock
from app.deadline.call import Call
from app.deadline.current import Deadline, install
from app.deadline.headers import HeaderMalformed
from app.deadline.ingress import Ingress, Network
from app.deadline.outcome import Outcome, Reason, Verdict
from app.deadline.policy import Priority, RoutePolicy
from app.deadline.signals import Signals
from app.deadline.words import problem
from app.deadline.zombies import Zombies

TO_SPARE: Final = 0.25
"""The part of its budget that a request must have left for the permits to grow: they all wait in the same queues,
so that beyond it a whole round would be late before the first lateness is seen."""


@dataclass(frozen=True, slots=True)
class Rules:
    """What the service decides."""

    policy_of: Callable[[Scope], RoutePolicy]
    """The row of its table for this request; must not raise."""
    words: Callable[[Verdict], Answer] = problem
    """Its answer for what the room has to say."""
    trusted: Sequence[Network] = ()
    """The proxies whose `X-Request-Start` is believed."""
    is_enforced: bool = True
    """Off: everything is measured, and nobody is refused or stopped."""


class DeadlineMiddleware:
    """Pure ASGI; to be the outermost layer but for a request log."""

    def __init__(
        self,
        app: ASGIApp,
        *,
        rules: Rules,
        signals: Signals | None = None,
        admission: Admission | None = None,
        zombies: Zombies | None = None,
        clock: Clock = time.monotonic,
    ) -> None:
        self._app = app
        self._rules = rules
        self._signals = signals or Signals()
        self._ingress = Ingress(self._signals, trusted=rules.trusted)
        self._admission = admission or Admission(Permits())
        self._zombies = zombies or Zombies(self._signals)
        self._clock = clock

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        began = self._clock()
        policy = self._rules.policy_of(scope)
        malformed = None
        try:
            budget = self._ingress.budget(scope, maximum=policy.maximum, now=began)
        except HeaderMalformed as error:
            malformed = Verdict(Reason.HEADER_MALFORMED, error.reason, "ingress", header=error.header)
            budget = Budget.of(policy.maximum, now=began)
        deadline = Deadline(budget, policy, self._signals, self._clock)
        scope["deadline"] = deadline
        call = Call(deadline, scope, receive, send, began=began, words=self._rules.words, zombies=self._zombies)
        try:
            if not self._rules.is_enforced:
                self._signals.began(policy.route, budget=deadline.left())
                await call.run_freely(self._app)
            elif malformed is not None:
                await call.answer(malformed)
            else:
                await self._serve(call)
        finally:
            deadline.outcome = deadline.outcome or Outcome.COMPLETED
            seconds = self._clock() - began
            self._signals.ended(policy.route, deadline.outcome, status=call.status, seconds=seconds)

    async def _serve(self, call: Call) -> None:
        deadline = call.deadline
        if deadline.left() <= 0:
            self._signals.expired("ingress")
            await call.answer(Verdict(Reason.DEADLINE_LOCAL, "The deadline had passed on arrival.", "ingress"))
            return
        try:
            permit = await self._admit(deadline)
        except _Refused as refused:
            self._signals.refused(refused.verdict.reason)
            await call.answer(refused.verdict)
            return
        budget = deadline.left()
        try:
            install(deadline)
            self._signals.began(deadline.policy.route, budget=budget)
            await call.run(self._app, permit)
        finally:
            _give_back(permit, deadline, budget=budget)

    async def _admit(self, deadline: Deadline) -> Permit:
        policy, left = deadline.policy, deadline.left()
        if left < policy.minimum:
            detail = f"{left * 1000:.0f} ms are left, and this call needs {policy.minimum * 1000:.0f} ms."
            raise _Refused(Verdict(Reason.DEADLINE_EXPIRED, detail, "admission", retry_after=1, minimum=policy.minimum))
        if self._zombies.is_full and policy.priority is not Priority.PROBE:
            detail = f"{self._zombies.count} earlier calls are stuck in something that does not stop."
            raise _Refused(Verdict(Reason.CONCURRENCY_LIMIT, detail, "zombies", retry_after=2))
        began = self._clock()
        try:
            return await self._admission.acquire(policy.priority, within=left - policy.minimum)
        except AdmissionDenied:
            detail = "This process is at work on as many calls as it can serve in time."
            raise _Refused(Verdict(Reason.CONCURRENCY_LIMIT, detail, "admission", retry_after=1)) from None
        finally:
            deadline.spent["admission"] = self._clock() - began
            self._signals.queued("admission", seconds=deadline.spent["admission"])


def _give_back(permit: Permit, deadline: Deadline, *, budget: float) -> None:
    """Return a permit with what this request, which was admitted with `budget` seconds, says of their number."""
    if deadline.outcome not in {None, Outcome.COMPLETED}:
        permit.release_too_late()
    elif deadline.left() > budget * TO_SPARE:
        permit.release_in_time()
    else:
        permit.release()


class _Refused(Exception):
    def __init__(self, verdict: Verdict) -> None:
        super().__init__(verdict.detail)
        self.verdict = verdict
