"""The claims that this process holds, each with the handle that stops its work."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from uuid import UUID

from app.database.steps import Claim
from app.documents.cancellation import Cancellation


@dataclass(frozen=True, slots=True)
class Held:
    """A claim under work."""

    claim: Claim
    stop: Cancellation


class HeldClaims:
    """The claims under work in this process; any thread may ask and stop."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._held: dict[Claim, Held] = {}

    @contextmanager
    def holding(self, claim: Claim) -> Iterator[Cancellation]:
        """Hold a claim while the block works on it."""
        held = Held(claim, Cancellation())
        with self._lock:
            self._held[claim] = held
        try:
            yield held.stop
        finally:
            with self._lock:
                del self._held[claim]

    def claims(self) -> list[Claim]:
        """The claims held now."""
        with self._lock:
            return list(self._held)

    def stop_claim(self, claim: Claim) -> None:
        """Stop the work on one claim, if it is still held."""
        self._stop([held for held in self._all() if held.claim == claim])

    def stop_job(self, job_id: UUID) -> None:
        """Stop all work on one job: its children end at once."""
        self._stop([held for held in self._all() if held.claim.job_id == job_id])

    def stop_all(self) -> None:
        """Stop all work."""
        self._stop(self._all())

    def _all(self) -> list[Held]:
        with self._lock:
            return list(self._held.values())

    def _stop(self, wanted: list[Held]) -> None:
        # outside the lock: stopping kills a child and wakes the thread that holds the claim
        for held in wanted:
            held.stop.cancel()
