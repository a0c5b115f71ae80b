"""No child outlives its parent, whatever its reserve and cap; all that is used is paid from one budget."""

from dataclasses import dataclass
from math import inf

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.deadline.budget import UNBOUNDED, Budget, DeadlineSpent

TICK = 2.0**-10
"""Times are whole ticks, so that sums of them are exact, as long as a process lives."""

TICKS = st.integers(0, 4096).map(lambda ticks: ticks * TICK)
STARTS = st.integers(0, 2**40).map(lambda ticks: ticks * TICK)
CAPS = TICKS | st.just(inf)
ANY_TIME = st.floats(-1e9, 1e9)


@dataclass
class Clock:
    """A monotonic clock that is moved by hand."""

    now: float


@dataclass(frozen=True)
class Work:
    """A dependency's work: what it is allowed, how long it waits and works, and what it calls in turn."""

    reserve: float
    cap: float
    wait: float
    takes: float
    attempts: int
    parallel: bool
    inner: tuple["Work", ...] = ()


def works(inner: st.SearchStrategy[tuple[Work, ...]]) -> st.SearchStrategy[Work]:
    return st.builds(Work, TICKS, CAPS, TICKS, TICKS, st.integers(1, 3), st.booleans(), inner)


TREES = st.recursive(works(st.just(())), lambda inner: works(st.lists(inner, max_size=3).map(tuple)), max_leaves=12)


def run(work: Work, parent: Budget, clock: Clock, begun: list[tuple[Budget, float]]) -> float:
    """Do the work as dependencies do, and stop it at its cutoff; returns the seconds for which it was at work."""
    used = 0.0
    for _ in range(work.attempts):
        clock.now += work.wait
        budget = parent.child(reserve=work.reserve, cap=work.cap, now=clock.now)
        assert budget.cutoff <= parent.cutoff - work.reserve
        assert budget.cutoff <= clock.now + work.cap
        try:
            budget.require(0.0, boundary="work", now=clock.now)
        except DeadlineSpent:
            continue
        begun.append((budget, clock.now))
        began = clock.now
        clock.now += min(work.takes, budget.left(clock.now))
        run_inner(work, budget, clock, begun)
        # pauses between inner calls may pass the cutoff: whoever enforces it stops them there
        clock.now = min(clock.now, budget.cutoff)
        used += clock.now - began
    return used


def run_inner(work: Work, budget: Budget, clock: Clock, begun: list[tuple[Budget, float]]) -> None:
    if not work.parallel:
        for one in work.inner:
            run(one, budget, clock, begun)
        return
    ends = [clock.now]
    for one in work.inner:
        own = Clock(clock.now)
        run(one, budget, own, begun)
        ends.append(own.now)
    clock.now = max(ends)


@given(TREES, STARTS, TICKS)
def test_a_tree_of_calls_spends_one_budget(tree, start, seconds):
    whole, clock, begun = Budget.of(seconds, now=start), Clock(start), []

    used = run(tree, whole, clock, begun)

    assert used <= seconds
    assert all(at < budget.cutoff for budget, at in begun)


@given(st.lists(st.tuples(TICKS, CAPS, TICKS), max_size=8), STARTS, TICKS, TICKS)
def test_what_is_done_one_after_another_leaves_the_reserve(calls, start, seconds, reserve):
    parent, now, used = Budget.of(seconds, now=start), start, 0.0

    for takes, cap, pause in calls:
        child = parent.child(reserve=reserve, cap=cap, now=now)
        spends = min(takes, child.left(now))
        used += spends
        now += spends + pause

    assert used <= max(0.0, seconds - reserve)


@given(st.lists(st.tuples(TICKS, CAPS), max_size=8), STARTS, TICKS)
def test_what_is_done_at_once_ends_before_the_reserve(calls, now, seconds):
    parent = Budget.of(seconds, now=now)

    children = [(parent.child(reserve=reserve, cap=cap, now=now), reserve) for reserve, cap in calls]

    assert all(now + child.left(now) <= max(now, parent.cutoff - reserve) for child, reserve in children)


@given(ANY_TIME | st.just(inf), st.floats(), st.floats(), ANY_TIME)
def test_no_child_ends_later_whatever_stands_for_reserve_and_cap(cutoff, reserve, cap, now):
    parent = Budget(cutoff)

    child = parent.child(reserve=reserve, cap=cap, now=now)

    assert child.cutoff <= parent.cutoff


@given(ANY_TIME | st.just(inf), ANY_TIME)
def test_what_is_spent_has_nothing_left_and_begins_nothing(cutoff, now):
    budget = Budget(cutoff)

    if budget.is_spent(now):
        assert budget.left(now) == 0.0
        with pytest.raises(DeadlineSpent) as caught:
            budget.require(0.0, boundary="statement", now=now)
        assert caught.value.boundary == "statement"
    else:
        assert budget.left(now) > 0.0
        budget.require(0.0, boundary="statement", now=now)


@given(STARTS, TICKS, TICKS)
def test_what_needs_more_than_is_left_is_not_begun(now, seconds, needed):
    budget = Budget.of(seconds, now=now)

    if seconds > 0 and seconds >= needed:
        budget.require(needed, boundary="statement", now=now)
    else:
        with pytest.raises(DeadlineSpent):
            budget.require(needed, boundary="statement", now=now)


@given(STARTS, TICKS, TICKS)
def test_without_a_deadline_the_cap_alone_holds(now, reserve, cap):
    assert UNBOUNDED.left(now) == inf
    assert UNBOUNDED.child(reserve=reserve, cap=cap, now=now) == Budget(now + cap)
    assert UNBOUNDED.child(now=now) == UNBOUNDED
