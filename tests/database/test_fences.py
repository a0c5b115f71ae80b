"""Each fence by itself: what a claim may write, and that two fences do not lean on each other."""

import pytest
from sqlalchemy.exc import IntegrityError

from app.database import packaging, steps
from app.database.items import ItemAlreadySettled, strike
from app.database.jobs import force_cancel, lock_job, request_cancel
from app.database.steps import ClaimLost
from app.domain.lifecycle import JobState, Outcome, StepKind, StepState
from tests.database.conftest import content


@pytest.fixture
def planned(bench):
    """A job of four items in two render steps."""
    bench.load(*(content(shop_id) for shop_id in range(1, 5)))
    return bench.planned(every=2)


def write(bench, verb, *arguments, **options):
    with bench.database.transaction() as tx:
        return verb(tx, *arguments, **options)


def step(bench, claim):
    (found,) = [one for one in bench.steps(claim.job_id) if one.id == claim.step_id]
    return found


def test_settling_asks_for_attempt_and_state_itself(bench, planned):
    stale = bench.claim(planned)
    bench.lapse(stale)
    fresh = bench.claim(planned)
    with pytest.raises(ClaimLost):
        write(bench, steps.settle, stale)

    write(bench, steps.settle, fresh, artifact="a")

    with pytest.raises(ClaimLost):
        write(bench, steps.settle, fresh, artifact="b")
    assert (step(bench, fresh).state, step(bench, fresh).artifact) == (StepState.DONE, "a")


def test_a_stale_holder_extends_nobodys_lease(bench, planned):
    stale = bench.claim(planned)
    bench.lapse(stale)
    fresh = bench.claim(planned, lease=60)
    until = step(bench, fresh).lease_until

    assert write(bench, steps.renew, [stale], lease=3600) == {stale}

    assert step(bench, fresh).lease_until == until


def test_a_step_that_was_given_back_or_settled_takes_no_strike_and_is_not_given_back_again(bench, planned):
    returned, settled = bench.claim(planned), bench.claim(planned)
    write(bench, steps.give_back, returned)
    bench.checkpoint(settled)

    for claim in (returned, settled):
        with pytest.raises(ClaimLost):
            write(bench, strike, claim, claim.first_item, strikes=1)
        with pytest.raises(ClaimLost):
            write(bench, steps.give_back, claim)

    assert [item.strikes for item in bench.items(planned)] == [0] * 4
    assert (step(bench, returned).state, step(bench, settled).state) == (StepState.READY, StepState.DONE)


def test_what_is_settled_stays_settled(bench, planned):
    first, second = bench.claim(planned), bench.claim(planned)
    bench.checkpoint(first)

    with pytest.raises(ItemAlreadySettled):
        bench.checkpoint(second, bench.rendered(first))
    with pytest.raises(ClaimLost):
        write(bench, strike, second, first.first_item, strikes=1)

    assert step(bench, second).state is StepState.CLAIMED
    assert (bench.job(planned).rendered, bench.job(planned).steps_left) == (2, 1)


def test_a_forced_cancel_leaves_no_claim_and_no_attempt_as_it_was(bench, planned):
    frozen = bench.claim(planned)
    write(bench, lambda tx: request_cancel(tx, lock_job(tx, planned)))

    write(bench, force_cancel, planned)

    assert (step(bench, frozen).state, step(bench, frozen).attempt) == (StepState.READY, frozen.attempt + 1)


def test_every_lapse_counts_and_nothing_else_does(bench, planned):
    for lapses in (0, 1, 2):
        claim = bench.claim(planned)
        assert step(bench, claim).lapses == lapses
        bench.lapse(claim)
    claim = bench.claim(planned)

    write(bench, steps.give_back, claim)
    again = bench.claim(planned)

    assert (again.step_id, step(bench, again).lapses) == (claim.step_id, 3)


def test_packaging_opens_only_steps_of_its_own_job(bench, planned):
    other = bench.planned(every=2)
    for job in (planned, other):
        bench.checkpoint(bench.claim(job))
        bench.checkpoint(bench.claim(job))
    package = bench.claim(planned)
    foreign = bench.steps(other)[1]

    write(bench, packaging.reopen_steps, package, step_ids=[foreign.id, bench.steps(planned)[1].id])

    assert (bench.job(planned).rendered, bench.job(planned).steps_left) == (2, 1)
    assert (bench.job(other).rendered, bench.job(other).steps_left) == (4, 0)
    assert {item.outcome for item in bench.items(other)} == {Outcome.RENDERED}


def test_the_database_refuses_a_second_package_step(bench, planned):
    bench.checkpoint(bench.claim(planned))
    bench.checkpoint(bench.claim(planned))

    with pytest.raises(IntegrityError):
        bench.sql(
            "INSERT INTO steps (job_id, kind, ordinal, state, attempt, lapses, first_item, last_item) "
            "SELECT job_id, kind, ordinal, state, attempt, lapses, first_item, last_item "
            f"FROM steps WHERE kind = '{StepKind.PACKAGE}'"
        )


def test_a_job_that_has_ended_is_nobodys_candidate(bench, planned):
    bench.claim(planned)
    write(bench, lambda tx: request_cancel(tx, lock_job(tx, planned)))
    assert bench.job(planned).state is JobState.CANCELLING

    assert write(bench, steps.candidates) == []
