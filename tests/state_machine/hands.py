"""Workers' hands: each claim that was ever given out, with what its holder has made of it.

A hand may stay still for ever, as a dead worker does, or write long after others took over, as a zombie does.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from hashlib import sha256

from sqlalchemy.orm import Session

from app.artifacts.keys import ArtifactKey
from app.database.items import ItemResult, checkpoint, list_items, pending_items, stored_steps
from app.database.packaging import complete, reopen_steps
from app.database.planning import plan
from app.database.steps import Claim
from app.database.sweeping import living_artifacts
from app.domain.lifecycle import Outcome, StepKind
from tests.state_machine.passing import ARCHIVE_GRACE, ARCHIVE_TTL
from worker.reconciler import is_orphan


@dataclass
class Shelf:
    """Where artifacts are: the marks of the documents in each, by key. Create-only, as the real ones are."""

    objects: dict[str, frozenset[str]] = field(default_factory=dict)

    def put(self, key: str, marks: Iterable[str]) -> None:
        """Store an object; one that is there already stays."""
        self.objects.setdefault(key, frozenset(marks))

    def remove(self, key: str) -> None:
        """Take an object away, if it is there."""
        self.objects.pop(key, None)

    def sweep(self, tx: Session) -> None:
        """Remove orphans by the reconciler's rule."""
        keys = [key for text in self.objects if (key := ArtifactKey.parse(text)) is not None]
        living = living_artifacts(tx, [key.step for key in keys], archive_grace=ARCHIVE_GRACE)
        for key in keys:
            if is_orphan(key, living.get(key.job_id)):
                self.remove(str(key))


@dataclass(repr=False)
class Hand:
    """One claim and its holder's work."""

    claim: Claim
    is_ready: bool = False
    """Its work is done; only the write is left."""
    results: list[ItemResult] = field(default_factory=list)
    bad_steps: list[int] = field(default_factory=list)
    key: str | None = None
    """The artifact that it has stored."""

    def __repr__(self) -> str:
        return f"Hand({self.claim.kind} step {self.claim.step_id} attempt {self.claim.attempt})"

    def work(self, tx: Session, shelf: Shelf, *, failing: frozenset[int] = frozenset()) -> None:
        """Do what a worker does before its write: read the rows, make the documents, store the artifact."""
        match self.claim.kind:
            case StepKind.RENDER:
                self._render(tx, shelf, failing)
            case StepKind.PACKAGE:
                self._package(tx, shelf)
            case StepKind.PLAN:
                pass
        self.is_ready = True

    def _render(self, tx: Session, shelf: Shelf, failing: frozenset[int]) -> None:
        key = self._own_key()
        for item in pending_items(tx, self.claim):
            if item.ordinal in failing:
                self.results.append(ItemResult(item.ordinal, Outcome.FAILED, code="render_error", reason="no"))
            else:
                mark = f"{key}:{item.ordinal}"
                self.results.append(ItemResult(item.ordinal, Outcome.RENDERED, pages=1, bytes=1, sha256=mark))
        marks = [result.sha256 for result in self.results if result.sha256 is not None]
        if marks:
            self.key = key
            shelf.put(key, marks)

    def _package(self, tx: Session, shelf: Shelf) -> None:
        items = list_items(tx, self.claim.job_id, after=0, limit=100)
        for step in stored_steps(tx, self.claim.job_id):
            marks = {
                item.sha256
                for item in items
                if item.outcome is Outcome.RENDERED and step.first_item <= item.ordinal <= step.last_item
            }
            if not marks <= shelf.objects.get(step.artifact or "", frozenset()):
                self.bad_steps.append(step.step_id)
        if not self.bad_steps:
            self.key = self._own_key()
            shelf.put(self.key, [item.sha256 for item in items if item.sha256 is not None])

    def _own_key(self) -> str:
        return str(ArtifactKey(self.claim.job_id, self.claim.step_id, self.claim.attempt))

    def settle(self, tx: Session) -> None:
        """The write that ends the claim; raises `ClaimLost`."""
        match self.claim.kind:
            case StepKind.PLAN:
                plan(tx, self.claim, max_items=MAX_ITEMS)
            case StepKind.RENDER:
                checkpoint(tx, self.claim, self.results, artifact=self.key)
            case StepKind.PACKAGE if self.bad_steps:
                reopen_steps(tx, self.claim, step_ids=self.bad_steps)
            case StepKind.PACKAGE:
                assert self.key is not None
                digest = sha256(self.key.encode()).hexdigest()
                complete(
                    tx,
                    self.claim,
                    archive_key=self.key,
                    archive_bytes=1,
                    archive_sha256=digest,
                    archive_ttl=ARCHIVE_TTL,
                )


MAX_ITEMS = 100
