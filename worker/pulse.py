"""The half-second rhythm of a worker process: hear cancels, renew, look for work.

It runs outside the job mutex, in a thread of its own, and never waits for a step: what needs a
job's lock has another thread.
"""

import threading
import time
from collections.abc import Collection, Mapping, Sequence
from typing import Final
from uuid import UUID

import structlog

from app.artifacts.store import ArtifactsUnavailable
from app.database.hosts import sign_in, sign_out
from app.database.jobs import cancelling_jobs, force_cancel
from app.database.standing import end_in_the_way, server_process
from app.database.steps import Claim, candidates, lost_claims, renew
from worker.ability import Ability
from worker.claims import HeldClaims
from worker.context import WorkerContext
from worker.insisting import DATABASE_AWAY
from worker.runner import Runner

log = structlog.get_logger()

SIGN_IN_EVERY: Final = 2.0
"""Seconds between signs of life; a host counts as gone after 15."""
RENEWALS: Final = 10
"""How often a lease is renewed within its length: what a beat reads costs little, what it writes waits for a disk."""
LOOK_AGAIN: Final = 0.2
"""Seconds until a cancel that is being forced is looked at again."""


class Pulse:
    """One thread; `beat` is one beat of it."""

    def __init__(self, context: WorkerContext, held: HeldClaims, runner: Runner, ability: Ability) -> None:
        self._context = context
        self._held = held
        self._runner = runner
        self._ability = ability
        self._ending = threading.Event()
        self._thread = threading.Thread(target=self._run, name="pulse", daemon=True)
        self._signed_in_at = float("-inf")
        self._renewed_at = float("-inf")
        self._forcing = threading.Lock()
        self._waiting: int | None = None
        """The server process of the transaction that forces a cancel."""

    def start(self) -> None:
        """Begin to beat."""
        self._thread.start()

    def end(self) -> None:
        """Stop beating and sign the host out."""
        self._ending.set()
        self._thread.join(timeout=10)
        try:
            with self._context.database.transaction() as tx:
                sign_out(tx, self._context.host_id)
        except DATABASE_AWAY as error:
            log.warning("host.not_signed_out", error=type(error).__name__)

    def _run(self) -> None:
        pause = 0.0  # the first beat shows at once that this host lives
        due_at = time.monotonic()
        while not self._ending.wait(pause):
            pause, now = self._context.limits.pulse, time.monotonic()
            self._context.signals.beat(late=now - due_at)
            due_at = now + pause
            try:
                pause = min(pause, self.beat())
                due_at = now + pause
            except DATABASE_AWAY as error:
                log.warning("pulse.missed", error=type(error).__name__)
            except Exception:
                log.exception("pulse.bug")  # the process lives on its pulse: it must beat again

    def beat(self) -> float:
        """One beat; says in how many seconds another is wanted at the latest. Raises the database's errors."""
        context = self._context
        claims = self._held.claims()
        # first, and only read: nothing that is locked keeps the child of a cancelled job alive
        with context.database.reading() as tx:
            cancelling = cancelling_jobs(tx)
            lost = lost_claims(tx, claims)
            has_work = self._runner.has_free_slot and bool(candidates(tx, limit=1))
        next_due = self._heed_cancels(cancelling)
        self._stop(lost)
        self._renew(claims)
        self._sign_in()
        if has_work:
            # one more pair of hands a beat: a claim takes far less than half a second
            threading.Thread(target=self._runner.work_until_idle, name="pulse-work", daemon=True).start()
        return next_due

    def _sign_in(self) -> None:
        now = time.monotonic()
        # a host that is still finding out counts as able: it lives, and refusing exports for it would be rash
        can_render = self._ability.can_render is not False
        if now - self._signed_in_at < SIGN_IN_EVERY:
            return
        context = self._context
        with context.database.transaction() as tx:
            sign_in(
                tx,
                host_id=context.host_id,
                name=context.host,
                can_render=can_render,
                slots=context.limits.slots,
            )
        self._signed_in_at = now

    def _renew(self, claims: Sequence[Claim]) -> None:
        lease, now = self._context.limits.lease, time.monotonic()
        if not claims or now - self._renewed_at < lease / RENEWALS:
            return
        with self._context.database.transaction() as tx:
            lost = renew(tx, claims, lease=lease)
        self._renewed_at = now
        self._stop(lost)

    def _stop(self, lost: Collection[Claim]) -> None:
        for claim in lost:
            self._held.stop_claim(claim)

    def _heed_cancels(self, cancelling: Mapping[UUID, float]) -> float:
        """Stop the work on jobs that are being cancelled; says how many seconds are left until one is overdue."""
        grace = self._context.limits.cancel_grace
        for job_id in cancelling:
            self._held.stop_job(job_id)
        overdue = [job_id for job_id, seconds in cancelling.items() if seconds >= grace]
        # one thread at a time: a job's lock may be held by somebody who stands still
        if overdue and self._forcing.acquire(blocking=False):
            threading.Thread(target=self._force, args=(overdue,), name="force", daemon=True).start()
        elif overdue:
            self._clear_the_way()
        due = (grace - seconds if seconds < grace else LOOK_AGAIN for seconds in cancelling.values())
        return min(due, default=float("inf"))

    def _clear_the_way(self) -> None:
        """A cancel is overdue since the last beat at least: end what stands still in its way."""
        waiting = self._waiting
        if waiting is None:
            return
        with self._context.database.reading() as tx:
            ended = end_in_the_way(tx, waiting)
        if ended:
            log.warning("cancel.way_cleared", transactions=ended)

    def _force(self, overdue: Sequence[UUID]) -> None:
        try:
            forced = [job_id for job_id in overdue if self._is_forced(job_id)]
        finally:
            self._forcing.release()
        for job_id in forced:
            log.warning("cancel.forced", job_id=str(job_id))
            self._context.signals.cancel_forced()
            try:
                self._context.artifacts.clear(str(job_id), keep=None)
            except ArtifactsUnavailable as error:
                log.warning("artifacts.left", job_id=str(job_id), error=str(error))  # the reconciler finds them

    def _is_forced(self, job_id: UUID) -> bool:
        try:
            with self._context.database.transaction() as tx:
                self._waiting = server_process(tx)
                return force_cancel(tx, job_id)
        except DATABASE_AWAY as error:
            log.warning("cancel.not_forced", job_id=str(job_id), error=type(error).__name__)  # the next beat tries
            return False
        finally:
            self._waiting = None
