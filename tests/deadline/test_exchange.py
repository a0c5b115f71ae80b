"""Messages between a server and an application: read ahead within bounds, watched, shut off."""

import asyncio
from typing import Any

import pytest

from app.deadline.exchange import AHEAD, Exchange
from tests.deadline.scenes import jump, play, turns
from tests.deadline.visiting import Visit

START = {"type": "http.response.start", "status": 200, "headers": []}
GONE = {"type": "http.disconnect"}


def piece(body: bytes, *, more: bool = False) -> dict[str, Any]:
    return {"type": "http.response.body", "body": body, "more_body": more}


class Wire:
    """An exchange, and a server on its other side."""

    def __init__(self, *, idle: float | None = None, is_lazy: bool = False, on_start=lambda message: message) -> None:
        self.visit = Visit(None, body=None)
        self.goings = 0
        self.exchange = Exchange(
            self.visit._receive,
            self.visit._send,
            on_start=on_start,
            on_gone=self._gone,
            idle=idle,
            is_lazy=is_lazy,
        )
        self.watching = asyncio.create_task(self.exchange.watch())

    def _gone(self) -> None:
        self.goings += 1


def test_what_comes_is_read_in_order():
    async def scene():
        wire = Wire()
        for body in (b"a", b"b"):
            wire.visit.give(body)
        wire.visit.give(b"c", is_last=True)

        got = [await wire.exchange.receive() for _ in range(3)]

        assert [(one["body"], one["more_body"]) for one in got] == [(b"a", True), (b"b", True), (b"c", False)]
        wire.watching.cancel()

    play(scene())


def test_no_more_than_a_bound_is_read_ahead_of_the_application():
    async def scene():
        wire = Wire()
        for _ in range(8):
            wire.visit.give(b"." * (AHEAD // 4))
        await turns(20)
        asked = wire.visit.asked

        await wire.exchange.receive()
        await turns(20)

        assert (asked, wire.visit.asked) == (4, 5)
        wire.watching.cancel()

    play(scene())


def test_a_lazy_exchange_asks_for_nothing_before_it_is_asked():
    async def scene():
        wire = Wire(is_lazy=True)
        wire.visit.give(b"all", is_last=True)
        await turns()
        asked = wire.visit.asked

        got = await wire.exchange.receive()

        assert (asked, got["body"]) == (0, b"all")
        wire.watching.cancel()

    play(scene())


def test_a_caller_who_leaves_is_told_once_and_to_everybody_who_asks_again():
    async def scene():
        wire = Wire()
        wire.visit.give(b"all", is_last=True)
        await wire.exchange.receive()

        wire.visit.leave()
        got = [await wire.exchange.receive() for _ in range(3)]

        assert (got, wire.goings, wire.watching.done()) == ([GONE] * 3, 1, True)

    play(scene())


def test_a_caller_who_leaves_is_seen_while_nobody_reads():
    async def scene():
        wire = Wire()
        wire.visit.give(b"half")
        await turns()

        wire.visit.leave()
        await wire.watching

        assert wire.goings == 1

    play(scene())


def test_the_end_of_an_answer_is_nobodys_leaving():
    async def scene():
        wire = Wire()
        wire.visit.give(b"", is_last=True)

        await wire.exchange.send(START)
        await wire.exchange.send(piece(b"all"))
        await wire.watching

        assert (wire.goings, wire.exchange.is_complete, wire.exchange.status) == (0, True, 200)

    play(scene())


def test_a_caller_who_leaves_in_the_middle_of_an_answer_has_left():
    async def scene():
        wire = Wire()
        wire.visit.give(b"", is_last=True)
        await wire.exchange.send(START)
        await wire.exchange.send(piece(b"half", more=True))

        wire.visit.leave()
        await wire.watching

        assert (wire.goings, wire.exchange.is_complete) == (1, False)

    play(scene())


def test_once_shut_nothing_goes_out():
    async def scene():
        wire = Wire()
        await wire.exchange.send(START)
        await wire.exchange.send(piece(b"half", more=True))

        wire.exchange.shut()
        await wire.exchange.send(piece(b"the rest"))

        assert (bytes(wire.visit.body), wire.visit.is_whole, wire.exchange.is_complete) == (b"half", False, False)
        wire.watching.cancel()

    play(scene())


def test_an_answer_that_is_forbidden_at_its_start_is_swallowed_whole():
    async def scene():
        wire = Wire(on_start=lambda message: None)

        await wire.exchange.send(START)
        await wire.exchange.send(piece(b"all"))

        assert (wire.visit.status, bytes(wire.visit.body), wire.exchange.status) == (None, b"", 0)
        wire.watching.cancel()

    play(scene())


def test_it_says_who_keeps_the_application_waiting():
    async def scene():
        wire = Wire()
        before = wire.exchange.boundary
        reading = asyncio.create_task(wire.exchange.receive())
        await turns()
        while_reading = wire.exchange.boundary
        wire.visit.give(b"all", is_last=True)
        await reading
        between = wire.exchange.boundary
        wire.visit.is_reading.clear()
        sending = asyncio.create_task(wire.exchange.send(START))
        await wire.visit.is_stuck.wait()

        while_sending = wire.exchange.boundary
        wire.visit.is_reading.set()
        await sending

        assert (before, while_reading, between, while_sending) == (None, "body", None, "sending")
        assert wire.exchange.boundary is None
        wire.watching.cancel()

    play(scene())


def test_a_reader_who_takes_nothing_for_the_idle_time_is_given_up():
    async def scene():
        wire = Wire(idle=30)
        await wire.exchange.send(START)
        wire.visit.is_reading.clear()
        sending = asyncio.create_task(wire.exchange.send(piece(b"more", more=True)))
        await wire.visit.is_stuck.wait()

        jump(30)
        with pytest.raises(TimeoutError):
            await sending

        assert wire.exchange.stood_still
        wire.watching.cancel()

    play(scene())


def test_a_reader_who_is_slow_but_takes_something_is_not():
    async def scene():
        wire = Wire(idle=30)
        await wire.exchange.send(START)

        for _ in range(10):
            wire.visit.is_reading.clear()
            wire.visit.is_stuck.clear()
            sending = asyncio.create_task(wire.exchange.send(piece(b".", more=True)))
            await wire.visit.is_stuck.wait()
            jump(29)
            wire.visit.is_reading.set()
            await sending

        assert (len(wire.visit.body), wire.exchange.stood_still) == (10, False)
        wire.watching.cancel()

    play(scene())


def test_a_time_out_of_the_servers_own_is_not_taken_for_an_idle_reader():
    async def scene():
        async def send(_message):
            raise TimeoutError

        wire = Wire(idle=30)
        wire.exchange._send = send

        with pytest.raises(TimeoutError):
            await wire.exchange.send(START)

        assert not wire.exchange.stood_still
        wire.watching.cancel()

    play(scene())
