"""The learned limit: bounds, what moves it, and that it finds what a slow dependency can do in time."""

import heapq
from collections import deque

import pytest
from hypothesis import given
from hypothesis import strategies as st
from starlette.responses import PlainTextResponse

from app.deadline.admission import Permits
from app.deadline.limit import Limit
from app.deadline.policy import Priority, RoutePolicy
from tests.deadline.scenes import jump, play, until
from tests.deadline.tiny import Gate, Tiny


@given(
    st.integers(1, 50),
    st.integers(1, 50),
    st.lists(st.tuples(st.sampled_from(["begin", "in time", "too late"]), st.integers(0, 100)), max_size=200),
)
def test_whatever_happens_the_limit_stays_between_its_bounds(floor, ceiling, events):
    limit = Limit(floor=floor, ceiling=ceiling)

    for event, number in events:
        match event:
            case "begin":
                limit.begin()
            case "in time":
                limit.in_time(at_work=number)
            case _:
                limit.too_late(number)

        assert min(floor, ceiling) <= limit.value <= ceiling


def test_those_who_were_let_in_together_and_come_too_late_together_lower_it_once():
    limit = Limit(floor=1, ceiling=40)
    together = [limit.begin() for _ in range(40)]
    for number in together:
        limit.too_late(number)
    once = limit.value

    limit.too_late(limit.begin())

    assert (once, limit.value) == (30, 22)


def test_after_as_many_in_time_as_it_allows_it_allows_one_more():
    limit = Limit(floor=1, ceiling=40)
    limit.too_late(limit.begin())

    for _ in range(31):
        limit.in_time(at_work=30)

    assert limit.value == 31


def test_a_limit_that_nobody_comes_near_does_not_grow():
    limit = Limit(floor=1, ceiling=40)
    limit.too_late(limit.begin())

    for _ in range(1000):
        limit.in_time(at_work=15)

    assert limit.value == 30


def useful(limit: Limit, *, service: float, until: float, spare: float) -> float:
    """The part of its capacity that a dependency with ten places does in time, for callers who give up after 1 s.

    Callers come far faster than it can serve, every 5 ms; who finds the limit reached is refused. Time is a number.
    """
    queue: deque[tuple[float, int]] = deque()
    ends: list[tuple[float, float, int]] = []
    at_work = done = 0
    for tick in range(int(until / 0.005)):
        now = tick * 0.005
        while ends and ends[0][0] <= now:
            _, began, number = heapq.heappop(ends)
            if now - began > 1:
                limit.too_late(number)
            else:
                done += 1
                if now - began < 1 - spare:
                    limit.in_time(at_work=at_work)
            at_work -= 1
        while queue and now - queue[0][0] > 1:
            limit.too_late(queue.popleft()[1])
            at_work -= 1
        if at_work < limit.value:
            queue.append((now, limit.begin()))
            at_work += 1
        while queue and len(ends) < 10:
            began, number = queue.popleft()
            # what would last longer than its caller is stopped then, and had its place until then
            heapq.heappush(ends, (min(now + service, began + 1.001), began, number))
    return done / (until * 10 / service)


@pytest.mark.parametrize("service", [0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6])
def test_however_slow_the_dependency_becomes_most_of_what_it_does_is_in_time(service):
    part = useful(Limit(floor=10, ceiling=40), service=service, until=60, spare=0.25)

    assert part > 0.8


def test_a_fixed_limit_does_everything_for_nobody_when_the_dependency_is_slow():
    part = useful(Limit(floor=40, ceiling=40), service=0.4, until=60, spare=0.25)

    assert part < 0.1


# Behind the middleware

CALL = RoutePolicy("tiny", maximum=1.0)


def test_a_request_that_comes_too_late_leaves_fewer_permits():
    async def scene():
        tiny = Tiny(Gate(), CALL, permits=Permits(8, least=2))
        visit = tiny.visit().begin()
        await until(lambda: tiny.calls == 1)

        jump(1)
        await visit.end()

        assert (visit.status, tiny.admission.limit(Priority.NORMAL), tiny.taken) == (504, 6, 0)

    play(scene())


def test_a_caller_who_leaves_leaves_fewer_permits():
    async def scene():
        tiny = Tiny(Gate(), CALL, permits=Permits(8, least=2))
        visit = tiny.visit().begin()
        await until(lambda: tiny.calls == 1)

        visit.leave()
        await visit.end()

        assert (tiny.admission.limit(Priority.NORMAL), tiny.taken) == (6, 0)

    play(scene())


@pytest.mark.parametrize(("seconds", "permits"), [(0.1, 7), (0.8, 6)])
def test_permits_grow_with_requests_that_end_with_time_to_spare(seconds, permits):
    async def answer_then(_request):
        jump(seconds)
        return PlainTextResponse("done")

    async def scene():
        tiny = Tiny(answer_then, CALL, permits=Permits(8, least=2))
        late, *others = [await tiny.admission.acquire(Priority.NORMAL, within=0) for _ in range(4)]
        late.release_too_late()

        # beside the others, so that the limit is in use
        answered = [(await tiny.visit().answer()).status for _ in range(7)]

        assert answered == [200] * 7
        assert tiny.admission.limit(Priority.NORMAL) == permits
        for other in others:
            other.release()

    play(scene())
