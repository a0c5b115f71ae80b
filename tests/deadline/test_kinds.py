"""Streams live by their reader, uploads by their sender, and nobody is told to send what nobody reads."""

import asyncio

import pytest
from starlette.requests import ClientDisconnect
from starlette.responses import PlainTextResponse, StreamingResponse

from app.deadline.call import SETTLING
from app.deadline.current import current
from app.deadline.outcome import Outcome
from app.deadline.policy import Kind, RoutePolicy
from tests.deadline.scenes import jump, play, until
from tests.deadline.tiny import CALL, Gate, Tiny, at_once

STREAM = RoutePolicy("tiny", Kind.STREAM)
UPLOAD = RoutePolicy("tiny", Kind.UPLOAD, maximum=float("inf"))


def test_a_streams_deadline_ends_when_its_answer_begins_and_its_permit_is_free():
    async def scene():
        gate = Gate()
        seen = []

        async def pieces():
            yield "half, "
            await gate(None)
            seen.append(current().left())
            yield "whole"

        async def handler(_request):
            seen.append(tiny.taken)
            return StreamingResponse(pieces())

        tiny = Tiny(handler, STREAM)
        visit = tiny.visit().begin()
        await gate.inside.wait()
        seen.append(tiny.taken)

        jump(3600)
        gate.let_go.set()
        await visit.end()

        assert (visit.status, bytes(visit.body), visit.is_whole) == (200, b"half, whole", True)
        assert seen == [1, 0, float("inf")]
        assert (tiny.taken, tiny.notes.ends) == (0, [("tiny", Outcome.COMPLETED, 200)])

    play(scene())


def test_a_stream_that_has_not_begun_by_its_deadline_is_answered():
    async def scene():
        gate = Gate()
        tiny = Tiny(gate, STREAM)
        visit = tiny.visit().begin()
        await gate.inside.wait()

        jump(10)
        await visit.end()

        assert (visit.told, tiny.taken) == ((504, "deadline_local", "handler"), 0)

    play(scene())


def test_a_reader_who_takes_nothing_for_the_idle_time_ends_its_stream():
    async def scene():
        gate = Gate()

        async def pieces():
            yield "first"
            await gate(None)
            while True:
                yield "more"

        async def handler(_request):
            return StreamingResponse(pieces())

        tiny = Tiny(handler, STREAM)
        visit = tiny.visit().begin()
        await gate.inside.wait()
        visit.is_reading.clear()
        gate.let_go.set()
        await visit.is_stuck.wait()

        jump(29)
        await asyncio.sleep(0.01)
        ended_early = visit.is_over
        jump(1)
        await visit.end()

        assert (ended_early, bytes(visit.body), visit.is_whole) == (False, b"first", False)
        assert (tiny.notes.expiries, tiny.taken) == (["sending"], 0)
        assert tiny.notes.ends == [("tiny", Outcome.DEADLINE_LOCAL, 200)]

    play(scene())


def test_a_call_whose_reader_takes_nothing_ends_at_its_deadline():
    async def scene():
        tiny = Tiny(at_once)
        visit = tiny.visit()
        visit.is_reading.clear()
        visit.begin()
        await visit.is_stuck.wait()

        jump(10)
        await visit.end()

        assert (tiny.notes.expiries, tiny.taken) == (["sending"], 0)
        assert tiny.notes.ends == [("tiny", Outcome.DEADLINE_LOCAL, 200)]

    play(scene())


def test_an_upload_has_no_deadline_but_the_one_that_its_caller_sends():
    async def scene():
        async def handler(request):
            return PlainTextResponse((await request.body()).decode())

        tiny = Tiny(handler, UPLOAD)
        slow, bounded = tiny.visit("POST", body=None), tiny.visit("POST", body=None, headers={"Grpc-Timeout": "5S"})
        for visit in (slow, bounded):
            visit.begin().give(b"half, ")
        await until(lambda: slow.asked > 1 and bounded.asked > 1)

        jump(3600)
        await bounded.end()
        slow.give(b"whole", is_last=True)
        await slow.end()

        assert bounded.told == (504, "deadline_local", "body")
        assert (slow.status, bytes(slow.body)) == (200, b"half, whole")
        assert slow.timing.keys() == {"total", "admission"}

    play(scene())


@pytest.mark.parametrize("policy", [CALL, UPLOAD], ids=lambda one: one.kind.value)
def test_nobody_is_told_to_go_on_before_the_application_wants_the_body(policy):
    async def scene():
        seen = []

        async def handler(request):
            seen.append(visit.asked)
            if request.headers.get("authorization") is None:
                return PlainTextResponse("who?", 401)
            return PlainTextResponse((await request.body()).decode())

        tiny = Tiny(handler, policy)
        expect = {"Expect": "100-continue"}
        visit = refused = tiny.visit("POST", headers=expect, body=b"large")
        await visit.answer()
        visit = taken = tiny.visit("POST", headers={**expect, "Authorization": "me"}, body=b"large")
        await visit.answer()

        assert (refused.status, refused.asked) == (401, 0)
        assert (taken.status, bytes(taken.body)) == (200, b"large")
        assert seen == [0, 0]

    play(scene())


@pytest.mark.parametrize("settles", [True, False])
def test_what_an_uploader_brought_before_it_left_may_be_kept_but_not_for_ever(settles):
    async def scene():
        gate = Gate()
        kept = []

        async def handler(request):
            brought = b""
            try:
                async for piece in request.stream():
                    brought += piece
            except ClientDisconnect:
                await gate(request)
                kept.append(brought)
            return PlainTextResponse("kept")

        tiny = Tiny(handler, UPLOAD)
        visit = tiny.visit("POST", body=None).begin()
        visit.give(b"half")
        await until(lambda: visit.place is not None and visit.asked == 2)

        visit.leave()
        await gate.inside.wait()
        if settles:
            gate.let_go.set()
        else:
            jump(SETTLING)
        await visit.end()

        ((_route, outcome, _status),) = tiny.notes.ends
        assert (kept, outcome, tiny.taken) == ([b"half"] if settles else [], Outcome.CALLER_CANCELLED, 0)
        assert (tiny.notes.late, tiny.notes.stops) == ([], 0 if settles else 1)

    play(scene())


def test_an_uploader_who_leaves_before_anybody_reads_is_seen():
    async def scene():
        gate = Gate()
        tiny = Tiny(gate, UPLOAD)
        visit = tiny.visit("POST", body=None).begin()
        visit.give(b"half")
        await gate.inside.wait()

        visit.leave()
        await visit.end()

        assert tiny.notes.ends == [("tiny", Outcome.CALLER_CANCELLED, 0)]

    play(scene())


@pytest.mark.parametrize("policy", [CALL, UPLOAD, STREAM], ids=lambda one: one.kind.value)
def test_a_caller_who_leaves_in_the_middle_of_its_body_was_not_answered(policy):
    async def scene():
        began = asyncio.Event()

        async def handler(request):
            async for _piece in request.stream():
                began.set()
            return PlainTextResponse("all of it?")

        tiny = Tiny(handler, policy)
        visit = tiny.visit("POST", body=None).begin()
        visit.give(b"half")
        await began.wait()

        visit.leave()
        await visit.end()

        ((_route, outcome, _status),) = tiny.notes.ends
        assert (outcome, tiny.notes.late, tiny.taken) == (Outcome.CALLER_CANCELLED, [], 0)

    play(scene())
