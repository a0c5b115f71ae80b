"""Permits: bounded, by priority, given back exactly once whatever happens to whoever waits for one."""

import asyncio
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.deadline.admission import Admission, AdmissionDenied, Permit, Permits
from app.deadline.outcome import Outcome
from app.deadline.policy import Priority, RoutePolicy
from tests.deadline.scenes import jump, play, turns, until
from tests.deadline.tiny import Gate, Tiny

TEN = Permits(10, probes=2, waiting=3)
LIMITS = {Priority.HIGH: 10, Priority.NORMAL: 8, Priority.LOW: 5, Priority.PROBE: 2, Priority.WAITING: 3}
SHARED = (Priority.HIGH, Priority.NORMAL, Priority.LOW)


async def fill(admission: Admission, priority: Priority) -> list[Permit]:
    """All that this priority may take."""
    permits = []
    while True:
        try:
            permits.append(await admission.acquire(priority, within=0))
        except AdmissionDenied:
            return permits


def waiting(admission: Admission, priority: Priority) -> "asyncio.Task[Permit]":
    """Somebody who waits for a permit, from the next turn of the loop."""
    return asyncio.create_task(admission.acquire(priority, within=10))


@pytest.mark.parametrize("priority", list(Priority))
def test_each_priority_is_let_in_up_to_its_limit(priority):
    async def scene():
        admission = Admission(TEN)

        permits = await fill(admission, priority)

        assert (len(permits), admission.taken(priority)) == (LIMITS[priority],) * 2

    play(scene())


def test_what_is_kept_for_those_above_is_theirs():
    async def scene():
        admission = Admission(TEN)

        got = [len(await fill(admission, priority)) for priority in (Priority.LOW, Priority.NORMAL, Priority.HIGH)]

        assert got == [5, 3, 2]

    play(scene())


def test_probes_and_sleepers_are_let_in_while_everybody_else_waits():
    async def scene():
        admission = Admission(TEN)
        await fill(admission, Priority.HIGH)
        crowd = [waiting(admission, priority) for priority in SHARED for _ in range(100)]
        await turns()

        probe = await admission.acquire(Priority.PROBE, within=0)
        sleeper = await admission.acquire(Priority.WAITING, within=0)

        assert (admission.taken(Priority.PROBE), admission.taken(Priority.WAITING)) == (1, 1)
        probe.release()
        sleeper.release()
        jump(1)
        assert {type(one) for one in await asyncio.gather(*crowd, return_exceptions=True)} == {AdmissionDenied}
        assert admission.taken(Priority.HIGH) == 10

    play(scene())


def test_whoever_is_higher_passes_those_who_wait_and_equals_keep_their_order():
    async def scene():
        admission = Admission(TEN)
        held = await fill(admission, Priority.HIGH)
        order = []
        queue = [Priority.LOW, Priority.NORMAL, Priority.HIGH, Priority.NORMAL, Priority.HIGH]
        for number, priority in enumerate(queue):
            waiting(admission, priority).add_done_callback(lambda _, one=(priority, number): order.append(one))
            await asyncio.sleep(0)

        for permit in held:
            permit.release()
            await turns()

        assert order == [
            (Priority.HIGH, 2),
            (Priority.HIGH, 4),
            (Priority.NORMAL, 1),
            (Priority.NORMAL, 3),
            (Priority.LOW, 0),
        ]

    play(scene())


def test_whoever_may_come_in_does_not_wait_behind_those_who_may_not():
    async def scene():
        admission = Admission(TEN)
        await fill(admission, Priority.NORMAL)
        behind = waiting(admission, Priority.NORMAL)
        await turns()

        above = waiting(admission, Priority.HIGH)
        await turns()

        assert (above.done(), behind.done(), admission.taken(Priority.HIGH)) == (True, False, 9)
        behind.cancel()

    play(scene())


@pytest.mark.parametrize(("within", "seconds"), [(10.0, 0.01), (0.002, 0.002)])
def test_a_wait_ends_at_its_own_limit_or_at_the_callers_whichever_is_sooner(within, seconds):
    async def scene():
        admission = Admission(TEN)
        await fill(admission, Priority.NORMAL)
        late = asyncio.create_task(admission.acquire(Priority.NORMAL, within=within))
        await turns()

        jump(seconds)
        with pytest.raises(AdmissionDenied):
            await late

        assert admission.taken(Priority.NORMAL) == 8

    play(scene())


def test_a_permit_that_is_given_back_twice_is_given_back_once():
    async def scene():
        admission = Admission(TEN)
        first, _second = [await admission.acquire(Priority.NORMAL, within=0) for _ in range(2)]

        first.release()
        first.release()

        assert admission.taken(Priority.NORMAL) == 1

    play(scene())


def test_a_permit_that_comes_as_its_wait_is_cancelled_goes_to_the_next():
    async def scene():
        admission = Admission(TEN)
        held = await fill(admission, Priority.NORMAL)
        leaving, staying = waiting(admission, Priority.NORMAL), waiting(admission, Priority.NORMAL)
        await turns()

        held[0].release()
        leaving.cancel()
        with pytest.raises(asyncio.CancelledError):
            await leaving
        permit = await staying

        assert admission.taken(Priority.NORMAL) == 8
        permit.release()
        assert admission.taken(Priority.NORMAL) == 7

    play(scene())


def test_a_permit_that_comes_as_its_wait_times_out_is_used():
    async def scene():
        admission = Admission(TEN)
        held = await fill(admission, Priority.NORMAL)
        late = waiting(admission, Priority.NORMAL)
        await turns()

        # both in one turn of the loop, the permit first
        jump(0.01)
        asyncio.get_running_loop().call_soon(held[0].release)
        permit = await late

        assert admission.taken(Priority.NORMAL) == 8
        permit.release()
        assert admission.taken(Priority.NORMAL) == 7

    play(scene())


Step = tuple[str, Priority, int]
STEPS = st.lists(
    st.tuples(
        st.sampled_from(["arrive", "arrive", "release", "cancel", "jump", "both", "turn"]),
        st.sampled_from(list(Priority)),
        st.integers(0, 20),
    ),
    max_size=60,
)


@settings(max_examples=50, deadline=None)
@given(STEPS)
def test_whatever_happens_permits_are_neither_lost_nor_made_and_nobody_waits_for_a_free_one(steps: list[Step]):
    async def scene():
        admission = Admission(Permits(4, probes=1, waiting=2))
        limits = {Priority.HIGH: 4, Priority.NORMAL: 3, Priority.LOW: 2, Priority.PROBE: 1, Priority.WAITING: 2}
        all_of_them: list[tuple[Priority, asyncio.Task[Permit]]] = []
        for verb, priority, number in steps:
            given_back = [one for _, one in all_of_them if one.done() and not one.cancelled() and not one.exception()]
            match verb:
                case "arrive":
                    all_of_them.append((priority, waiting(admission, priority)))
                case "release" if given_back:
                    given_back[number % len(given_back)].result().release()
                case "cancel" if all_of_them:
                    all_of_them[number % len(all_of_them)][1].cancel()
                case "jump":
                    jump(0.005)
                case "both" if given_back:
                    jump(0.01)
                    asyncio.get_running_loop().call_soon(given_back[number % len(given_back)].result().release)
                    await turns()
                case _:
                    await turns()
        await turns()

        held = Counter(
            priority
            for priority, one in all_of_them
            if one.done() and not one.cancelled() and not one.exception() and is_held(one.result())
        )
        shared = sum(held[one] for one in SHARED)
        assert admission.taken(Priority.HIGH) == shared <= 4
        assert admission.taken(Priority.PROBE) == held[Priority.PROBE] <= 1
        assert admission.taken(Priority.WAITING) == held[Priority.WAITING] <= 2
        for priority, one in all_of_them:
            if not one.done():
                assert admission.taken(priority) >= limits[priority]
                one.cancel()
        for _, one in all_of_them:
            if one.done() and not one.cancelled() and not one.exception():
                one.result().release()
        assert [admission.taken(one) for one in Priority] == [0] * 5

    play(scene())


def is_held(permit: Permit) -> bool:
    """Whether it was not given back yet."""
    return permit._admission is not None


# Behind the middleware


def test_a_full_house_refuses_with_its_reason_and_answers_probes():
    async def scene():
        gate = Gate()
        probe = RoutePolicy("probe", priority=Priority.PROBE, minimum=0.0)
        tiny = Tiny(gate, permits=TEN, policies={"/livez": probe})
        inside = [tiny.visit().begin() for _ in range(8)]
        await until(lambda: tiny.calls == 8)

        refused = await tiny.visit().answer()
        probing = tiny.visit(path="/livez").begin()
        await until(lambda: tiny.calls == 9)
        gate.let_go.set()
        for visit in (*inside, probing):
            await visit.end()

        assert refused.told == (503, "concurrency_limit", "admission")
        assert refused.headers["retry-after"] == "1"
        assert "admission;dur=" in refused.headers["server-timing"]
        assert [visit.status for visit in (*inside, probing)] == [200] * 9
        assert tiny.notes.refusals == ["concurrency_limit"]
        assert Counter(outcome for _, outcome, _ in tiny.notes.ends) == {
            Outcome.COMPLETED: 9,
            Outcome.ADMISSION_DENIED: 1,
        }
        assert tiny.taken == 0

    play(scene())


def test_a_wait_for_a_permit_keeps_what_the_route_needs():
    async def scene():
        tiny = Tiny(Gate(), RoutePolicy("tiny", minimum=0.1), permits=Permits(4, wait=10))
        held = [await tiny.admission.acquire(Priority.NORMAL, within=0) for _ in range(3)]
        visit = tiny.visit(headers={"Connect-Timeout-Ms": "500"}).begin()
        await turns()

        jump(0.4)
        await visit.end()

        assert visit.told == (503, "concurrency_limit", "admission")
        assert (tiny.calls, tiny.taken, len(held)) == (0, 3, 3)

    play(scene())
