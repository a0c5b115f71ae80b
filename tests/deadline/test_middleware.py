"""One deadline around one request: what ends inside it, and what each answer tells."""

import asyncio

import pytest
from starlette.responses import PlainTextResponse, StreamingResponse

from app.deadline.current import current
from app.deadline.middleware import DeadlineMiddleware, Rules
from app.deadline.outcome import Outcome
from app.deadline.policy import Kind, Priority, RoutePolicy
from tests.deadline.scenes import jump, play, until
from tests.deadline.tiny import CALL, Gate, Tiny, at_once


def test_what_is_no_request_passes_through():
    async def scene():
        seen = []

        async def application(scope, receive, send):
            seen.append(scope["type"])

        app = DeadlineMiddleware(application, rules=Rules(policy_of=lambda scope: CALL))
        for kind in ("lifespan", "websocket"):
            await app({"type": kind}, None, None)

        assert seen == ["lifespan", "websocket"]

    play(scene())


async def _fails(_request):
    raise LookupError("a bug")


async def _says_no(_request):
    return PlainTextResponse("no", 404)


@pytest.mark.parametrize(
    ("handler", "headers", "status"),
    [
        (at_once, {}, 200),
        (_says_no, {}, 404),
        (_fails, {}, 500),
        (at_once, {"Connect-Timeout-Ms": "no"}, 400),
        (at_once, {"Connect-Timeout-Ms": "0"}, 504),
        (at_once, {"Connect-Timeout-Ms": "10"}, 503),
    ],
)
@pytest.mark.parametrize("kind", [Kind.CALL, Kind.STREAM, Kind.UPLOAD])
def test_every_answer_tells_its_budget_refusals_and_errors_too(handler, headers, status, kind):
    async def scene():
        tiny = Tiny(handler, RoutePolicy("tiny", kind))

        visit = tiny.visit(headers=headers)
        try:
            await visit.answer()
        except LookupError:
            assert handler is _fails  # for the server's log

        assert visit.status == status
        assert {"total", "budget", "left"} <= visit.timing.keys()
        assert tiny.taken == 0

    play(scene())


def test_the_504_of_a_deadline_tells_its_budget_and_where_it_went():
    async def scene():
        gate = Gate()
        tiny = Tiny(gate)
        visit = tiny.visit(headers={"Connect-Timeout-Ms": "2000"}).begin()
        await gate.inside.wait()

        jump(1.975)
        await visit.end()

        assert visit.told == (504, "deadline_local", "handler")
        assert (visit.timing["budget"], visit.timing["total"] >= 1.975) == (2.0, True)

    play(scene())


def test_at_the_deadline_the_handler_is_cancelled_and_its_caller_answered():
    async def scene():
        gate = Gate()
        cancelled = []

        async def handler(request):
            try:
                return await gate(request)
            except asyncio.CancelledError:
                cancelled.append(current().is_over)
                raise

        tiny = Tiny(handler)
        visit = tiny.visit().begin()
        await gate.inside.wait()

        jump(10)
        await visit.end()

        assert visit.told == (504, "deadline_local", "handler")
        assert (cancelled, tiny.notes.stops, tiny.notes.late, tiny.taken) == ([True], 1, [], 0)
        assert (tiny.notes.ends, tiny.notes.expiries) == ([("tiny", Outcome.DEADLINE_LOCAL, 504)], ["handler"])

    play(scene())


def test_a_caller_who_leaves_ends_its_handler_at_once():
    async def scene():
        gate = Gate()
        tiny = Tiny(gate)
        visit = tiny.visit().begin()
        await gate.inside.wait()

        visit.leave()
        await visit.end()

        assert tiny.notes.ends == [("tiny", Outcome.CALLER_CANCELLED, 0)]
        assert (tiny.notes.stops, tiny.notes.late, tiny.notes.expiries, tiny.taken) == (1, [], [], 0)

    play(scene())


def test_an_answer_that_had_begun_is_broken_off_at_the_deadline_and_never_looks_whole():
    async def scene():
        gate = Gate()

        async def pieces():
            yield "half"
            await gate(None)
            yield "whole"

        async def handler(_request):
            return StreamingResponse(pieces())

        tiny = Tiny(handler)
        visit = tiny.visit().begin()
        await gate.inside.wait()

        jump(10)
        await visit.end()

        assert (visit.status, bytes(visit.body), visit.is_whole) == (200, b"half", False)
        assert tiny.notes.ends == [("tiny", Outcome.DEADLINE_LOCAL, 200)]

    play(scene())


def test_when_the_server_ends_so_does_what_it_began():
    async def scene():
        gate = Gate()
        tiny = Tiny(gate)
        visit = tiny.visit().begin()
        await gate.inside.wait()

        visit.task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await visit.end()

        assert (tiny.notes.stops, tiny.taken, visit.status) == (1, 0, None)

    play(scene())


def test_a_caller_who_left_while_it_waited_for_a_permit_is_not_worked_for():
    async def scene():
        tiny = Tiny(at_once)
        held = [await tiny.admission.acquire(Priority.NORMAL, within=0) for _ in range(3)]
        visit = tiny.visit().begin()
        await asyncio.sleep(0)

        visit.leave()
        held[0].release()
        await visit.end()

        assert (tiny.calls, visit.status, tiny.taken) == (0, None, 2)
        assert tiny.notes.ends == [("tiny", Outcome.CALLER_CANCELLED, 0)]

    play(scene())


def test_with_the_policy_off_nobody_is_refused_or_stopped_and_everything_is_measured():
    async def scene():
        gate = Gate()
        seen = []

        async def handler(request):
            seen.append(current())
            return await gate(request)

        tiny = Tiny(handler, rules={"is_enforced": False})
        held = [await tiny.admission.acquire(Priority.NORMAL, within=0) for _ in range(3)]
        headers = ({"Connect-Timeout-Ms": "no"}, {"Connect-Timeout-Ms": "0"}, {"Connect-Timeout-Ms": "10"}, {})
        stay = [tiny.visit(headers=one).begin() for one in headers]
        leave = tiny.visit().begin()
        await until(lambda: tiny.calls == 5)

        jump(60)
        leave.leave()
        gate.let_go.set()
        for visit in (*stay, leave):
            await visit.end()

        assert [(visit.status, bytes(visit.body)) for visit in stay] == [(200, b"done")] * 4
        assert all("server-timing" in visit.headers for visit in stay)
        assert sorted(tiny.notes.late) == ["caller_left", *["deadline"] * 4]
        assert sorted(outcome for _, outcome, _ in tiny.notes.ends) == ["caller_cancelled", *["completed"] * 4]
        assert (seen, tiny.taken, len(held)) == ([None] * 5, 3, 3)

    play(scene())
