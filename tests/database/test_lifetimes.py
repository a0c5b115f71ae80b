"""Which time counts towards a lifetime: what the reconciler remembers of its own sweeps."""

import json
from datetime import datetime, timedelta
from uuid import uuid4

import pytest

from app.database import lifetimes, sweeping
from app.database.hosts import find_fact, set_fact, sign_in
from app.domain.lifecycle import JobState
from tests.database.conftest import content

DAY = 24 * 3600.0


@pytest.fixture
def sweeps(bench):
    """The noted sweeps, with a way to have had the last one long ago."""

    class Sweeps:
        def note(self, *, keep: float = 7 * DAY):
            with bench.database.transaction() as tx:
                return lifetimes.note_sweep(tx, closely=60, keep=keep)

        def shift(self, seconds: float) -> None:
            with bench.database.transaction() as tx:
                noted = json.loads(find_fact(tx, lifetimes.SWEEPS))
                back = timedelta(seconds=seconds)
                at = lifetimes.database_time(tx) - back
                idle = [[(datetime.fromisoformat(edge) - back).isoformat() for edge in span] for span in noted["idle"]]
                set_fact(tx, lifetimes.SWEEPS, json.dumps({"at": at.isoformat(), "idle": idle}))

    return Sweeps()


def age(bench, job, seconds):
    """Let a job have been created, and have made its last progress, so long ago."""
    with bench.database.transaction() as tx:
        row = bench.job(job)
        then = lifetimes.database_time(tx) - timedelta(seconds=seconds)
        row.created_at = row.progressed_at = then
        tx.merge(row)


def test_sweeps_close_to_each_other_leave_no_gap(bench, sweeps):
    assert sweeps.note() == []
    sweeps.shift(50)

    assert sweeps.note() == []


def test_a_gap_is_remembered_as_long_as_a_lifetime_may_reach_back(bench, sweeps):
    sweeps.note()
    sweeps.shift(2 * DAY)
    sweeps.note()
    sweeps.shift(100)

    assert [round((span.until - span.since).total_seconds(), -2) for span in sweeps.note()] == [2 * DAY, 100]


def test_what_is_remembered_reaches_back_as_far_in_time_that_counts(bench, sweeps):
    sweeps.note()
    sweeps.shift(2 * DAY)
    sweeps.note()
    sweeps.shift(3 * DAY)  # the first gap has ended three days ago, but only moments of these count

    assert len(sweeps.note(keep=DAY)) == 2
    assert len(sweeps.note(keep=-6 * DAY)) == 0


def test_a_clock_that_was_set_back_makes_no_gap(bench, sweeps):
    sweeps.note()
    sweeps.shift(-DAY)

    assert sweeps.note() == []
    assert sweeps.note() == []


def test_only_time_with_a_live_host_ends_a_job_in_the_queue(bench, sweeps):
    bench.load(content(1))
    waited, fresh = bench.submit(), bench.submit()
    age(bench, waited, 3 * DAY)
    age(bench, fresh, 2.5 * DAY)
    sweeps.note()
    sweeps.shift(2 * DAY)  # the fleet was away for two days
    idle = sweeps.note()
    with bench.database.transaction() as tx:
        sign_in(tx, host_id=uuid4(), name="h:1", can_render=True, slots=1)

    with bench.database.transaction() as tx:
        expired = sweeping.expire_queued(tx, queue_ttl=0.75 * DAY, idle=idle)

    assert expired == [waited]
    assert bench.job(fresh).state is JobState.QUEUED


def test_a_run_is_not_ended_for_the_time_in_which_nobody_could_work(bench, sweeps):
    bench.load(*(content(shop_id) for shop_id in range(1, 5)))
    stuck, resumed = bench.planned(every=2), bench.planned(every=2)
    age(bench, stuck, 4 * DAY)
    age(bench, resumed, 2 * DAY)
    sweeps.note()
    sweeps.shift(2 * DAY)
    idle = sweeps.note()

    with bench.database.transaction() as tx:
        expired = sweeping.expire_running(tx, run_ttl=DAY, idle=idle)

    assert expired == [stuck]
    assert (bench.job(stuck).state, bench.job(stuck).failure_code) == (JobState.FAILED, "run_expired")
    assert bench.job(resumed).state is JobState.PROCESSING


def test_a_pause_is_whoever_found_the_jump_and_ends_by_the_new_clock(bench):
    with bench.database.transaction() as tx:
        assert not lifetimes.are_lifetimes_paused(tx)
        lifetimes.pause_lifetimes(tx, holder=uuid4(), seconds=3600)
        assert lifetimes.are_lifetimes_paused(tx)
        # set back: what was written an hour ahead must not pause for an hour
        lifetimes.pause_lifetimes(tx, holder=uuid4(), seconds=-1)
        assert not lifetimes.are_lifetimes_paused(tx)
