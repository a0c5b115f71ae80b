"""Works on whatever is claimable, fairest first, on at most as many steps at a time as there are slots."""

import threading
import traceback
from contextlib import AbstractContextManager, nullcontext
from typing import Final
from uuid import uuid4

import structlog

from app.artifacts.faults import disk_faults
from app.artifacts.store import ArtifactsUnavailable
from app.database.steps import Claim, ClaimLost, candidates, claim_step, give_back
from app.database.tables import JobRow
from app.documents.cancellation import Cancellation
from app.documents.errors import (
    ChildDied,
    DocumentTimedOut,
    OutOfMemory,
    PoolClosed,
    RenderCancelled,
    RendererUnavailable,
)
from app.domain.codes import WaitingFor
from app.domain.lifecycle import JobState, StepKind
from app.domain.traces import trace_id_of
from worker.ability import Ability
from worker.claims import HeldClaims
from worker.context import WorkerContext
from worker.insisting import DATABASE_AWAY
from worker.steps.package import run_package
from worker.steps.plan import run_plan
from worker.steps.render import run_render

log = structlog.get_logger()

GROUND_FAULT_PAUSE: Final = 5.0
"""Seconds before a step is tried again whose ground (disk, artifacts, renderer) was away."""
CHILD_LOST_PAUSE: Final = 1.0
"""Seconds before a package step is tried again whose child died."""
CHILD_LOST_LAPSES: Final = 5
"""What the death of a package step's child weighs against it: at ten in all its job fails."""
BUG_PAUSE: Final = 30.0
"""Seconds before a step is tried again that met a bug of ours; `run_ttl` ends it if nobody mends it."""


class Runner:
    """The slots of one worker process. Bells and the pulse both call `work_until_idle`."""

    def __init__(self, context: WorkerContext, held: HeldClaims, ability: Ability) -> None:
        self._context = context
        self._ability = ability
        self._held = held
        self._slots = threading.BoundedSemaphore(context.limits.slots)
        self._ending = threading.Event()
        self._idle = threading.Condition()
        self._busy = 0
        self._is_hurried = False

    @property
    def has_free_slot(self) -> bool:
        """Whether another step could be worked on now."""
        return self._may_claim and self._busy < self._context.limits.slots

    @property
    def _may_claim(self) -> bool:
        return bool(self._ability.can_render) and not self._ending.is_set()

    def work_until_idle(self) -> None:
        """Claim and run steps of any job until nothing is claimable or this process is to end.

        Returns at once when every slot is busy: those will go on until nothing is left, so bells
        cannot multiply.
        """
        if not self._slots.acquire(blocking=False):
            return
        with self._idle:
            self._busy += 1
        try:
            while self._may_claim and (claim := self._claim_next()) is not None:
                with _traced(claim):
                    self._run(claim)
        except DATABASE_AWAY as error:
            log.warning("database.away", error=type(error).__name__)  # the pulse tries again
        finally:
            with self._idle:
                self._busy -= 1
                self._idle.notify_all()
            self._slots.release()

    def hurry(self) -> None:
        """Let `end` wait no longer for steps to finish."""
        with self._idle:
            self._is_hurried = True
            self._idle.notify_all()

    def end(self, *, grace: float) -> None:
        """Claim nothing more; give steps `grace` seconds to finish, then hand them back."""
        self._ending.set()
        with self._idle:
            self._idle.wait_for(lambda: self._busy == 0 or self._is_hurried, timeout=grace)
        self._held.stop_all()
        with self._idle:
            self._idle.wait_for(lambda: self._busy == 0, timeout=5)

    def _claim_next(self) -> Claim | None:
        context = self._context
        with context.database.reading() as tx:
            jobs = candidates(tx)
        for job_id in jobs:
            with context.database.transaction() as tx:
                claim = claim_step(tx, job_id, holder=uuid4(), host=context.host, lease=context.limits.lease)
            if claim is not None:
                context.signals.claimed(claim)
                return claim
        return None

    def _run(self, claim: Claim) -> None:
        fields = {"job_id": str(claim.job_id), "step_id": claim.step_id, "kind": claim.kind, "attempt": claim.attempt}
        log.debug("step.claimed", **fields)
        with self._held.holding(claim) as stop:
            try:
                with self._context.signals.step(claim.kind), disk_faults():
                    self._work(claim, stop)
            except ClaimLost:
                log.info("step.lost", **fields)
                self._give_back(claim)
            except (RenderCancelled, PoolClosed):
                log.info("step.stopped", **fields)
                self._give_back(claim)
            except ArtifactsUnavailable as error:
                waiting = WaitingFor.DISK if error.disk_full else WaitingFor.ARTIFACTS
                self._ground_fault(claim, waiting, error)
            except RendererUnavailable as error:
                self._ground_fault(claim, WaitingFor.RENDERER, error)
            except (ChildDied, DocumentTimedOut, OutOfMemory) as error:
                # packaging's child: killed from outside once is calm the next time; again and again is not
                log.warning("step.child_lost", error=str(error), **fields)
                self._give_back(
                    claim, seconds=CHILD_LOST_PAUSE, waiting_for=WaitingFor.RENDERER, lapses=CHILD_LOST_LAPSES
                )
            except DATABASE_AWAY as error:
                log.warning("step.unsettled", error=type(error).__name__, **fields)
            except Exception as error:  # noqa: BLE001 - a bug in one step must not end the worker; it is logged whole
                log.error("step.bug", error=type(error).__name__, trace=traceback.format_exc(), **fields)  # noqa: TRY400
                self._give_back(claim, seconds=BUG_PAUSE)
            else:
                log.debug("step.settled", **fields)

    def _work(self, claim: Claim, stop: Cancellation) -> None:
        match claim.kind:
            case StepKind.PLAN:
                run_plan(self._context, claim, stop)
            case StepKind.RENDER:
                run_render(self._context, claim, stop)
            case StepKind.PACKAGE:
                run_package(self._context, claim, stop)
                self._clear(claim)

    def _ground_fault(self, claim: Claim, waiting_for: WaitingFor, error: Exception) -> None:
        log.warning("ground.away", waiting_for=waiting_for, error=str(error), job_id=str(claim.job_id))
        self._give_back(claim, seconds=GROUND_FAULT_PAUSE, waiting_for=waiting_for)

    def _give_back(
        self, claim: Claim, *, seconds: float = 0.0, waiting_for: str | None = None, lapses: int = 0
    ) -> None:
        try:
            with self._context.database.transaction() as tx:
                give_back(tx, claim, seconds=seconds, waiting_for=waiting_for, lapses=lapses)
        except ClaimLost:
            log.debug("step.not_ours", step_id=claim.step_id)  # a newer attempt has it, or its job ended
        except DATABASE_AWAY as error:
            log.warning("step.not_given_back", step_id=claim.step_id, error=type(error).__name__)  # it will lapse
        self._clear(claim)

    def _clear(self, claim: Claim) -> None:
        """Remove the artifacts of a job that has ended; the reconciler does it if we cannot."""
        try:
            with self._context.database.reading() as tx:
                job = tx.get(JobRow, claim.job_id)
                is_over = job is None or job.state.is_terminal
                keep = job.archive_key if job is not None and job.state is JobState.COMPLETED else None
            if is_over:
                self._context.artifacts.clear(str(claim.job_id), keep=keep)
        except (*DATABASE_AWAY, ArtifactsUnavailable) as error:
            log.warning("artifacts.left", job_id=str(claim.job_id), error=type(error).__name__)


def _traced(claim: Claim) -> AbstractContextManager[None]:
    """Let every log line of this step's work tell the trace of the request that asked for it."""
    if claim.trace_parent is None:
        return nullcontext()
    return structlog.contextvars.bound_contextvars(trace_id=trace_id_of(claim.trace_parent))
