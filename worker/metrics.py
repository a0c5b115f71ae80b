"""What a worker process counts and measures. Labels are bounded: kinds, outcomes, codes; never an id."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram

from app.artifacts.store import ArtifactsUnavailable
from app.database.steps import Claim, ClaimLost
from app.database.transactions import Ended
from app.documents.contract import RenderedDocument, UnrenderableDocument
from app.documents.counting import Children
from app.documents.errors import (
    ChildDied,
    DocumentTimedOut,
    OutOfMemory,
    PoolClosed,
    RenderCancelled,
    RendererUnavailable,
)
from app.documents.pool import RendererPool
from app.domain.codes import ItemCode, WaitingFor
from app.domain.lifecycle import StepKind
from worker.asking import LostBells
from worker.insisting import DATABASE_AWAY

PREFIX: Final = "sheaf_"

MOMENTS: Final = (0.01, 0.05, 0.1, 0.25, 0.5, 1.0, 1.5, 2.0, 3.0, 5.0, 10.0, 30.0, 60.0)
"""Seconds: for documents, beats and cancels, whose promise is two."""
WAITS: Final = (0.05, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 16.0, 30.0, 60.0, 300.0, 900.0, 3600.0)
"""Seconds: from a bell that was heard to a step of an hour; 16 is a lease and what comes after it."""


class WorkerSignals:
    """Measurements of one worker process on `registry`. Any thread may call; nothing here blocks or raises."""

    def __init__(self, registry: CollectorRegistry) -> None:
        def counter(name: str, tells: str, *labels: str) -> Counter:
            return Counter(PREFIX + name, tells, labels, registry=registry)

        def gauge(name: str, tells: str) -> Gauge:
            return Gauge(PREFIX + name, tells, registry=registry)

        def histogram(name: str, tells: str, *labels: str, buckets: tuple[float, ...]) -> Histogram:
            return Histogram(PREFIX + name, tells, labels, registry=registry, buckets=buckets)

        self.registry = registry
        self._queue_wait = histogram("queue_wait_seconds", "From an export's create to its first claim.", buckets=WAITS)
        self._step_wait = histogram(
            "step_wait_seconds", "From the moment that a step can be claimed to its first claim.", "kind", buckets=WAITS
        )
        self._lapses = histogram(
            "lapse_seconds",
            "From the end of a lost holder's lease to the claim that takes over.",
            "kind",
            buckets=WAITS,
        )
        self._steps = histogram("step_seconds", "Work on a step, by how it ended.", "kind", "outcome", buckets=WAITS)
        self._documents = histogram(
            "document_seconds", "Work on a document, by what became of it.", "outcome", buckets=MOMENTS
        )
        self._strikes = counter("strikes_total", "Children lost to a document, by how.", "code")
        self._cancels = histogram(
            "cancel_stop_seconds", "From a cancel's request to the end of all work.", buckets=MOMENTS
        )
        self._forced = counter("cancels_forced_total", "Cancels that were ended over their holders' heads.")
        self._ended = counter("jobs_ended_total", "Exports that this process ended.", "state", "code")
        self._late = histogram("pulse_late_seconds", "How much later than meant a pulse came.", buckets=MOMENTS)
        self._database = counter("database_errors_total", "Errors of the database, by their class.", "error")
        self._sweeps = counter("sweeps_total", "Rounds of the reconciler, by how they ended.", "outcome")
        self._swept = counter("swept_total", "What the reconciler ended or removed.", "what")
        self._elected = gauge("reconciler_elected", "1 in the process that sweeps for all.")
        self._claims = gauge("claims_held", "Steps under work in this process.")
        self._slots = gauge("worker_slots", "Steps that this process works on at a time.")
        self._able = gauge("worker_can_render", "1 if fonts and children are there.")
        # a rate needs its zero: what may never happen stands there from the start
        for kind in StepKind:
            self._lapses.labels(kind)
            self._steps.labels(kind, "settled")
        for code in (ItemCode.RENDER_CRASHED, ItemCode.RENDER_OUT_OF_MEMORY, ItemCode.RENDER_TIMEOUT):
            self._strikes.labels(code)

    def watch(self, *, held: Callable[[], int], slots: int, can_render: Callable[[], bool], pool: RendererPool) -> None:
        """Ask the parts of the process each time that somebody looks."""
        self._claims.set_function(held)
        self._slots.set(slots)
        self._able.set_function(lambda: float(can_render()))
        self.registry.register(Children(pool, prefix=PREFIX))

    def watch_bells(self, lost: Callable[[], int]) -> None:
        """Ask how many connections to Redis were lost, each time that somebody looks."""
        self.registry.register(LostBells(lost))

    def claimed(self, claim: Claim) -> None:
        """A step was claimed."""
        if claim.waited is None:
            return
        if claim.is_rescue:
            self._lapses.labels(claim.kind).observe(claim.waited)
            return
        self._step_wait.labels(claim.kind).observe(claim.waited)
        if claim.kind is StepKind.PLAN:
            self._queue_wait.observe(claim.waited)

    @contextmanager
    def step(self, kind: StepKind) -> Iterator[None]:
        """Measure the work on a step; whatever it raises tells how it ended."""
        began = time.monotonic()
        outcome = "bug"
        try:
            yield
            outcome = "settled"
        except Exception as error:
            outcome = _outcome(error)
            raise
        finally:
            self._steps.labels(kind, outcome).observe(time.monotonic() - began)

    def document(self, outcome: RenderedDocument | UnrenderableDocument, *, seconds: float) -> None:
        """A document was made or given up, after all its tries."""
        if isinstance(outcome, RenderedDocument):
            word = "rendered"
        else:
            word = outcome.code if outcome.code in set(ItemCode) else "other"
        self._documents.labels(word).observe(seconds)

    def struck(self, code: str) -> None:
        """An item got a strike."""
        self._strikes.labels(code).inc()

    def job_ended(self, end: Ended) -> None:
        """A transaction of this process ended a job, and is committed."""
        self._ended.labels(end.state, end.failure_code or "").inc()
        if end.cancel_seconds is not None:
            self._cancels.observe(end.cancel_seconds)

    def cancel_forced(self) -> None:
        """A cancel was ended over its holders' heads."""
        self._forced.inc()

    def beat(self, *, late: float) -> None:
        """The pulse came that many seconds later than it was meant to."""
        self._late.observe(max(0.0, late))

    def database_failed(self, error: str) -> None:
        """The database gave an error of this class."""
        self._database.labels(error).inc()

    @contextmanager
    def sweep(self) -> Iterator[None]:
        """Count a round of the reconciler by how it ended."""
        outcome = "bug"
        try:
            yield
            outcome = "done"
        except (*DATABASE_AWAY, ArtifactsUnavailable):
            outcome = "missed"
            raise
        finally:
            self._sweeps.labels(outcome).inc()

    def elected(self, is_elected: bool) -> None:
        """Whether this process is the one that sweeps."""
        self._elected.set(float(is_elected))

    def swept(self, **counts: int) -> None:
        """A round ended or removed that many of each."""
        for what, count in counts.items():
            self._swept.labels(what).inc(count)


_ENDS: Final[tuple[tuple[tuple[type[Exception], ...], str], ...]] = (
    ((ClaimLost,), "lost"),
    ((RenderCancelled, PoolClosed), "stopped"),
    ((RendererUnavailable,), WaitingFor.RENDERER),
    ((ChildDied, DocumentTimedOut, OutOfMemory), "child_lost"),
    (DATABASE_AWAY, "database"),
)
"""What ends the work on a step, and the word for it; all else is a bug."""


def _outcome(error: Exception) -> str:
    if isinstance(error, ArtifactsUnavailable):
        return WaitingFor.DISK if error.disk_full else WaitingFor.ARTIFACTS
    return next((word for kinds, word in _ENDS if isinstance(error, kinds)), "bug")
