"""Progress that does not lie."""

from hypothesis import given
from hypothesis import strategies as st

from app.domain.lifecycle import JobState
from app.domain.progress import Counts, percent, seconds_left, seconds_until_start

SMALL = st.integers(0, 200_000)


@given(SMALL, SMALL, SMALL, SMALL, st.sampled_from([state for state in JobState if state is not JobState.COMPLETED]))
def test_only_a_completed_job_is_at_a_hundred(rendered, failed, skipped, open_items, state):
    counts = Counts(rendered + failed + skipped + open_items, rendered, failed, skipped)

    assert 0 <= percent(counts, state) <= 99
    assert percent(counts, JobState.COMPLETED) == 100


@given(SMALL, SMALL, st.integers(1, 200_000))
def test_progress_never_goes_back(settled, more, rest):
    requested = settled + more + rest
    before, after = Counts(requested, settled, 0, 0), Counts(requested, settled + more, 0, 0)

    assert percent(before, JobState.PROCESSING) <= percent(after, JobState.PROCESSING)


@given(SMALL, SMALL, st.integers(1, 200_000))
def test_documents_that_are_made_once_more_are_no_step_back(settled, again, rest):
    requested = settled + again + rest
    before, after = Counts(requested, settled + again, 0, 0), Counts(requested, settled, 0, 0)

    at_first = percent(before, JobState.PROCESSING)

    assert percent(after, JobState.PROCESSING, floor=settled + again) == at_first


def test_the_time_left_follows_the_rate_so_far():
    assert seconds_left(Counts(100, 20, 3, 2), elapsed=50) == 188
    assert seconds_left(Counts(100, 0, 30, 30), elapsed=50) is None
    assert seconds_left(Counts(0, 0, 0, 0), elapsed=0) is None


@given(st.integers(1, 500), st.integers(0, 64), st.floats(0, 1000))
def test_a_place_further_back_never_begins_sooner(position, free_slots, pace):
    here = seconds_until_start(position, free_slots=free_slots, steps_per_second=pace)
    behind = seconds_until_start(position + 1, free_slots=free_slots, steps_per_second=pace)

    assert (here == 0) == (position <= free_slots)
    assert behind is None or here <= behind


def test_the_queue_moves_as_fast_as_steps_end():
    assert seconds_until_start(3, free_slots=3, steps_per_second=0) == 0
    assert seconds_until_start(4, free_slots=3, steps_per_second=0) is None
    assert seconds_until_start(4, free_slots=0, steps_per_second=0.5) == 8
    assert seconds_until_start(1, free_slots=0, steps_per_second=3) == 1
