"""Handlers that do not stop: their callers are answered all the same, and they are counted until they end."""

import asyncio
import threading

import pytest
from starlette.responses import PlainTextResponse, StreamingResponse

from app.deadline.answer import Answer
from app.deadline.call import ANSWERING
from app.deadline.current import current
from app.deadline.outcome import Outcome
from app.deadline.policy import Kind, Priority, RoutePolicy
from app.deadline.zombies import Threads, Zombies
from tests.deadline.scenes import BOUND, clock, jump, play, until
from tests.deadline.tiny import Tiny
from tests.deadline.visiting import Notes

PROBE = RoutePolicy("probe", priority=Priority.PROBE, minimum=0.0)


STEPS = 2
"""Of a cancel."""


class Deaf:
    """A handler that swallows both steps of its cancel; let go, it does what is left of its work."""

    def __init__(self) -> None:
        self.inside = asyncio.Event()
        self.let_go = asyncio.Event()
        self.cancels = 0

    async def __call__(self, _request):
        self.inside.set()
        cancels = 0
        while not self.let_go.is_set():
            try:
                await self.let_go.wait()
            except asyncio.CancelledError:
                cancels += 1
                if cancels > STEPS:
                    raise  # a test that fails must end too
                self.cancels += 1
        return PlainTextResponse("done after all")


def test_a_handler_that_swallows_its_cancel_is_answered_for_in_time_and_counted_until_it_ends():
    async def scene():
        deaf = Deaf()
        tiny = Tiny(deaf)
        visit = tiny.visit(headers={"Connect-Timeout-Ms": "1000"}).begin()
        await deaf.inside.wait()
        began = clock()

        jump(1 - ANSWERING)
        await visit.end()

        assert visit.told == (504, "deadline_local", "handler")
        assert (deaf.cancels, clock() - began < 1.5) == (STEPS, True)
        assert (tiny.zombies.count, tiny.notes.zombie_counts, tiny.notes.stops) == (1, [("task", 1)], 0)
        assert (tiny.taken, tiny.notes.late) == (0, [])

        deaf.let_go.set()
        await until(lambda: tiny.zombies.count == 0)

        assert tiny.notes.zombie_counts == [("task", 1), ("task", 0)]
        assert (tiny.notes.late, tiny.notes.stops) == (["deadline"], 1)
        assert (visit.told[0], b"after all" in visit.body) == (504, False)
        assert tiny.notes.ends == [("tiny", Outcome.DEADLINE_LOCAL, 504)]

    play(scene())


def test_a_handler_that_swallows_its_cancel_when_its_caller_leaves_is_counted_too():
    async def scene():
        deaf = Deaf()
        tiny = Tiny(deaf)
        visit = tiny.visit().begin()
        await deaf.inside.wait()

        visit.leave()
        await visit.end()

        assert (tiny.zombies.count, tiny.taken) == (1, 0)
        assert tiny.notes.ends == [("tiny", Outcome.CALLER_CANCELLED, 0)]
        deaf.let_go.set()
        await until(lambda: tiny.zombies.count == 0)
        assert tiny.notes.late == ["caller_left"]

    play(scene())


def test_a_handler_that_needs_the_second_step_of_its_cancel_is_no_zombie():
    async def scene():
        inside = asyncio.Event()
        steps = []

        async def handler(_request):
            try:
                inside.set()
                await asyncio.Event().wait()
            except asyncio.CancelledError:
                # as psycopg does: ask the server to stop, and wait for its word
                steps.append(1)
                await asyncio.Event().wait()

        tiny = Tiny(handler)
        visit = tiny.visit().begin()
        await inside.wait()

        jump(10)
        await visit.end()

        assert (visit.told[0], steps, tiny.notes.stops) == (504, [1], 1)
        assert (tiny.zombies.count, tiny.notes.zombie_counts) == (0, [])

    play(scene())


def test_what_a_stubborn_handler_sends_later_reaches_nobody():
    async def scene():
        deaf = Deaf()

        async def pieces():
            yield "half"
            await deaf(None)
            yield "more"

        async def handler(_request):
            return StreamingResponse(pieces())

        tiny = Tiny(handler)
        visit = tiny.visit().begin()
        await deaf.inside.wait()
        jump(10)
        await visit.end()

        deaf.let_go.set()
        await until(lambda: tiny.zombies.count == 0)

        assert (visit.status, bytes(visit.body), visit.is_whole) == (200, b"half", False)

    play(scene())


def test_past_the_cap_new_calls_are_refused_probes_are_not_and_it_recovers():
    async def scene():
        deaf = Deaf()
        tiny = Tiny(deaf, cap=2, policies={"/livez": PROBE})
        stuck = [tiny.visit().begin() for _ in range(2)]
        await until(lambda: tiny.calls == 2)
        jump(10)
        for visit in stuck:
            await visit.end()

        refused = await tiny.visit().answer()
        calls_when_full = tiny.calls
        probing = tiny.visit(path="/livez").begin()
        await until(lambda: tiny.calls == 3)
        deaf.let_go.set()
        await until(lambda: tiny.zombies.count == 0)
        await probing.end()
        again = await tiny.visit().answer()

        assert refused.told == (503, "concurrency_limit", "zombies")
        assert (refused.headers["retry-after"], calls_when_full) == ("2", 2)
        assert (probing.status, again.status) == (200, 200)
        assert tiny.taken == 0

    play(scene())


def test_an_error_of_a_handler_that_was_told_to_stop_is_logged_and_nobody_elses(caplog):
    async def scene():
        inside = asyncio.Event()

        async def handler(_request):
            try:
                inside.set()
                await asyncio.Event().wait()
            except asyncio.CancelledError:
                raise LookupError("while tidying up") from None

        tiny = Tiny(handler)
        visit = tiny.visit().begin()
        await inside.wait()

        jump(10)
        await visit.end()

        assert (visit.told[0], tiny.notes.late, tiny.notes.stops) == (504, [], 1)

    play(scene())
    assert [record.message for record in caplog.records if "stopping" in record.message] == [
        "deadline.error_while_stopping: LookupError"
    ]


# Threads


def test_a_handler_that_blocks_in_a_thread_is_answered_for_in_time_and_its_thread_counted_until_it_ends():
    async def scene():
        inside, let_go, ended = threading.Event(), threading.Event(), threading.Event()

        def block():
            inside.set()
            let_go.wait(BOUND)
            ended.set()

        async def handler(_request):
            await threads.run(block)

        tiny = Tiny(handler)
        threads = Threads(tiny.zombies, size=1, name="test")
        visit = tiny.visit(headers={"Connect-Timeout-Ms": "1000"}).begin()
        await until(inside.is_set)
        began = clock()

        jump(1 - ANSWERING)
        await visit.end()

        assert visit.told == (504, "deadline_local", "handler")
        assert (ended.is_set(), clock() - began < 1.5) == (False, True)
        assert (tiny.zombies.count, tiny.notes.zombie_counts) == (1, [("thread", 1)])
        assert (tiny.notes.stops, tiny.taken) == (1, 0)

        let_go.set()
        await until(lambda: tiny.zombies.count == 0)

        assert (ended.is_set(), tiny.notes.zombie_counts) == (True, [("thread", 1), ("thread", 0)])
        threads.close()

    play(scene())


def test_a_blocking_call_that_no_thread_has_begun_never_runs():
    async def scene():
        notes = Notes()
        threads = Threads(Zombies(notes), size=1, name="test")
        inside, let_go = threading.Event(), threading.Event()
        ran = []

        first = asyncio.create_task(threads.run(lambda: (inside.set(), let_go.wait(BOUND))))
        await until(inside.is_set)
        second = asyncio.create_task(threads.run(lambda: ran.append(2)))
        await asyncio.sleep(0)
        second.cancel()
        with pytest.raises(asyncio.CancelledError):
            await second
        let_go.set()
        await first

        assert (await threads.run(lambda: "still at work"), ran, notes.zombie_counts) == ("still at work", [], [])
        threads.close()

    play(scene())


def test_a_thread_that_outlives_its_event_loop_is_no_error(caplog):
    inside, let_go, ended = threading.Event(), threading.Event(), threading.Event()
    threads = Threads(Zombies(Notes()), size=1, name="test")

    async def scene():
        stuck = asyncio.create_task(threads.run(lambda: (inside.set(), let_go.wait(BOUND))))
        await until(inside.is_set)
        stuck.cancel()
        with pytest.raises(asyncio.CancelledError):
            await stuck

    play(scene())
    # the one thread comes to this when it has ended that
    after = threads._pool.submit(ended.set)
    let_go.set()
    after.result(BOUND)

    assert (ended.is_set(), caplog.records) == (True, [])
    threads.close()


def test_a_blocking_call_sees_the_deadline_of_its_request():
    async def scene():
        async def handler(_request):
            found = await threads.run(current)
            return PlainTextResponse(str(found is current() and not found.is_over))

        tiny = Tiny(handler)
        threads = Threads(tiny.zombies, size=1, name="test")

        visit = await tiny.visit().answer()

        assert bytes(visit.body) == b"True"
        threads.close()

    play(scene())


# What was staged before the handler stuck


@pytest.mark.parametrize("kind", [Kind.CALL, Kind.UPLOAD])
@pytest.mark.parametrize(
    ("steps", "status", "outcome"),
    [
        ([], 504, Outcome.DEADLINE_LOCAL),
        (["sent"], 504, Outcome.OUTCOME_UNKNOWN),
        (["sent", "acknowledged"], 202, Outcome.COMPLETED),
        (["sent", "refused"], 504, Outcome.DEADLINE_LOCAL),
    ],
)
def test_a_stubborn_handlers_caller_is_told_what_is_true_of_its_write(kind, steps, status, outcome):
    async def scene():
        deaf = Deaf()

        async def handler(request):
            effect = current().effect
            effect.stage(unknown=Answer(504, (), b"perhaps"), done=Answer(202, (), b"yes"))
            for step in steps:
                getattr(effect, step)()
            return await deaf(request)

        tiny = Tiny(handler, RoutePolicy("tiny", kind))
        visit = tiny.visit(headers={"Connect-Timeout-Ms": "1000"}).begin()
        await deaf.inside.wait()

        jump(1)
        await visit.end()

        assert (visit.status, tiny.notes.ends) == (status, [("tiny", outcome, status)])
        assert {"total", "budget"} <= visit.timing.keys()
        deaf.let_go.set()
        await until(lambda: tiny.zombies.count == 0)

    play(scene())
