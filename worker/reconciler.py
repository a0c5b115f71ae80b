"""The slower sweep that finds what was dropped: one elected process, idempotent, bounded."""

import threading
import time
from collections.abc import Sequence
from itertools import islice
from typing import Final

import structlog

from app.artifacts.keys import ArtifactKey
from app.artifacts.store import ArtifactsUnavailable
from app.artifacts.sweeping import Found, found_in
from app.database.hosts import forget_dead_hosts, take_lease
from app.database.lifetimes import are_lifetimes_paused, database_time, note_sweep, pause_lifetimes
from app.database.settings import forget_old_settings
from app.database.sweeping import (
    Living,
    expire_queued,
    expire_running,
    forget_old_jobs,
    forget_old_versions,
    living_artifacts,
)
from app.domain.lifetimes import Span
from worker.clocks import ClockWatch
from worker.context import WorkerContext
from worker.insisting import DATABASE_AWAY

log = structlog.get_logger()

LEASE: Final = "reconciler"
LEASE_SWEEPS: Final = 3
"""How many sweeps a lease lasts; then another process takes over."""
CLOSE_SWEEPS: Final = LEASE_SWEEPS + 3
"""Within so many periods sweeps follow each other closely: a dead one's lease, one's own period, and air."""
BATCH: Final = 500
"""Artifacts that are judged by one question: a job may have ten thousand of them, and a store has many jobs."""


class Reconciler:
    """One thread; `sweep` is one sweep of it."""

    def __init__(self, context: WorkerContext) -> None:
        self._context = context
        self._clock = ClockWatch()
        self._held_at = 0.0
        self._ending = threading.Event()
        self._thread = threading.Thread(target=self._run, name="reconciler", daemon=True)

    def start(self) -> None:
        """Begin to sweep."""
        self._thread.start()

    def end(self) -> None:
        """Stop after the sweep under way."""
        self._ending.set()
        self._thread.join(timeout=10)

    def _run(self) -> None:
        while not self._ending.wait(self._context.limits.sweep):
            try:
                with self._context.signals.sweep():
                    self.sweep()
            except (*DATABASE_AWAY, ArtifactsUnavailable) as error:
                log.warning("sweep.missed", error=type(error).__name__)
            except Exception:
                log.exception("sweep.bug")  # the next sweep begins anew

    def sweep(self) -> None:
        """One sweep, if this process holds the reconciler's lease or can take it and the clock can be believed."""
        limits = self._context.limits
        self._watch_clock()
        idle = self._hold()
        if idle is None:
            return
        with self._context.database.transaction() as tx:
            expired = expire_queued(tx, queue_ttl=limits.queue_ttl, idle=idle)
            expired += expire_running(tx, run_ttl=limits.run_ttl, idle=idle)
        with self._context.database.transaction() as tx:
            forgotten = forget_old_jobs(tx, record_ttl=limits.record_ttl)
        with self._context.database.transaction() as tx:
            versions = forget_old_versions(tx)
            forget_old_settings(tx, record_ttl=limits.record_ttl)
            forget_dead_hosts(tx)
        orphans = self._sweep_artifacts()
        self._context.signals.swept(expired=len(expired), forgotten=len(forgotten), versions=versions, orphans=orphans)
        if expired or forgotten or versions or orphans:
            log.info("sweep.done", expired=len(expired), forgotten=len(forgotten), versions=versions, orphans=orphans)

    def _watch_clock(self) -> None:
        """Every process looks, elected or not, so that whoever is elected next knows of a jump before its time."""
        context = self._context
        asked = time.monotonic()
        with context.database.reading() as tx:
            told = database_time(tx)
        jump = self._clock.jump(asked=asked, told=told, answered=time.monotonic())
        if jump is None:
            return
        # it may be set back as suddenly, and what has ended by then cannot be taken back
        log.warning("clock.jumped", seconds=round(jump.total_seconds()))
        with context.database.transaction() as tx:
            pause_lifetimes(tx, holder=context.host_id, seconds=context.limits.lease)

    def _hold(self) -> Sequence[Span] | None:
        """Take or keep the lease and say which spans count for no lifetime; None if this is not our time to sweep."""
        context, limits = self._context, self._context.limits
        idle = None
        with context.database.transaction() as tx:
            is_elected = take_lease(tx, LEASE, holder=context.host_id, seconds=LEASE_SWEEPS * limits.sweep)
            if is_elected:
                longest = max(limits.queue_ttl, limits.run_ttl)
                noted = note_sweep(tx, closely=CLOSE_SWEEPS * limits.sweep, keep=longest)
                idle = None if are_lifetimes_paused(tx) else noted
        self._held_at = time.monotonic()
        context.signals.elected(is_elected)
        return idle

    def _sweep_artifacts(self) -> int:
        context = self._context
        # in a place that is not ours every object would be an orphan
        context.artifacts.check()
        swept = 0
        artifacts = found_in(context.artifacts)
        while batch := list(islice(artifacts, BATCH)):
            if time.monotonic() - self._held_at > context.limits.sweep and self._hold() is None:
                break
            # asked after listing: what the answer does not know was there before it
            with context.database.reading() as tx:
                living = living_artifacts(
                    tx, {one.key.step for one in batch}, archive_grace=context.limits.archive_grace
                )
            orphans = [one.name for one in batch if is_left(one, living.get(one.key.job_id))]
            for name in orphans:
                context.artifacts.delete(name)
            swept += len(orphans)
        return swept


def is_left(found: Found, job: Living | None) -> bool:
    """Whether nobody needs this object, or nobody can still be writing this part: of an ended job nobody writes."""
    if found.is_part and job is not None and not job.is_active:
        return True
    return is_orphan(found.key, job)


def is_orphan(key: ArtifactKey, job: Living | None) -> bool:
    """Whether nobody can need this object: decided by the database's rows, never by age."""
    if job is None:
        return True
    if not job.is_active:
        return str(key) != job.archive_key
    attempt = job.attempts.get(key.step_id)
    # a step that is gone was a package step before a reopening
    return attempt is None or key.attempt < attempt
