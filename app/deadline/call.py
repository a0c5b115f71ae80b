"""One request at work: its application runs as a task that can be stopped, and somebody answers in any case."""

import asyncio
from collections.abc import Callable
from contextlib import suppress
from enum import StrEnum
from typing import Any, Final

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from app.deadline.admission import Permit
from app.deadline.answer import Answer
from app.deadline.current import AGAIN_AFTER, Deadline, downstream, local
from app.deadline.exchange import Exchange
from app.deadline.outcome import Outcome, Reason, Verdict
from app.deadline.policy import Kind
from app.deadline.stopping import UNWINDING, stop
from app.deadline.timing import server_timing
from app.deadline.zombies import Zombies

ANSWERING: Final = AGAIN_AFTER + UNWINDING + 0.002
"""Seconds before its end at which a request is stopped: so its caller has an answer by the deadline, and
not from the deadline on."""

SETTLING: Final = 5.0
"""Seconds that an upload has to keep what its sender brought before it left."""

UNHURRIED: Final = 5.0
"""Seconds in which a short answer of our own must have left."""

_OUTCOMES: Final = {
    Reason.HEADER_MALFORMED: Outcome.COMPLETED,
    Reason.DEADLINE_LOCAL: Outcome.DEADLINE_LOCAL,
    Reason.DEADLINE_DOWNSTREAM: Outcome.DEADLINE_DOWNSTREAM,
    Reason.DEADLINE_EXPIRED: Outcome.ADMISSION_DENIED,
    Reason.CONCURRENCY_LIMIT: Outcome.ADMISSION_DENIED,
}


class _Why(StrEnum):
    DEADLINE = "deadline"
    CALLER_LEFT = "caller_left"


class Call:
    """One request between a server and an application."""

    def __init__(
        self,
        deadline: Deadline,
        scope: Scope,
        receive: Receive,
        send: Send,
        *,
        began: float,
        words: Callable[[Verdict], Answer],
        zombies: Zombies,
    ) -> None:
        self.deadline = deadline
        self.status = 0
        self._scope = scope
        self._send = send
        self._began = began
        self._budget = deadline.budget.left(began)
        self._words = words
        self._zombies = zombies
        self._permit: Permit | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._has_left = False
        self._end: asyncio.Future[_Why] = asyncio.get_running_loop().create_future()
        self._instead: Answer | None = None
        self._exchange = Exchange(
            receive,
            send,
            on_start=self._start,
            on_gone=self._leave,
            # what ends by its deadline needs no limit of its own
            idle=None if deadline.policy.kind is Kind.CALL else deadline.policy.idle,
            # whoever waits to be told to go on is told by being read, which is the application's to decide
            is_lazy=any(name == b"expect" for name, _ in scope["headers"]),
        )

    async def answer(self, verdict: Verdict) -> None:
        """Answer instead of the application."""
        self.deadline.outcome = _OUTCOMES[verdict.reason]
        await self._answer(self._words(verdict))

    async def run(self, app: ASGIApp, permit: Permit) -> None:
        """Run the application until it has answered, its time is up, or its caller has left."""
        self._permit = permit
        left = self.deadline.left()
        if left != float("inf"):
            self._set_timer(max(0.0, left - ANSWERING), _Why.DEADLINE)
        watch = asyncio.create_task(self._exchange.watch())
        try:
            # one look before we begin: the caller may have left while it waited for its permit
            await asyncio.sleep(0)
            if self._has_left:
                self.deadline.outcome = Outcome.CALLER_CANCELLED
            else:
                await self._work(app)
        finally:
            watch.cancel()
            if self._timer is not None:
                self._timer.cancel()

    async def _work(self, app: ASGIApp) -> None:
        child = asyncio.create_task(self._serve(app))
        try:
            both: list[asyncio.Future[Any]] = [child, self._end]
            await asyncio.wait(both, return_when=asyncio.FIRST_COMPLETED)
            # who reads that its caller has left ends by itself in the same moment: its answer is for nobody
            if child.done() and not self._has_left:
                await self._conclude(child)
            else:
                await self._cut_short(child, self._end.result() if self._end.done() else _Why.CALLER_LEFT)
        except asyncio.CancelledError:
            # the server itself ends: what it started ends with it
            self._exchange.shut()
            await stop(child, self.deadline, self._zombies, why=_Why.CALLER_LEFT)
            raise

    async def run_freely(self, app: ASGIApp) -> None:
        """Run the application to its end, whoever waits for it, and count what was done for nobody."""
        watch = asyncio.create_task(self._exchange.watch())
        try:
            await self._serve(app)
        finally:
            watch.cancel()
            self.status = self._exchange.status
            if self._has_left:
                self.deadline.outcome = Outcome.CALLER_CANCELLED
        if self._has_left:
            self.deadline.signals.finished_late(_Why.CALLER_LEFT)
        elif self.deadline.left() <= 0:
            self.deadline.signals.finished_late(_Why.DEADLINE)

    async def _serve(self, app: ASGIApp) -> None:
        await app(self._scope, self._exchange.receive, self._exchange.send)

    def _leave(self) -> None:
        """The caller has left."""
        self._has_left = True
        if self.deadline.policy.kind is Kind.UPLOAD and self._exchange.boundary == "body":
            # the application reads it in this moment, and may keep what was brought
            self._set_timer(SETTLING, _Why.CALLER_LEFT)
        else:
            self._end_with(_Why.CALLER_LEFT)

    def _set_timer(self, seconds: float, why: _Why) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._timer = asyncio.get_running_loop().call_later(seconds, self._end_with, why)

    def _end_with(self, why: _Why) -> None:
        if not self._end.done():
            self._end.set_result(why)

    async def _conclude(self, child: asyncio.Task[None]) -> None:
        """The application has ended by itself."""
        self.status = self._exchange.status
        if self._instead is not None:
            await self._answer_effect(self._instead)
        if self._exchange.stood_still:
            # its error is ours: the reader took nothing for too long
            self.deadline.outcome = Outcome.DEADLINE_LOCAL
            self.deadline.signals.expired("sending")
            return
        child.result()

    async def _cut_short(self, child: asyncio.Task[None], why: _Why) -> None:
        deadline = self.deadline
        # read before the cancel unwinds it
        boundary = self._exchange.boundary or deadline.boundary
        is_downstream = self._exchange.boundary is None and deadline.is_downstream
        self.status = self._exchange.status
        self._exchange.shut()
        await stop(child, deadline, self._zombies, why=why)
        if why is _Why.CALLER_LEFT:
            deadline.outcome = Outcome.CALLER_CANCELLED
            return
        deadline.signals.expired(boundary)
        if self.status:
            # it had begun; the server closes a connection whose answer is not whole
            deadline.outcome = Outcome.DEADLINE_LOCAL
        elif deadline.effect.answer is not None:
            await self._answer_effect(deadline.effect.answer)
        else:
            await self.answer(downstream(boundary) if is_downstream else local(boundary))

    def _start(self, message: Message) -> Message | None:
        deadline = self.deadline
        if message["status"] >= 500 and deadline.effect.answer is not None:
            # the handler failed at or after its COMMIT: what is true was said before
            self._instead = deadline.effect.answer
            return None
        if deadline.policy.kind is Kind.STREAM:
            deadline.lift()
            if self._timer is not None:
                self._timer.cancel()
            if self._permit is not None:
                # from here on it is as slow as its reader, and holds nothing scarce
                self._permit.release()
        return {**message, "headers": [*message["headers"], self._timing()]}

    async def _answer_effect(self, answer: Answer) -> None:
        is_unknown = self.deadline.effect.is_unknown
        self.deadline.outcome = Outcome.OUTCOME_UNKNOWN if is_unknown else Outcome.COMPLETED
        await self._answer(answer)

    async def _answer(self, answer: Answer) -> None:
        self.status = answer.status
        whole = Answer(answer.status, [*answer.headers, self._timing()], answer.body)
        with suppress(TimeoutError):
            async with asyncio.timeout(UNHURRIED):
                await whole.send(self._send)

    def _timing(self) -> tuple[bytes, bytes]:
        return server_timing(self.deadline, total=self.deadline.clock() - self._began, budget=self._budget)
