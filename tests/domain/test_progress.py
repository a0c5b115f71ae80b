"""Progress that does not lie."""

from hypothesis import given
from hypothesis import strategies as st

from app.domain.lifecycle import JobState
from app.domain.progress import Counts, percent, seconds_left

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


def test_the_time_left_follows_the_rate_so_far():
    assert seconds_left(Counts(100, 20, 3, 2), elapsed=50) == 188
    assert seconds_left(Counts(100, 0, 30, 30), elapsed=50) is None
    assert seconds_left(Counts(0, 0, 0, 0), elapsed=0) is None
