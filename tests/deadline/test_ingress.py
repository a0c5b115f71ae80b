"""What a request brings along: its budget is made of it once, or it is refused before anything is touched."""

import json
import time
from ipaddress import ip_network

import pytest

from app.deadline.outcome import Outcome
from app.deadline.policy import RoutePolicy
from tests.deadline.scenes import play
from tests.deadline.tiny import Tiny, at_once

NAMES = ("Grpc-Timeout", "Connect-Timeout-Ms", "X-Envoy-Expected-Rq-Timeout-Ms")


@pytest.mark.parametrize("header", [{"Grpc-Timeout": "0n"}, {NAMES[1]: "0"}, {NAMES[2]: "0"}])
def test_a_budget_that_is_spent_on_arrival_touches_neither_the_body_nor_the_application(header):
    async def scene():
        tiny = Tiny(at_once)

        visit = await tiny.visit("POST", headers={**header, "Authorization": "Bearer no"}, body=b"{").answer()

        assert visit.told == (504, "deadline_local", "ingress")
        assert (tiny.calls, visit.asked, tiny.taken) == (0, 0, 0)
        assert tiny.notes.ends == [("tiny", Outcome.DEADLINE_LOCAL, 504)]
        assert tiny.notes.expiries == ["ingress"]

    play(scene())


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("value", ["-1", "1.5", "soon", "9" * 40])
def test_a_malformed_deadline_is_refused_by_name_before_anything_is_touched(name, value):
    async def scene():
        tiny = Tiny(at_once)

        visit = await tiny.visit("POST", headers={NAMES[0]: "1S", NAMES[1]: "100", name: value}).answer()

        assert (*visit.told, json.loads(visit.body)["header"]) == (400, "header_malformed", "ingress", name)
        assert (tiny.calls, visit.asked, tiny.taken) == (0, 0, 0)
        assert tiny.notes.ends == [("tiny", Outcome.COMPLETED, 400)]

    play(scene())


def test_less_time_than_a_route_can_use_is_refused_before_it_begins():
    async def scene():
        tiny = Tiny(at_once, RoutePolicy("tiny", minimum=0.2))

        visit = await tiny.visit("POST", headers={"Connect-Timeout-Ms": "199"}).answer()

        assert visit.told == (503, "deadline_expired", "admission")
        assert (visit.headers["retry-after"], "needs 200 ms" in visit.body.decode()) == ("1", True)
        assert (tiny.calls, visit.asked, tiny.taken) == (0, 0, 0)
        assert (tiny.notes.refusals, tiny.notes.ends) == (
            ["deadline_expired"],
            [("tiny", Outcome.ADMISSION_DENIED, 503)],
        )

    play(scene())


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({}, 10.0),
        ({"Connect-Timeout-Ms": "1500"}, 1.5),
        ({"Connect-Timeout-Ms": "1500", "Grpc-Timeout": "1S"}, 1.0),
        ({"Connect-Timeout-Ms": "1500", "Grpc-Timeout": "2S", "X-Envoy-Expected-Rq-Timeout-Ms": "700"}, 0.7),
        ({"Connect-Timeout-Ms": "10001"}, 10.0),
        ({"Grpc-Timeout": "99999999H"}, 10.0),
    ],
)
def test_the_smallest_time_asked_for_counts_and_never_more_than_the_routes_maximum(headers, seconds):
    async def scene():
        tiny = Tiny(at_once, options={"clock": lambda: 1000.0})

        visit = await tiny.visit(headers=headers).answer()

        assert (visit.status, visit.body.decode()) == (200, str(1000.0 + seconds - 1000.0))
        assert visit.timing == {"total": 0.0, "budget": seconds, "left": seconds, "admission": 0.0}

    play(scene())


def test_time_in_front_of_a_trusted_proxy_is_taken_off():
    async def scene():
        tiny = Tiny(at_once, rules={"trusted": [ip_network("127.0.0.0/8")]})

        visit = await tiny.visit(headers={"X-Request-Start": f"t={time.time() - 2.1:.3f}"}).answer()

        assert 7.0 < visit.timing["budget"] < 8.0
        assert tiny.notes.ignored_headers == []

    play(scene())


@pytest.mark.parametrize(
    ("trusted", "value", "ignored"),
    [
        ([], "t=1", []),
        ([ip_network("10.0.0.0/8")], None, ["X-Request-Start"]),
        ([ip_network("127.0.0.0/8")], "yesterday", ["X-Request-Start"]),
        ([ip_network("127.0.0.0/8")], "t=1512379167.574", ["X-Request-Start"]),
    ],
)
def test_a_request_start_of_anybody_else_or_that_cannot_be_true_changes_nothing(trusted, value, ignored):
    async def scene():
        tiny = Tiny(at_once, rules={"trusted": trusted}, options={"clock": lambda: 1000.0})

        visit = await tiny.visit(headers={"X-Request-Start": value or f"t={time.time() - 2:.3f}"}).answer()

        assert (visit.status, visit.timing["budget"]) == (200, 10.0)
        assert tiny.notes.ignored_headers == ignored

    play(scene())
