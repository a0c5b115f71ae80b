"""Claims, leases and settling: the fence holds on both databases."""

from uuid import uuid4

import pytest
from sqlalchemy.exc import IntegrityError

from app.database import jobs, packaging, steps
from app.database.items import ItemResult, strike
from app.database.jobs import force_cancel, lock_job, request_cancel
from app.database.steps import ClaimLost
from app.domain.lifecycle import TRANSITIONS, IllegalTransition, JobEvent, JobState, Outcome, Phase, StepKind, StepState
from app.exports.inspect import view
from tests.database.conftest import content


@pytest.fixture
def planned(bench):
    """A job of four items in two render steps."""
    bench.load(*(content(shop_id) for shop_id in range(1, 5)))
    return bench.planned(every=2)


def test_the_first_claim_starts_the_job(bench):
    bench.load(content(1))
    job = bench.submit()

    claim = bench.claim(job)

    assert (claim.kind, claim.attempt) == (StepKind.PLAN, 1)
    found = bench.job(job)
    assert (found.state, found.phase, found.revision) == (JobState.PROCESSING, Phase.SELECTING, 2)
    assert found.started_at is not None


def test_a_claimed_step_is_not_claimed_again_until_it_lapses(bench, planned):
    first, second = bench.claim(planned), bench.claim(planned)
    with bench.database.transaction() as tx:
        assert steps.claim_step(tx, planned, holder=uuid4(), host="h", lease=60) is None

    bench.lapse(first)
    again = bench.claim(planned)

    assert {first.step_id, second.step_id} == {step.id for step in bench.steps(planned)[1:]}
    assert (again.step_id, again.attempt) == (first.step_id, 2)


def test_a_stale_holder_can_write_nothing(bench, planned):
    stale = bench.claim(planned)
    bench.lapse(stale)
    fresh = bench.claim(planned)

    with pytest.raises(ClaimLost):
        bench.checkpoint(stale)
    with pytest.raises(ClaimLost), bench.database.transaction() as tx:
        strike(tx, stale, stale.first_item, strikes=1)
    with pytest.raises(ClaimLost), bench.database.transaction() as tx:
        steps.give_back(tx, stale)
    with bench.database.transaction() as tx:
        assert steps.renew(tx, [stale, fresh], lease=60) == {stale}

    assert bench.job(planned).rendered == 0
    bench.checkpoint(fresh)
    assert bench.job(planned).rendered == 2


def test_a_lapsed_claim_that_nobody_took_may_still_be_renewed_and_settled(bench, planned):
    claim = bench.claim(planned)
    bench.lapse(claim)

    with bench.database.transaction() as tx:
        lost = steps.renew(tx, [claim], lease=60)
    bench.checkpoint(claim)

    assert lost == set()
    assert bench.job(planned).rendered == 2


@pytest.mark.parametrize("ending", ["cancel", "fail"])
def test_a_claim_is_lost_once_its_job_no_longer_wants_it(bench, planned, ending):
    """Its lease and attempt are as they were: but its child works for nobody."""
    claim = bench.claim(planned)
    with bench.database.transaction() as tx:
        assert steps.renew(tx, [claim], lease=60) == set()

    with bench.database.transaction() as tx:
        job = lock_job(tx, planned)
        if ending == "cancel":
            request_cancel(tx, job)
        else:
            jobs.move_job(tx, job, JobEvent.FAILED, failure_code="run_expired")

    with bench.database.transaction() as tx:
        assert steps.renew(tx, [claim], lease=60) == {claim}


def test_a_cancelling_job_tells_by_the_databases_clock_how_long_it_has_been(bench, planned):
    bench.claim(planned)
    cancel(bench, planned)
    with bench.database.reading() as tx:
        (fresh,) = jobs.cancelling_jobs(tx).values()
    bench.sql("UPDATE jobs SET cancel_requested_at = '2026-01-01T00:00:00.000000Z'")

    with bench.database.reading() as tx:
        ((job, seconds),) = jobs.cancelling_jobs(tx).items()

    assert job == planned
    assert 0 <= fresh < 60 < seconds


def test_a_checkpoint_repeated_after_a_lost_acknowledgement_is_done(bench, planned):
    claim = bench.claim(planned)
    bench.checkpoint(claim)
    before = bench.job(planned)

    bench.checkpoint(claim)

    after = bench.job(planned)
    assert (after.revision, after.rendered, after.steps_left) == (before.revision, 2, 1)


def test_the_last_checkpoint_inserts_one_package_step(bench, planned):
    first, second = bench.claim(planned), bench.claim(planned)

    bench.checkpoint(first)
    assert [step.kind for step in bench.steps(planned)].count(StepKind.PACKAGE) == 0
    bench.checkpoint(second)

    (package,) = [step for step in bench.steps(planned) if step.kind is StepKind.PACKAGE]
    assert (package.state, package.first_item, package.last_item) == (StepState.READY, 1, 4)
    assert (bench.job(planned).phase, bench.job(planned).steps_left) == (Phase.PACKAGING, 0)


def test_a_job_of_which_nothing_was_rendered_fails_at_its_last_checkpoint(bench, planned):
    for _ in range(2):
        claim = bench.claim(planned)
        failed = [
            ItemResult(ordinal, Outcome.FAILED, code="render_error", reason="no")
            for ordinal in range(claim.first_item, claim.last_item + 1)
        ]
        bench.checkpoint(claim, failed)

    assert (bench.job(planned).state, bench.job(planned).failure_code) == (JobState.FAILED, "nothing_rendered")


def complete(bench, claim):
    with bench.database.transaction() as tx:
        packaging.complete(tx, claim, archive_key="k", archive_bytes=1, archive_sha256="0" * 64, archive_ttl=3600)


def packaged(bench, job):
    bench.checkpoint(bench.claim(job))
    bench.checkpoint(bench.claim(job))
    return bench.claim(job)


def test_packaging_completes_the_job_once(bench, planned):
    claim = packaged(bench, planned)

    complete(bench, claim)
    complete(bench, claim)

    found = bench.job(planned)
    assert (found.state, found.phase, found.archive_key) == (JobState.COMPLETED, None, "k")
    assert found.expires_at > found.finished_at


def test_a_bad_artifact_reopens_its_step_and_takes_the_package_step_away(bench, planned):
    package = packaged(bench, planned)
    render = bench.steps(planned)[1]
    bench.sql("UPDATE items SET strikes = 2")

    with bench.database.transaction() as tx:
        packaging.reopen_steps(tx, package, step_ids=[render.id])

    found = bench.job(planned)
    assert (found.phase, found.rendered, found.steps_left) == (Phase.RENDERING, 2, 1)
    # its owner was told 99 %, and is told no less now
    assert percent_of(bench, planned) == 99
    assert [item.outcome for item in bench.items(planned)] == [Outcome.PENDING] * 2 + [Outcome.RENDERED] * 2
    # an item that was rendered has no strikes left: only those in a row count
    assert [item.strikes for item in bench.items(planned)] == [0, 0, 2, 2]
    with pytest.raises(ClaimLost):
        complete(bench, package)
    again = bench.claim(planned)
    assert (again.step_id, again.attempt) == (render.id, 2)
    bench.checkpoint(again)
    complete(bench, bench.claim(planned))
    assert bench.job(planned).state is JobState.COMPLETED


def percent_of(bench, job):
    with bench.database.reading() as tx:
        return view(tx, bench.job(job)).percent


def cancel(bench, job):
    with bench.database.transaction() as tx:
        request_cancel(tx, lock_job(tx, job))


def test_a_queued_job_is_cancelled_at_once(bench):
    bench.load(content(1))
    job = bench.submit()

    cancel(bench, job)

    assert bench.job(job).state is JobState.CANCELLED
    with bench.database.transaction() as tx:
        assert steps.claim_step(tx, job, holder=uuid4(), host="h", lease=60) is None


def test_a_processing_job_is_cancelled_when_its_last_holder_stops(bench, planned):
    first, second = bench.claim(planned), bench.claim(planned)

    cancel(bench, planned)
    assert bench.job(planned).state is JobState.CANCELLING
    with bench.database.transaction() as tx:
        steps.give_back(tx, first)
    assert bench.job(planned).state is JobState.CANCELLING
    with bench.database.transaction() as tx:
        steps.give_back(tx, second)

    assert bench.job(planned).state is JobState.CANCELLED


def test_a_forced_cancel_raises_the_attempts_of_frozen_holders(bench, planned):
    frozen = bench.claim(planned)
    cancel(bench, planned)

    with bench.database.transaction() as tx:
        assert force_cancel(tx, planned) is True
        assert force_cancel(tx, planned) is False

    assert bench.job(planned).state is JobState.CANCELLED
    for late in (lambda: bench.checkpoint(frozen), lambda: give_back(bench, frozen)):
        with pytest.raises(ClaimLost):
            late()


def give_back(bench, claim):
    with bench.database.transaction() as tx:
        steps.give_back(tx, claim)


def test_a_checkpoint_of_a_cancelling_job_is_lost(bench, planned):
    claim = bench.claim(planned)
    cancel(bench, planned)

    with pytest.raises(ClaimLost):
        bench.checkpoint(claim)

    assert bench.job(planned).rendered == 0


def test_a_completed_job_cannot_be_cancelled(bench, planned):
    complete(bench, packaged(bench, planned))

    with pytest.raises(IllegalTransition):
        cancel(bench, planned)

    assert bench.job(planned).state is JobState.COMPLETED


def test_a_cancelled_job_cannot_be_completed(bench, planned):
    claim = packaged(bench, planned)
    cancel(bench, planned)

    with pytest.raises(ClaimLost):
        complete(bench, claim)
    give_back(bench, claim)

    assert bench.job(planned).state is JobState.CANCELLED


WHOLE = "requested = 1, rendered = 1, archive_key = 'k', archive_sha256 = 's'"
ENDED = "finished_at = created_at"


def test_the_database_moves_a_job_exactly_as_the_table_says(bench):
    bench.load(content(1))
    columns = {
        JobState.COMPLETED: f"{ENDED}, {WHOLE}, failure_code = NULL",
        JobState.FAILED: f"{ENDED}, failure_code = 'nothing_rendered'",
        JobState.CANCELLED: f"{ENDED}, failure_code = NULL",
    }
    changes = {
        JobEvent.COMPLETED: {"requested": 1, "rendered": 1, "archive_key": "k", "archive_sha256": "s"},
        JobEvent.FAILED: {"failure_code": "nothing_rendered"},
    }
    job = bench.submit()
    for state in JobState:
        for event in JobEvent:
            bench.sql(
                f"UPDATE jobs SET state = '{state}', {columns.get(state, 'finished_at = NULL, failure_code = NULL')}"
            )
            with bench.database.transaction() as tx:
                found = jobs.lock_job(tx, job)
                if state in TRANSITIONS[event].sources:
                    jobs.move_job(tx, found, event, **changes.get(event, {}))
                else:
                    with pytest.raises(IllegalTransition):
                        jobs.move_job(tx, found, event, **changes.get(event, {}))
            expected = TRANSITIONS[event].target if state in TRANSITIONS[event].sources else state
            assert bench.job(job).state is expected, (state, event)


def test_the_database_refuses_what_must_never_be(bench):
    bench.load(content(1))
    bench.submit()

    for broken in (
        f"state = 'completed', {ENDED}, requested = 2, rendered = 1, archive_key = 'k', archive_sha256 = 's'",
        f"state = 'completed', {ENDED}, requested = 1, failed = 1, archive_key = 'k', archive_sha256 = 's'",
        f"state = 'completed', {ENDED}, requested = 1, rendered = 1",
        f"state = 'completed', {ENDED}, {WHOLE}, steps_left = 1",
        "rendered = 1",
        f"state = 'failed', {ENDED}",
        "state = 'cancelled'",
        "state = 'lost'",
    ):
        with pytest.raises(IntegrityError):
            bench.sql(f"UPDATE jobs SET {broken}")


def test_one_owner_has_one_active_job_and_one_job_per_key(bench):
    owner = bench.owner()
    bench.submit(owner=owner)

    with pytest.raises(AssertionError):
        bench.submit(owner=owner)
    bench.submit()  # another owner's is not in the way


def test_the_fairest_job_comes_first(bench):
    bench.load(*(content(shop_id) for shop_id in range(1, 5)))
    large, small = bench.planned(every=1), bench.planned(every=4)

    def next_job():
        with bench.database.reading() as tx:
            return steps.candidates(tx)[0]

    assert next_job() == large  # served longest ago
    bench.claim(large)
    assert next_job() == small  # the other has a live claim
    claim = bench.claim(small)
    bench.checkpoint(claim)
    assert next_job() == small  # its package step: no live claims


def test_a_step_that_was_handed_back_waits_and_says_what_for(bench, planned):
    claim = bench.claim(planned)

    with bench.database.transaction() as tx:
        steps.give_back(tx, claim, seconds=60, waiting_for="disk")

    assert bench.job(planned).waiting_for == "disk"
    other = bench.claim(planned)
    assert other.step_id != claim.step_id
    with bench.database.transaction() as tx:
        assert steps.claim_step(tx, planned, holder=uuid4(), host="h", lease=60) is None
    assert bench.job(planned).waiting_for == "disk"
    bench.checkpoint(other)
    assert bench.job(planned).waiting_for is None


def test_a_step_that_lost_its_worker_fifty_times_fails_the_job(bench, planned):
    claim = bench.claim(planned)
    bench.sql(f"UPDATE steps SET lapses = 49 WHERE id = {claim.step_id}")
    bench.lapse(claim)

    with bench.database.transaction() as tx:
        assert steps.claim_step(tx, planned, holder=uuid4(), host="h", lease=60) is None

    assert (bench.job(planned).state, bench.job(planned).failure_code) == (JobState.FAILED, "workers_lost")


def test_a_strike_is_counted_once_however_often_it_is_written_and_for_a_live_claim_only(bench, planned):
    claim = bench.claim(planned)

    for _ in range(2):
        with bench.database.transaction() as tx:
            strike(tx, claim, claim.first_item, strikes=1)

    assert [item.strikes for item in bench.items(planned)] == [1, 0, 0, 0]
    bench.checkpoint(claim)
    with pytest.raises(ClaimLost), bench.database.transaction() as tx:
        strike(tx, claim, claim.first_item, strikes=2)
