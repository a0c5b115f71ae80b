"""A clock that was set to another time is found, and a slow answer is not taken for one."""

from datetime import UTC, datetime, timedelta

import pytest

from worker.clocks import ClockWatch

NOON = datetime(2026, 11, 30, 12, tzinfo=UTC)


def look(watch: ClockWatch, after: float, *, shown: float | None = None, took: float = 0.01) -> timedelta | None:
    """A look so many seconds after noon, when the database shows `shown` seconds after noon."""
    told = NOON + timedelta(seconds=after if shown is None else shown)
    return watch.jump(asked=1000 + after - took, told=told, answered=1000 + after)


def test_clocks_that_go_together_are_believed():
    watch = ClockWatch()

    assert [look(watch, after) for after in (0, 30, 60.5, 4000)] == [None] * 4


@pytest.mark.parametrize("seconds", [-3600, 3600, 10])
def test_a_jump_is_told_once(seconds):
    watch = ClockWatch()

    jumps = [look(watch, 0), look(watch, 30, shown=30 + seconds), look(watch, 60, shown=60 + seconds)]

    assert jumps == [None, timedelta(seconds=seconds), None]


def test_an_answer_that_took_long_tells_no_time():
    watch = ClockWatch()

    assert look(watch, 0) is None
    assert look(watch, 30, shown=90, took=29) is None
    assert look(watch, 60, shown=120) is None
    assert look(watch, 90, shown=150) is None
