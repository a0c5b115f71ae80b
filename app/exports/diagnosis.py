"""Why an export stands where it stands, in plain sentences, and what an operator can do about it."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Final

from app.database.hosts import Fleet
from app.database.operating import HeldStep, OpenSteps
from app.database.steps import MAX_LAPSES
from app.database.tables import JobRow
from app.domain.lifecycle import JobState

LONG: Final = 900.0
"""Seconds without a checkpoint after which somebody should look: ten documents at their limit of a minute take 600."""
SLACK: Final = 2.0
"""Seconds that a healthy host may take for what it does in each beat of its pulse."""
MANY_LAPSES: Final = 5


class Trouble(StrEnum):
    """What a finding is about."""

    NO_WORKER = "no_worker"
    NO_RENDERER = "no_renderer"
    WAITING = "waiting"
    HANDED_BACK = "handed_back"
    LAPSED = "lapsed"
    HOST_SILENT = "host_silent"
    NO_PROGRESS = "no_progress"
    MANY_LAPSES = "many_lapses"
    BEHIND = "behind"
    NOT_TAKEN = "not_taken"
    CANCEL_OVERDUE = "cancel_overdue"


@dataclass(frozen=True, slots=True)
class Finding:
    """One reason; `is_stuck` if nothing of ours is going to resolve it soon."""

    trouble: Trouble
    sentence: str
    advice: str
    is_stuck: bool


@dataclass(frozen=True, slots=True)
class Circumstances:
    """What a diagnosis looks at beside the job and its steps."""

    at: datetime
    hosts: Fleet
    live_claims: int
    position: int | None
    """In the queue; None unless queued."""
    cancel_grace: float


def diagnose(job: JobRow, steps: OpenSteps, around: Circumstances) -> list[Finding]:
    """What keeps an active job, the worst first; empty for one that goes on, and for one that has ended."""
    if not job.state.is_active:
        return []
    found = [
        *_hosts(around),
        *_cancel(job, around),
        *_claims(job, steps.held),
        *_waits(job, steps),
        *_progress(job, steps, around),
        *_lapses(steps),
        *_queue(job, around),
    ]
    return sorted(found, key=lambda finding: not finding.is_stuck)


def _hosts(around: Circumstances) -> Iterator[Finding]:
    if around.hosts.alive == 0:
        yield Finding(
            Trouble.NO_WORKER,
            "No worker has shown a sign of life for 15 s.",
            "Start one: sheaf worker (sheaf serve for a data folder)",
            is_stuck=True,
        )
    elif around.hosts.able == 0:
        yield Finding(
            Trouble.NO_RENDERER,
            f"No live worker can render ({around.hosts.alive} live).",
            "On a worker host: sheaf doctor",
            is_stuck=True,
        )


def _cancel(job: JobRow, around: Circumstances) -> Iterator[Finding]:
    if job.state is not JobState.CANCELLING or job.cancel_requested_at is None:
        return
    waits = (around.at - job.cancel_requested_at).total_seconds()
    if waits > around.cancel_grace + SLACK:
        yield Finding(
            Trouble.CANCEL_OVERDUE,
            f"Its cancel was asked for {_seconds(waits)} ago and no worker has ended it.",
            f"Force it: sheaf jobs fail {job.id} --reason …",
            is_stuck=True,
        )


def _claims(job: JobRow, held: Sequence[HeldStep]) -> Iterator[Finding]:
    for step in held:
        name = f"Step {step.step_id} ({step.kind})"
        if step.lease_left < 0:
            yield Finding(
                Trouble.LAPSED,
                f"{name} was held by {step.host}, whose lease ran out {_seconds(-step.lease_left)} ago; "
                "nobody has taken over yet.",
                f"Add a worker or slots; or hand it back: sheaf jobs release {job.id}",
                is_stuck=-step.lease_left > SLACK,
            )
        elif not step.is_host_alive:
            yield Finding(
                Trouble.HOST_SILENT,
                f"{name} is held by {step.host}, which shows no sign of life; its lease ends in "
                f"{_seconds(step.lease_left)}, then another takes over.",
                f"At once: sheaf jobs release {job.id}",
                is_stuck=False,
            )


def _waits(job: JobRow, steps: OpenSteps) -> Iterator[Finding]:
    if job.state is JobState.CANCELLING:
        return
    until = "" if steps.next_in is None else f"; the next try is in {_seconds(steps.next_in)}"
    if job.waiting_for is not None:
        yield Finding(
            Trouble.WAITING,
            f"It waits for the {job.waiting_for}{until}.",
            f"Mend that: sheaf doctor on the worker's host. Then at once: sheaf jobs release {job.id}",
            is_stuck=True,
        )
    elif steps.delayed:
        yield Finding(
            Trouble.HANDED_BACK,
            f"{steps.delayed} of its steps were handed back after an error{until}.",
            f"The workers' logs say why (step.bug, step.child_lost). At once: sheaf jobs release {job.id}",
            is_stuck=False,
        )


def _progress(job: JobRow, steps: OpenSteps, around: Circumstances) -> Iterator[Finding]:
    if job.state is not JobState.PROCESSING or job.progressed_at is None:
        return
    since = (around.at - job.progressed_at).total_seconds()
    if since < LONG:
        return
    holders = [step for step in steps.held if step.lease_left >= 0]
    doing = f"{len(holders)} of its steps are held" if holders else "nobody holds a step of it"
    advice = (
        f"Take a step from its holder, with its id: sheaf jobs release {job.id} --step {holders[0].step_id}"
        if holders
        else "Look at what else is said here, and at the other exports: sheaf jobs list"
    )
    yield Finding(
        Trouble.NO_PROGRESS, f"Its last checkpoint was {_seconds(since)} ago; {doing}.", advice, is_stuck=True
    )


def _lapses(steps: OpenSteps) -> Iterator[Finding]:
    if steps.most_lapses >= MANY_LAPSES:
        yield Finding(
            Trouble.MANY_LAPSES,
            f"A step of it has lost its worker {steps.most_lapses} times; at {MAX_LAPSES} the export fails.",
            "Look for what ends workers: memory, the kernel's log, restarts",
            is_stuck=True,
        )


def _queue(job: JobRow, around: Circumstances) -> Iterator[Finding]:
    if around.position is None or around.hosts.able == 0:
        return
    waits = (around.at - job.created_at).total_seconds()
    free = around.hosts.slots - around.live_claims
    slots = f"{min(around.live_claims, around.hosts.slots)} of {around.hosts.slots} slots are taken"
    if free >= around.position and waits > SLACK:
        yield Finding(
            Trouble.NOT_TAKEN,
            f"No worker has taken it for {_seconds(waits)}, although {slots}.",
            "Look at the workers' logs (pulse.missed, database.away) and their metrics",
            is_stuck=True,
        )
    else:
        yield Finding(
            Trouble.BEHIND,
            f"It is at place {around.position} of the queue; {slots}.",
            "It begins when a step of another export ends; more slots or hosts make that sooner",
            is_stuck=False,
        )


def _seconds(seconds: float) -> str:
    return f"{seconds:.0f} s" if seconds < 120 else f"{seconds / 60:.0f} min"
