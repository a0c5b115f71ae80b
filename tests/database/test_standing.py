"""A frozen process that holds what a cancel needs is let go of in time, and nobody else is."""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from uuid import UUID

import psycopg
import pytest
from sqlalchemy.exc import OperationalError

from app.cli import composing
from app.database.jobs import force_cancel, lock_job, request_cancel
from app.database.standing import end_in_the_way
from app.database.steps import renew, settle
from app.domain.lifecycle import JobState
from app.messaging.broker import memory_broker
from app.settings import Settings
from tests.database.conftest import content
from tests.database.contending import Contender
from tests.waiting import until
from worker.pulse import Pulse

pytestmark = pytest.mark.parametrize("migrated_url", ["postgresql"], indirect=True)


@pytest.fixture
def forcing(bench) -> Iterator[Callable[[UUID], Contender]]:
    """Forces a job's cancel in a transaction of its own, as the pulse of another host does."""
    with ThreadPoolExecutor(2) as threads:
        yield lambda job: Contender(bench.database, lambda tx: force_cancel(tx, job), threads)


@pytest.fixture
def pulse(bench, tmp_path) -> Iterator[Pulse]:
    """That of a worker process, beaten by the test."""
    settings = Settings(artifacts=str(tmp_path), database_url=bench.url)
    worker = composing.build_worker(
        settings,
        database=bench.database,
        artifacts=composing.open_artifact_store(settings, bench.database),
        broker=memory_broker(),
    )
    yield worker.pulse
    worker.context.pool.close()


@pytest.fixture
def claim(bench):
    """A claim of a render step, whose job's cancel is overdue."""
    bench.load(content(1))
    claim = bench.claim(bench.planned())
    with bench.database.transaction() as tx:
        request_cancel(tx, lock_job(tx, claim.job_id))
    bench.sql("UPDATE jobs SET cancel_requested_at = cancel_requested_at - interval '1 hour'")
    return claim


def test_a_holder_that_is_frozen_inside_a_transaction_keeps_no_cancel_waiting(bench, claim, pulse):
    def be_frozen():
        with bench.database.transaction() as tx:
            renew(tx, [claim], lease=60)
            until(lambda: pulse.beat() and bench.job(claim.job_id).state is JobState.CANCELLED)
            settle(tx, claim)

    with pytest.raises(OperationalError, match="terminating connection"):
        be_frozen()

    assert bench.job(claim.job_id).state is JobState.CANCELLED
    (step,) = [step for step in bench.steps(claim.job_id) if step.id == claim.step_id]
    assert (step.attempt, step.holder) == (claim.attempt + 1, None)


def test_who_stands_still_elsewhere_or_is_none_of_ours_is_left_alone(bench, claim, forcing):
    other = bench.planned()
    with (
        bench.database.transaction() as bystander,
        psycopg.connect(bench.url.replace("+psycopg", ""), application_name="prompt") as stranger,
    ):
        lock_job(bystander, other)
        stranger.execute("UPDATE steps SET lapses = lapses WHERE id = %s", [claim.step_id])
        late = forcing(claim.job_id)
        late.wait_until_blocked_by(stranger.info.backend_pid)

        assert ended(bench, late) == 0

    assert late.result() is True


def test_who_has_just_spoken_is_left_alone(bench, claim, forcing):
    with bench.database.transaction() as holder:
        renew(holder, [claim], lease=60)
        late = forcing(claim.job_id)
        late.wait_until_blocked(by=holder)

        assert ended(bench, late, seconds=60) == 0

    assert late.result() is True


def test_of_those_who_wait_for_each_other_the_one_that_stands_still_goes(bench, claim, forcing):
    hosts, told = [], []

    def be_frozen():
        with bench.database.transaction() as tx:
            renew(tx, [claim], lease=60)
            hosts.append(forcing(claim.job_id))
            hosts[0].wait_until_blocked(by=tx)
            hosts.append(forcing(claim.job_id))
            hosts[1].wait_until_blocked_by(hosts[0].server_process)
            told.append(ended(bench, hosts[1]))
            settle(tx, claim)

    with pytest.raises(OperationalError, match="terminating connection"):
        be_frozen()

    # looked at out here: what is raised in there ends in a rollback, which is refused as well
    assert told == [1]
    assert [host.result() for host in hosts] == [True, False]


def ended(bench, late: Contender, *, seconds: float = 0.0) -> int:
    with bench.database.reading() as tx:
        return end_in_the_way(tx, late.server_process, seconds=seconds)
