"""What the reconciler finds: lifetimes that ended, records and versions that nobody needs, orphans."""

from uuid import uuid4

import pytest
from sqlalchemy import select

from app.artifacts.keys import ArtifactKey
from app.database import sweeping
from app.database.hosts import fleet, sign_in, sign_out, take_lease
from app.database.jobs import find_job
from app.database.orders import Stored, store_orders
from app.database.packaging import complete
from app.database.tables import OrderRow, OrderVersionRow
from app.domain.lifecycle import JobState
from tests.database.conftest import content
from worker.reconciler import is_orphan


@pytest.fixture
def sweep(bench):
    def run(statement, **options):
        with bench.database.transaction() as tx:
            return statement(tx, **options)

    return run


def host(bench, *, able=True):
    with bench.database.transaction() as tx:
        sign_in(tx, host_id=uuid4(), name="h:1", can_render=able, slots=1)


def test_a_queue_expires_only_while_a_host_lives(bench, sweep):
    bench.load(content(1))
    old, young = bench.submit(), bench.submit()
    bench.sql("UPDATE jobs SET created_at = '2026-01-01T00:00:00.000000Z' WHERE owner = 'owner-1'")

    assert sweep(sweeping.expire_queued, queue_ttl=3600) == []
    host(bench)
    assert sweep(sweeping.expire_queued, queue_ttl=3600) == [old]

    assert (bench.job(old).state, bench.job(old).failure_code) == (JobState.FAILED, "queue_expired")
    assert bench.job(young).state is JobState.QUEUED


def test_a_run_expires_by_its_last_checkpoint(bench, sweep):
    bench.load(*(content(shop_id) for shop_id in range(1, 5)))
    stuck = bench.planned(every=2)
    bench.sql("UPDATE jobs SET progressed_at = '2026-01-01T00:00:00.000000Z'")
    moving = bench.planned(every=2)

    assert sweep(sweeping.expire_running, run_ttl=3600) == [stuck]

    assert (bench.job(stuck).state, bench.job(stuck).failure_code) == (JobState.FAILED, "run_expired")
    assert bench.job(moving).state is JobState.PROCESSING


def completed(bench):
    bench.load(content(1))
    job = bench.planned()
    bench.checkpoint(bench.claim(job))
    claim = bench.claim(job)
    key = str(ArtifactKey(job, claim.step_id, claim.attempt))
    with bench.database.transaction() as tx:
        complete(tx, claim, archive_key=key, archive_bytes=1, archive_sha256="0" * 64, archive_ttl=3600)
    return job, ArtifactKey(job, claim.step_id, claim.attempt)


def test_a_record_is_kept_and_then_goes_with_its_items(bench, sweep):
    job, _key = completed(bench)

    assert sweep(sweeping.forget_old_jobs, record_ttl=3600) == []
    bench.sql("UPDATE jobs SET finished_at = '2026-01-01T00:00:00.000000Z'")
    assert sweep(sweeping.forget_old_jobs, record_ttl=3600) == [job]

    assert bench.items(job) == bench.steps(job) == []
    with bench.database.reading() as tx:
        assert find_job(tx, bench.owner(), job) is None


def test_a_version_stays_while_it_is_the_newest_or_an_item_needs_it(bench, sweep):
    bench.load(content(1, payload='{"id":1,"v":1}'))
    bench.planned()
    bench.load(content(1, payload='{"id":1,"v":2}'))
    bench.load(content(1, payload='{"id":1,"v":3}'))

    assert sweep(sweeping.forget_old_versions) == 1  # the second one: nobody rendered it
    assert sweep(sweeping.forget_old_versions) == 0
    bench.sql("DELETE FROM items")
    assert sweep(sweeping.forget_old_versions) == 1


FIRST, SECOND = (content(1, payload=f'{{"id":1,"v":{version}}}') for version in (1, 2))


def newest(bench):
    with bench.database.reading() as tx:
        return list(
            tx.scalars(select(OrderVersionRow.payload).join(OrderRow, OrderRow.version_id == OrderVersionRow.id))
        )


@pytest.mark.parametrize("migrated_url", ["postgresql"], indirect=True)
def test_a_version_that_an_import_brings_back_is_not_swept_meanwhile(bench, sweep):
    bench.load(FIRST)
    bench.load(SECOND)

    with bench.database.transaction() as tx:
        store_orders(tx, bench.store_id, [FIRST])
        assert sweep(sweeping.forget_old_versions) == 0

    assert newest(bench) == [FIRST.payload]


def test_an_import_that_comes_during_a_sweep_makes_the_version_anew(bench, contender):
    bench.load(FIRST)
    bench.load(SECOND)

    with bench.database.transaction() as tx:
        assert sweeping.forget_old_versions(tx) == 1
        late = contender(lambda tx: store_orders(tx, bench.store_id, [FIRST]))

    assert late.result() == {1: Stored.CHANGED}
    assert newest(bench) == [FIRST.payload]


def judged(bench, job, *, grace=3600.0):
    """Judges an artifact of the job as a sweep does."""

    def judge(key):
        with bench.database.reading() as tx:
            return is_orphan(key, sweeping.living_artifacts(tx, [key.step], archive_grace=grace).get(job))

    return judge


def test_objects_of_an_active_job_are_orphans_below_the_steps_attempt(bench):
    bench.load(content(1))
    job = bench.planned()
    first = bench.claim(job)
    bench.lapse(first)
    second = bench.claim(job)

    orphan = judged(bench, job)

    assert orphan(ArtifactKey(job, first.step_id, first.attempt))
    assert not orphan(ArtifactKey(job, second.step_id, second.attempt))
    assert orphan(ArtifactKey(job, 10_000, 1))


def test_an_ended_job_keeps_its_archive_until_the_grace_after_its_expiry(bench):
    job, archive = completed(bench)

    assert not judged(bench, job)(archive)
    assert judged(bench, job)(ArtifactKey(job, archive.step_id - 1, 1))
    bench.sql("UPDATE jobs SET expires_at = '2026-01-01T00:00:00.000000Z'")
    assert judged(bench, job)(archive)
    assert not judged(bench, job, grace=1e9)(archive)
    assert judged(bench, uuid4())(archive)


def test_one_process_at_a_time_holds_a_duty(bench, sweep):
    first, second = uuid4(), uuid4()

    assert sweep(take_lease, name="reconciler", holder=first, seconds=60)
    assert not sweep(take_lease, name="reconciler", holder=second, seconds=60)
    assert sweep(take_lease, name="reconciler", holder=first, seconds=-1)
    assert sweep(take_lease, name="reconciler", holder=second, seconds=60)


def test_a_fleet_is_who_has_shown_signs_of_life(bench):
    host(bench, able=False)
    gone = uuid4()
    with bench.database.transaction() as tx:
        sign_in(tx, host_id=gone, name="h:2", can_render=True, slots=1)
        assert (fleet(tx).alive, fleet(tx).able) == (2, 1)
        sign_out(tx, gone)
        assert (fleet(tx).alive, fleet(tx).able) == (1, 0)
    bench.sql("UPDATE hosts SET seen_at = '2026-01-01T00:00:00.000000Z'")
    with bench.database.reading() as tx:
        assert fleet(tx).alive == 0
