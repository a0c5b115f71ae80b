"""The reconciler's own work: who sweeps, when lifetimes may end, and what it must not touch."""

from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from uuid import uuid4

import pytest
from structlog.testing import capture_logs

from app.artifacts.folder import MARKER, PART, FolderStore
from app.artifacts.keys import ArtifactKey
from app.artifacts.store import ArtifactsUnavailable
from app.cli import composing
from app.database import lifetimes
from app.database.hosts import sign_in
from app.database.packaging import complete
from app.domain.lifecycle import JobState
from app.messaging.broker import memory_broker
from app.settings import Settings
from tests.database.conftest import content
from worker.reconciler import Reconciler

LONG_AGO = "'2026-01-01T00:00:00.000000Z'"


@pytest.fixture
def artifacts(tmp_path):
    store = FolderStore(tmp_path / "artifacts")
    store.prepare()
    return FolderStore(store.root, store.identify())


@pytest.fixture
def host(bench, artifacts):
    """Makes the reconcilers of worker processes, none of which has a thread that runs."""
    contexts = []

    def make(**settings) -> Reconciler:
        worker = composing.build_worker(
            Settings(artifacts=str(artifacts.root), **settings),
            database=bench.database,
            artifacts=artifacts,
            broker=memory_broker(),
        )
        contexts.append(worker.context)
        with bench.database.transaction() as tx:
            sign_in(tx, host_id=worker.context.host_id, name="h:1", can_render=True, slots=1)
        return worker.reconciler

    yield make
    for context in contexts:
        context.pool.close()


@pytest.fixture
def overdue(bench):
    """Makes a queued job that has waited far too long."""
    bench.load(content(1))

    def make():
        job = bench.submit()
        bench.sql(f"UPDATE jobs SET created_at = {LONG_AGO}")
        return job

    return make


def set_forward(reconciler: Reconciler, **by: float) -> None:
    """Let the database's clock have been set forward since this process looked at it."""
    told, answered = reconciler._clock._last
    reconciler._clock._last = (told - timedelta(**by), answered)


def test_what_is_overdue_ends(host, overdue, bench):
    job = overdue()

    host().sweep()

    assert (bench.job(job).state, bench.job(job).failure_code) == (JobState.FAILED, "queue_expired")


def test_one_of_many_sweeps_until_its_lease_ends(host, overdue, bench):
    first, second = host(), host()
    first.sweep()
    job = overdue()

    second.sweep()
    assert bench.job(job).state is JobState.QUEUED

    bench.sql(f"UPDATE leases SET lease_until = {LONG_AGO}")
    second.sweep()
    assert bench.job(job).state is JobState.FAILED


def test_a_clock_that_was_set_ends_nothing_for_a_lease(host, overdue, bench):
    reconciler = host()
    reconciler.sweep()
    job = overdue()
    set_forward(reconciler, days=2)

    with capture_logs() as logs:
        reconciler.sweep()
        reconciler.sweep()
    assert bench.job(job).state is JobState.QUEUED
    assert [(line["event"], line["seconds"]) for line in logs] == [("clock.jumped", 2 * 24 * 3600)]

    bench.sql(f"UPDATE leases SET lease_until = {LONG_AGO} WHERE name = '{lifetimes.PAUSE}'")
    reconciler.sweep()
    assert bench.job(job).state is JobState.FAILED


def test_a_jump_that_another_process_found_counts_for_whoever_is_elected_next(host, overdue, bench):
    elected, waiting = host(), host()
    elected.sweep()
    waiting.sweep()
    job = overdue()
    set_forward(waiting, hours=1)

    waiting.sweep()
    host(sweep_seconds=30).sweep()
    elected.sweep()

    assert bench.job(job).state is JobState.QUEUED


def stored(artifacts, job, *, step: int = 1) -> ArtifactKey:
    key = ArtifactKey(job, step, 1)
    artifacts.put(str(key), lambda file: file.write(b"documents"))
    return key


def test_orphans_go_and_what_is_not_ours_by_name_stays(host, artifacts):
    orphan = stored(artifacts, uuid4())
    (artifacts.root / "notes").mkdir()
    (artifacts.root / "notes" / "readme.txt").write_text("mine")

    host().sweep()

    assert not list(artifacts.keys(str(orphan)))
    assert (artifacts.root / "notes" / "readme.txt").exists()


def left(artifacts, claim) -> Path:
    """What a writer that was killed leaves of its object."""
    part = artifacts.root / f"{ArtifactKey(claim.job_id, claim.step_id, claim.attempt)}.{uuid4().hex}{PART}"
    part.parent.mkdir(exist_ok=True)
    part.write_bytes(b"half")
    return part


def test_what_a_killed_writer_left_goes_once_nobody_can_still_write_it(host, artifacts, bench):
    bench.load(content(1))
    working, done = bench.planned(), bench.planned()
    first = bench.claim(working)
    bench.lapse(first)
    parts = [left(artifacts, first), left(artifacts, bench.claim(working))]
    bench.checkpoint(bench.claim(done))
    package = bench.claim(done)
    parts.append(left(artifacts, package))
    archive = stored(artifacts, done, step=package.step_id)
    reconciler = host()

    def kept():
        reconciler.sweep()
        return [part.exists() for part in parts]

    assert kept() == [False, True, True]
    with bench.database.transaction() as tx:
        complete(tx, package, archive_key=str(archive), archive_bytes=9, archive_sha256="0" * 64, archive_ttl=3600)
    assert kept() == [False, True, False]
    bench.sql(f"UPDATE jobs SET progressed_at = {LONG_AGO}")
    assert kept() == [False, False, False]
    assert list(artifacts.keys()) == [str(archive)]


def test_another_installations_folder_is_not_swept(host, artifacts):
    """A share that was mounted in the wrong place: to us all that it holds is orphaned."""
    reconciler = host()
    stored(artifacts, uuid4())
    (artifacts.root / MARKER).write_text(str(uuid4()))

    with pytest.raises(ArtifactsUnavailable):
        reconciler.sweep()

    assert len(list(artifacts.keys())) == 1


def test_a_sweep_that_lost_its_lease_stops(host, artifacts, bench):
    reconciler, other = host(sweep_seconds=1e-6), host()
    stored(artifacts, uuid4())
    listed = artifacts.keys

    def keys():
        # while we list, the lease runs out and another host takes it
        bench.sql(f"UPDATE leases SET lease_until = {LONG_AGO}")
        assert other._hold() is not None
        return listed()

    slow = replace(reconciler._context, artifacts=_Listing(artifacts, keys))
    reconciler._context = slow
    reconciler.sweep()

    assert len(list(artifacts.keys())) == 1


class _Listing:
    """The artifacts, with something happening while they are listed."""

    def __init__(self, artifacts, keys):
        self._artifacts = artifacts
        self.keys = keys

    def __getattr__(self, name):
        return getattr(self._artifacts, name)


def test_a_sweep_judges_what_it_has_listed_before_it_lists_more(host, artifacts, monkeypatch):
    """A store of ten thousand archives, or a job of ten thousand steps, is never in memory at once."""
    reconciler, orphans = host(), [str(ArtifactKey(uuid4(), 1, 1)) for _ in range(7)]
    for name in orphans:
        artifacts.put(name, lambda file: file.write(b"x"))
    monkeypatch.setattr("worker.reconciler.BATCH", 3)
    left = []

    def listed():
        for name in orphans:
            left.append(len(list(FolderStore(artifacts.root).keys())))
            yield name

    monkeypatch.setattr(reconciler._context.artifacts, "keys", listed)
    reconciler.sweep()

    assert left == [7, 7, 7, 4, 4, 4, 1]
