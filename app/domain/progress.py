"""How far a job is, without lying."""

from dataclasses import dataclass
from math import ceil

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


def percent(counts: Counts, state: JobState) -> int:
    """⌊99 · settled/requested⌋, and 100 only when the archive can be downloaded."""
    if state is JobState.COMPLETED:
        return 100
    if counts.requested == 0:
        return 0
    return 99 * counts.settled // counts.requested


def seconds_left(counts: Counts, *, elapsed: float) -> int | None:
    """Whole seconds until the last item, at the rate of rendering so far; None before the first document.

    `elapsed` counts from planning. What planning settled at once (skips, unknown orders) says
    nothing of the rate.
    """
    if counts.rendered == 0 or elapsed <= 0:
        return None
    return round((counts.requested - counts.settled) * elapsed / counts.rendered)


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
