"""The races of the lock order, each made certain: the first transaction holds the job, the second waits for it."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from uuid import uuid4

import pytest

from app.database import jobs, packaging, steps
from app.database.items import checkpoint
from app.database.jobs import force_cancel
from app.database.planning import plan
from app.database.steps import ClaimLost
from app.database.sweeping import expire_running
from app.domain.lifecycle import JobState, Outcome, Phase, StepKind, StepState
from app.domain.principal import Owner
from app.exports.cancel import cancel
from app.exports.delete import delete
from app.exports.request import AlreadyFinished, RetryUnplanned, StillActive
from app.exports.retry import retry
from tests.database.conftest import content
from tests.database.contending import Contender, Write

# SQLite has one writer at a time: there, what comes second has not begun, and the short suite can do without
pytestmark = pytest.mark.parametrize(
    "migrated_url", ["postgresql", pytest.param("sqlite", marks=pytest.mark.long)], indirect=True
)


@pytest.fixture
def threads() -> Iterator[ThreadPoolExecutor]:
    with ThreadPoolExecutor(1) as pool:
        yield pool


@pytest.fixture
def race(bench, threads):
    """Runs the first write, begins the second while the first is not committed, and gives what became of it."""

    def run(first: Write, second: Write) -> Contender:
        with bench.database.transaction() as tx:
            first(tx)
            late = Contender(bench.database, second, threads)
            late.wait_until_blocked(by=tx)
        return late

    return run


@pytest.fixture
def owner(bench) -> Owner:
    """The owner of `job`."""
    return bench.owner()


@pytest.fixture
def queued(bench, owner):
    """A job of four orders that nobody has begun."""
    bench.load(*(content(shop_id) for shop_id in range(1, 5)))
    return bench.submit(every=2, owner=owner)


@pytest.fixture
def job(bench, queued):
    """It is planned: four items in two render steps."""
    claim = bench.claim(queued)
    with bench.database.transaction() as tx:
        plan(tx, claim, max_items=10)
    return queued


def claiming(job):
    return lambda tx: steps.claim_step(tx, job, holder=uuid4(), host="h", lease=60)


def checkpointing(bench, claim):
    return lambda tx: checkpoint(tx, claim, bench.rendered(claim), artifact="a")


def cancelling(owner, job):
    return lambda tx: cancel(tx, owner, job)


def deleting(owner, job):
    return lambda tx: delete(tx, owner, job)


def giving_back(claim):
    return lambda tx: steps.give_back(tx, claim)


def completing(claim):
    return partial(
        packaging.complete, claim=claim, archive_key="k", archive_bytes=1, archive_sha256="0" * 64, archive_ttl=3600
    )


def packaged(bench, job):
    """The claim of its package step."""
    for _ in range(2):
        bench.checkpoint(bench.claim(job))
    claim = bench.claim(job)
    assert claim.kind is StepKind.PACKAGE
    return claim


def outcomes(bench, job):
    return [item.outcome for item in bench.items(job)]


def test_two_last_checkpoints_make_one_package_step(bench, job, race):
    first, second = bench.claim(job), bench.claim(job)

    race(checkpointing(bench, first), checkpointing(bench, second)).result()

    found = bench.job(job)
    assert (found.rendered, found.steps_left, found.phase) == (4, 0, Phase.PACKAGING)
    assert [step.kind for step in bench.steps(job)].count(StepKind.PACKAGE) == 1


def test_a_checkpoint_that_waits_for_its_own_lost_one_changes_nothing(bench, job, race):
    claim = bench.claim(job)

    race(checkpointing(bench, claim), checkpointing(bench, claim)).result()

    found = bench.job(job)
    assert (found.rendered, found.steps_left) == (2, 1)


def test_two_workers_that_want_the_same_job_get_different_steps(bench, job, race):
    late = race(claiming(job), claiming(job))

    assert late.result().ordinal == 2
    assert [step.state for step in bench.steps(job)[1:]] == [StepState.CLAIMED] * 2


def test_a_claim_that_comes_before_a_cancel_is_stopped(bench, queued, owner, race):
    late = race(claiming(queued), cancelling(owner, queued))

    assert late.result().state is JobState.CANCELLING


def test_a_claim_that_comes_after_a_cancel_gets_nothing(bench, queued, owner, race):
    late = race(cancelling(owner, queued), claiming(queued))

    assert late.result() is None
    assert bench.job(queued).state is JobState.CANCELLED
    assert [step.attempt for step in bench.steps(queued)] == [0]


def test_a_plan_that_comes_before_a_cancel_leaves_steps_that_nobody_gets(bench, queued, owner, race):
    claim = bench.claim(queued)

    race(lambda tx: plan(tx, claim, max_items=10), cancelling(owner, queued)).result()

    assert bench.job(queued).state is JobState.CANCELLED
    with bench.database.transaction() as tx:
        assert claiming(queued)(tx) is None


def test_a_plan_that_comes_after_a_cancel_is_lost(bench, queued, owner, race):
    claim = bench.claim(queued)

    late = race(cancelling(owner, queued), lambda tx: plan(tx, claim, max_items=10))

    with pytest.raises(ClaimLost):
        late.result()
    assert (bench.job(queued).state, bench.items(queued)) == (JobState.CANCELLING, [])


def test_a_checkpoint_that_comes_before_a_cancel_stays(bench, job, owner, race):
    claim = bench.claim(job)

    race(checkpointing(bench, claim), cancelling(owner, job)).result()

    assert (bench.job(job).state, bench.job(job).rendered) == (JobState.CANCELLED, 2)


def test_the_last_checkpoint_before_a_cancel_packages_nothing(bench, job, owner, race):
    bench.checkpoint(bench.claim(job))
    claim = bench.claim(job)

    race(checkpointing(bench, claim), cancelling(owner, job)).result()

    assert (bench.job(job).state, bench.job(job).rendered) == (JobState.CANCELLED, 4)
    with bench.database.transaction() as tx:
        assert claiming(job)(tx) is None


def test_a_checkpoint_that_comes_after_a_cancel_is_lost(bench, job, owner, race):
    claim = bench.claim(job)

    late = race(cancelling(owner, job), checkpointing(bench, claim))

    with pytest.raises(ClaimLost):
        late.result()
    assert (bench.job(job).state, bench.job(job).rendered) == (JobState.CANCELLING, 0)
    assert outcomes(bench, job) == [Outcome.PENDING] * 4


def test_a_completion_that_comes_before_a_cancel_wins(bench, job, owner, race):
    claim = packaged(bench, job)

    late = race(completing(claim), cancelling(owner, job))

    with pytest.raises(AlreadyFinished) as refused:
        late.result()
    assert refused.value.state is JobState.COMPLETED
    assert (bench.job(job).state, bench.job(job).archive_key) == (JobState.COMPLETED, "k")


def test_a_completion_that_comes_after_a_cancel_loses(bench, job, owner, race):
    claim = packaged(bench, job)

    late = race(cancelling(owner, job), completing(claim))

    with pytest.raises(ClaimLost):
        late.result()
    with bench.database.transaction() as tx:
        steps.give_back(tx, claim)
    assert (bench.job(job).state, bench.job(job).archive_key) == (JobState.CANCELLED, None)


def test_a_reopening_that_comes_after_a_cancel_is_lost(bench, job, owner, race):
    claim = packaged(bench, job)
    render = bench.steps(job)[1]

    late = race(cancelling(owner, job), lambda tx: packaging.reopen_steps(tx, claim, step_ids=[render.id]))

    with pytest.raises(ClaimLost):
        late.result()
    assert outcomes(bench, job) == [Outcome.RENDERED] * 4


def test_a_late_settle_loses_to_the_rescue_of_its_step(bench, job, race):
    stale = bench.claim(job)
    bench.lapse(stale)

    late = race(claiming(job), checkpointing(bench, stale))

    with pytest.raises(ClaimLost):
        late.result()
    step = bench.steps(job)[1]
    assert (step.id, step.state, step.attempt, bench.job(job).rendered) == (stale.step_id, StepState.CLAIMED, 2, 0)


def test_a_rescue_that_comes_after_the_late_settle_takes_another_step(bench, job, race):
    late_holder = bench.claim(job)
    bench.lapse(late_holder)

    rescuer = race(checkpointing(bench, late_holder), claiming(job)).result()

    assert (rescuer.ordinal, rescuer.attempt) == (2, 1)
    assert bench.job(job).rendered == 2


def test_a_step_that_is_being_rescued_is_not_called_lost_before_it_is(bench, job):
    stale = bench.claim(job)
    bench.lapse(stale)

    if bench.url.startswith("postgresql"):  # SQLite has one writer: a renewal waits for the rescue
        with bench.database.transaction() as rescuing:
            claiming(job)(rescuing)
            with bench.database.transaction() as renewing:
                undecided = steps.renew(renewing, [stale], lease=60)
        assert undecided == set()
    else:
        bench.claim(job)

    with bench.database.transaction() as tx:
        assert steps.renew(tx, [stale], lease=60) == {stale}


def test_a_lapsed_claim_that_is_renewed_meanwhile_is_not_taken(bench, job, race):
    claims = [bench.claim(job), bench.claim(job)]
    for claim in claims:
        bench.lapse(claim)

    late = race(lambda tx: steps.renew(tx, claims, lease=60), claiming(job))

    assert late.result() is None
    assert [step.attempt for step in bench.steps(job)] == [1, 1, 1]


def test_a_holder_that_wakes_after_its_cancel_was_forced_writes_nothing(bench, job, owner, race):
    claim = bench.claim(job)
    with bench.database.transaction() as tx:
        cancel(tx, owner, job)

    late = race(lambda tx: force_cancel(tx, job), checkpointing(bench, claim))

    with pytest.raises(ClaimLost):
        late.result()
    assert (bench.job(job).state, bench.steps(job)[1].attempt) == (JobState.CANCELLED, claim.attempt + 1)
    assert outcomes(bench, job) == [Outcome.PENDING] * 4


def test_a_holder_that_stops_while_its_cancel_is_forced_ends_it_once(bench, job, owner, race):
    claim = bench.claim(job)
    with bench.database.transaction() as tx:
        cancel(tx, owner, job)

    late = race(giving_back(claim), lambda tx: force_cancel(tx, job))

    assert late.result() is False
    assert (bench.job(job).state, bench.steps(job)[1].attempt) == (JobState.CANCELLED, claim.attempt)


def test_a_cancel_is_not_forced_while_its_job_is_at_work(bench, job, race):
    claim = bench.claim(job)

    late = race(checkpointing(bench, claim), lambda tx: force_cancel(tx, job))

    assert late.result() is False
    assert (bench.job(job).state, bench.job(job).rendered) == (JobState.PROCESSING, 2)


def failed_under_its_worker(bench, job):
    """The claim of a step whose job has ended meanwhile."""
    claim = bench.claim(job)
    bench.sql("UPDATE jobs SET progressed_at = started_at")
    with bench.database.transaction() as tx:
        assert expire_running(tx, run_ttl=-3600) == [job]
    return claim


@pytest.mark.parametrize("write", [checkpointing, lambda _bench, claim: giving_back(claim)])
def test_a_late_worker_finds_nothing_of_a_deleted_job(bench, job, owner, race, write):
    claim = failed_under_its_worker(bench, job)

    late = race(deleting(owner, job), write(bench, claim))

    with pytest.raises(ClaimLost):
        late.result()
    assert (bench.steps(job), bench.items(job)) == ([], [])


def test_a_delete_that_waits_for_a_late_worker_leaves_nothing(bench, job, owner, race):
    claim = failed_under_its_worker(bench, job)

    assert race(giving_back(claim), deleting(owner, job)).result() is True

    assert (bench.steps(job), bench.items(job)) == ([], [])


def retrying(owner, parent):
    return lambda tx: retry(tx, owner, parent, key="again", checkpoint_every=2, max_items=10)


def test_a_retry_that_comes_after_the_delete_of_its_parent_finds_nothing(bench, job, owner, race):
    failed_under_its_worker(bench, job)

    late = race(deleting(owner, job), retrying(owner, job))

    assert late.result() is None
    with bench.database.reading() as tx:
        assert jobs.find_active_job(tx, owner) is None


def test_a_delete_that_comes_after_a_retry_is_refused_until_that_has_its_items(bench, job, owner, race):
    failed_under_its_worker(bench, job)

    late = race(retrying(owner, job), deleting(owner, job))

    with pytest.raises(RetryUnplanned):
        late.result()
    with bench.database.reading() as tx:
        child = jobs.find_active_job(tx, owner)
    claim = bench.claim(child.id)
    with bench.database.transaction() as tx:
        plan(tx, claim, max_items=10)
    with bench.database.transaction() as tx:
        assert deleting(owner, job)(tx) is True
    assert [item.ordinal for item in bench.items(child.id)] == [1, 2, 3, 4]


def test_a_delete_that_comes_before_completion_is_refused(bench, job, owner, race):
    claim = packaged(bench, job)

    late = race(lambda tx: jobs.lock_job(tx, job), deleting(owner, job))

    with pytest.raises(StillActive):
        late.result()
    with bench.database.transaction() as tx:
        completing(claim)(tx)
    assert bench.job(job).state is JobState.COMPLETED


def test_a_job_that_completes_while_its_lifetime_ends_is_completed(bench, job, race):
    claim = packaged(bench, job)
    bench.sql("UPDATE jobs SET progressed_at = started_at")

    late = race(completing(claim), lambda tx: expire_running(tx, run_ttl=-3600))

    assert late.result() == []
    assert bench.job(job).state is JobState.COMPLETED


def test_a_job_whose_lifetime_ended_is_not_completed(bench, job, race):
    claim = packaged(bench, job)
    bench.sql("UPDATE jobs SET progressed_at = started_at")

    late = race(lambda tx: expire_running(tx, run_ttl=-3600), completing(claim))

    with pytest.raises(ClaimLost):
        late.result()
    assert (bench.job(job).state, bench.job(job).failure_code) == (JobState.FAILED, "run_expired")
