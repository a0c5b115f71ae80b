"""A lifetime counts the time in which somebody was there, and no other."""

from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from app.domain.lifetimes import Span, began_before

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)
HOURS = timedelta(hours=1)


def span(*hours_ago: float) -> Span:
    since, until = (NOW - ago * HOURS for ago in hours_ago)
    return Span(since, until)


def test_without_idle_spans_a_lifetime_is_what_the_clock_says():
    assert began_before(NOW, lifetime=3 * HOURS, idle=[]) == NOW - 3 * HOURS


def test_what_was_idle_is_given_back():
    idle = [span(20, 10), span(4, 2)]

    assert began_before(NOW, lifetime=2 * HOURS, idle=idle) == NOW - 2 * HOURS
    assert began_before(NOW, lifetime=3 * HOURS, idle=idle) == NOW - 5 * HOURS
    assert began_before(NOW, lifetime=9 * HOURS, idle=idle) == NOW - 21 * HOURS


def test_a_span_of_a_clock_that_was_set_back_gives_no_time_twice():
    assert began_before(NOW, lifetime=HOURS, idle=[span(2, -5)]) == NOW - 3 * HOURS


@given(st.lists(st.floats(0.01, 50), max_size=20), st.floats(0, 400))
def test_exactly_a_lifetime_of_time_that_counts_lies_behind(lengths, lifetime):
    edges, idle = [0.0], []
    for length in lengths:
        edges.append(edges[-1] + length)
    for until, since in zip(edges[1::2], edges[2::2], strict=False):
        idle.insert(0, span(since, until))

    began = began_before(NOW, lifetime=lifetime * HOURS, idle=idle)

    not_counted = sum((max(each.until - max(each.since, began), timedelta()) for each in idle), timedelta())
    assert abs((NOW - began) - not_counted - lifetime * HOURS) < timedelta(seconds=1)
