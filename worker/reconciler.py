"""The slower sweep that finds what was dropped: one elected process, idempotent, bounded."""

import threading
import time
from typing import Final

import structlog

from app.artifacts.keys import ArtifactKey
from app.artifacts.store import ArtifactsUnavailable
from app.artifacts.sweeping import jobs_with_artifacts
from app.database.hosts import forget_dead_hosts, take_lease
from app.database.sweeping import (
    Living,
    expire_queued,
    expire_running,
    forget_old_jobs,
    forget_old_versions,
    living_artifacts,
)
from worker.context import WorkerContext
from worker.insisting import DATABASE_AWAY

log = structlog.get_logger()

LEASE: Final = "reconciler"
PART_AGE: Final = 24 * 3600.0
"""Seconds after which an unfinished file has no living writer: longer than any step may take."""


class Reconciler:
    """One thread; `sweep` is one sweep of it."""

    def __init__(self, context: WorkerContext) -> None:
        self._context = context
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
        """One sweep, if this process holds the reconciler's lease or can take it."""
        context, limits = self._context, self._context.limits
        with context.database.transaction() as tx:
            is_elected = take_lease(tx, LEASE, holder=context.host_id, seconds=3 * limits.sweep)
        context.signals.elected(is_elected)
        if not is_elected:
            return
        with context.database.transaction() as tx:
            expired = expire_queued(tx, queue_ttl=limits.queue_ttl) + expire_running(tx, run_ttl=limits.run_ttl)
        with context.database.transaction() as tx:
            forgotten = forget_old_jobs(tx, record_ttl=limits.record_ttl)
        with context.database.transaction() as tx:
            versions = forget_old_versions(tx)
            forget_dead_hosts(tx)
        orphans = self._sweep_artifacts()
        context.signals.swept(expired=len(expired), forgotten=len(forgotten), versions=versions, orphans=orphans)
        if expired or forgotten or versions or orphans:
            log.info("sweep.done", expired=len(expired), forgotten=len(forgotten), versions=versions, orphans=orphans)

    def _sweep_artifacts(self) -> int:
        context = self._context
        swept = context.artifacts.sweep_parts(older_than=PART_AGE, now=time.time())
        for job_id, keys in jobs_with_artifacts(context.artifacts):
            # asked after listing: what the answer does not know was there before it
            with context.database.reading() as tx:
                living = living_artifacts(tx, [job_id], archive_grace=context.limits.archive_grace).get(job_id)
            for key in keys:
                if is_orphan(key, living):
                    context.artifacts.delete(str(key))
                    swept += 1
        return swept


def is_orphan(key: ArtifactKey, job: Living | None) -> bool:
    """Whether nobody can need this object: decided by the database's rows, never by age."""
    if job is None:
        return True
    if not job.is_active:
        return str(key) != job.archive_key
    attempt = job.attempts.get(key.step_id)
    # a step that is gone was a package step before a reopening
    return attempt is None or key.attempt < attempt
