"""The life of an export job: its states, what may move it, and its steps.

`TRANSITIONS` is the one table of the rule. The SQL guards, the CHECK constraints, the README
diagram and the tests are made from it.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Final


class JobState(StrEnum):
    """Where a job stands."""

    QUEUED = "queued"
    PROCESSING = "processing"
    CANCELLING = "cancelling"
    COMPLETED = "completed"
    FAILED = "failed"
    CANCELLED = "cancelled"

    @property
    def is_active(self) -> bool:
        """The job still moves; at most one active job exists per owner."""
        return self in ACTIVE

    @property
    def is_terminal(self) -> bool:
        """The job never changes its state again."""
        return self not in ACTIVE


class Phase(StrEnum):
    """What a processing job is doing; follows the kind of its current steps."""

    SELECTING = "selecting"
    RENDERING = "rendering"
    PACKAGING = "packaging"


class JobEvent(StrEnum):
    """What can happen to a job."""

    STARTED = "started"
    WITHDRAWN = "withdrawn"
    CANCEL_REQUESTED = "cancel_requested"
    CANCELLED = "cancelled"
    COMPLETED = "completed"
    FAILED = "failed"


class StepKind(StrEnum):
    """What a worker claims: one plan, many renders, one package."""

    PLAN = "plan"
    RENDER = "render"
    PACKAGE = "package"


class StepState(StrEnum):
    """Where a step stands."""

    READY = "ready"
    CLAIMED = "claimed"
    DONE = "done"


class Outcome(StrEnum):
    """What became of one item. Every item of a completed job has left `pending`."""

    PENDING = "pending"
    RENDERED = "rendered"
    FAILED = "failed"
    SKIPPED = "skipped"


@dataclass(frozen=True, slots=True)
class Transition:
    """The states an event may find a job in, and the state it leaves it in."""

    sources: frozenset[JobState]
    target: JobState


def _from(*sources: JobState, to: JobState) -> Transition:
    return Transition(frozenset(sources), to)


ACTIVE: Final = frozenset({JobState.QUEUED, JobState.PROCESSING, JobState.CANCELLING})

TRANSITIONS: Final[Mapping[JobEvent, Transition]] = {
    # A worker claimed the plan step: someone has begun.
    JobEvent.STARTED: _from(JobState.QUEUED, to=JobState.PROCESSING),
    # The owner asked before anyone began: it ends at once.
    JobEvent.WITHDRAWN: _from(JobState.QUEUED, to=JobState.CANCELLED),
    # The owner asked while workers hold steps: they stop first.
    JobEvent.CANCEL_REQUESTED: _from(JobState.PROCESSING, to=JobState.CANCELLING),
    # The last claim ended, or the grace passed and the attempts were raised.
    JobEvent.CANCELLED: _from(JobState.CANCELLING, to=JobState.CANCELLED),
    # Every item is accounted for and the archive is stored.
    JobEvent.COMPLETED: _from(JobState.PROCESSING, to=JobState.COMPLETED),
    # Nothing could be rendered, or a lifetime ended.
    JobEvent.FAILED: _from(JobState.QUEUED, JobState.PROCESSING, to=JobState.FAILED),
}


class IllegalTransition(Exception):
    """An event met a job in a state that it cannot move."""

    def __init__(self, state: JobState, event: JobEvent) -> None:
        super().__init__(f"{event} cannot happen to a job that is {state}")
        self.state = state
        self.event = event


def next_state(state: JobState, event: JobEvent) -> JobState:
    """The state after `event`; raises `IllegalTransition` if the table does not allow it."""
    transition = TRANSITIONS[event]
    if state not in transition.sources:
        raise IllegalTransition(state, event)
    return transition.target
