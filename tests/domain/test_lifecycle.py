"""The table of transitions, exhausted."""

from itertools import product

import pytest

from app.domain.lifecycle import ACTIVE, TRANSITIONS, IllegalTransition, JobEvent, JobState, next_state


@pytest.mark.parametrize(("state", "event"), list(product(JobState, JobEvent)))
def test_an_event_moves_a_job_or_is_refused(state, event):
    if state in TRANSITIONS[event].sources:
        assert next_state(state, event) is TRANSITIONS[event].target
    else:
        with pytest.raises(IllegalTransition) as refused:
            next_state(state, event)
        assert (refused.value.state, refused.value.event) == (state, event)


def test_terminal_is_terminal():
    assert all(source in ACTIVE for transition in TRANSITIONS.values() for source in transition.sources)


def test_after_a_cancel_request_a_job_can_only_become_cancelled():
    ways = [transition for transition in TRANSITIONS.values() if JobState.CANCELLING in transition.sources]

    assert [way.target for way in ways] == [JobState.CANCELLED]


def test_every_state_can_be_reached_and_every_active_one_left():
    reached = {JobState.QUEUED}
    for _ in JobState:
        reached |= {way.target for way in TRANSITIONS.values() if way.sources & reached}

    assert reached == set(JobState)
    assert {source for way in TRANSITIONS.values() for source in way.sources} == ACTIVE
