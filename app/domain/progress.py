"""How far a job is, without lying."""

from dataclasses import dataclass
from enum import StrEnum
from math import ceil
from typing import Final

from app.domain.lifecycle import JobState


@dataclass(frozen=True, slots=True)
class Counts:
    """The items of a job by outcome."""

    requested: int
    rendered: int
    failed: int
    skipped: int

    @property
    def settled(self) -> int:
        """Items that will not change any more."""
        return self.rendered + self.failed + self.skipped

    @property
    def is_complete(self) -> bool:
        """Every requested item is accounted for."""
        return self.settled == self.requested


def percent(counts: Counts, state: JobState, *, floor: int = 0) -> int:
    """⌊99 · settled/requested⌋, and 100 only when the archive can be downloaded.

    `floor` is the most that was ever settled: documents that are made once more are no step back.
    """
    if state is JobState.COMPLETED:
        return 100
    if counts.requested == 0:
        return 0
    return 99 * max(counts.settled, floor) // counts.requested


def documents_per_second(counts: Counts, *, elapsed: float) -> float | None:
    """The rate of rendering since planning, `elapsed` seconds ago; None before the first document."""
    return counts.rendered / elapsed if counts.rendered and elapsed > 0 else None


def seconds_left(counts: Counts, *, elapsed: float) -> int | None:
    """Whole seconds until the last item, at the rate of rendering so far; None before the first document.

    `elapsed` counts from planning. What planning settled at once (skips, unknown orders) says
    nothing of the rate.
    """
    rate = documents_per_second(counts, elapsed=elapsed)
    return None if rate is None else round((counts.requested - counts.settled) / rate)


def seconds_until_start(position: int, *, free_slots: int, steps_per_second: float) -> int | None:
    """Whole seconds until the queued job at this position is claimed; None if nothing tells the queue's pace.

    Each free slot takes one at once. Then each step that ends frees a slot, and a queued job comes before
    the next step of any running one.
    """
    behind = position - free_slots
    if behind <= 0:
        return 0
    # less than a step a day is no pace
    return ceil(behind / steps_per_second) if steps_per_second * 86_400 >= 1 else None


@dataclass(frozen=True, slots=True)
class Work:
    """Documents that were rendered, and the seconds that their exports took from planning to their ends."""

    documents: int
    seconds: float


class PaceBasis(StrEnum):
    """Where an estimate comes from."""

    RECENT_EXPORTS = "recent_exports"
    DEFAULT = "default"


@dataclass(frozen=True, slots=True)
class Pace:
    """Documents per second, above zero, and how anybody knows."""

    documents_per_second: float
    basis: PaceBasis

    def seconds_for(self, documents: int) -> int:
        """Whole seconds that so many documents take from planning to the archive."""
        return ceil(documents / self.documents_per_second)


DEFAULT_PACE: Final = 5.0
"""Documents per second and slot of a worker: invoices of a page or two on one core, archive included."""

TELLING: Final = 20
"""Documents that tell a pace; of fewer most is the time that any export takes."""


def pace_of(work: Work, *, slots: int) -> Pace:
    """The pace of that work, else the default one of so many slots; with none alive, of one."""
    if work.documents >= TELLING and work.seconds > 0:
        return Pace(work.documents / work.seconds, PaceBasis.RECENT_EXPORTS)
    return Pace(DEFAULT_PACE * max(1, slots), PaceBasis.DEFAULT)
