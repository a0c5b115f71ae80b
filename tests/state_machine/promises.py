"""The promises, as what must hold at every moment and between any two."""

from collections import Counter
from typing import Any

from sqlalchemy import Row

from app.database.steps import MAX_LAPSES
from app.domain.lifecycle import TRANSITIONS, JobState, Outcome, StepKind, StepState
from tests.state_machine.passing import QUEUE_TTL, RUN_TTL
from tests.state_machine.reality import Moment, Reality

FINAL = (
    "state", "requested", "rendered", "failed", "skipped", "undated", "failure_code", "archive_key", "archive_bytes",
    "archive_sha256", "revision", "phase", "waiting_for",
)  # fmt: skip
"""What never changes of a job that has ended."""
SETTLED = ("outcome", "code", "order_id", "strikes", "pages", "bytes", "sha256")
"""What never changes of an item whose job has ended, even if its order is erased."""
VISIBLE = tuple(name for name in FINAL if name != "revision")
"""What an owner can see of a job that moves."""


def hold_at(reality: Reality) -> None:
    """Check what must be so at any moment."""
    for job in reality.jobs.values():
        _items_are_accounted_for(reality, job)
        if job.state is JobState.COMPLETED:
            _nothing_is_missing(reality, job)
    active = Counter(job.owner for job in reality.jobs.values() if job.state.is_active)
    assert all(jobs == 1 for jobs in active.values()), f"one active job per owner: {active}"
    for step in reality.steps.values():
        assert step.job_id in reality.jobs, "no step outlives its job"
    for item in reality.items.values():
        assert item.job_id in reality.jobs, "no item outlives its job"


def _items_are_accounted_for(reality: Reality, job: Row[Any]) -> None:
    items = reality.items_of(job.id)
    outcomes = Counter(item.outcome for item in items)
    counted = (job.requested, job.rendered, job.failed, job.skipped)
    assert counted == (len(items), *(outcomes[one] for one in (Outcome.RENDERED, Outcome.FAILED, Outcome.SKIPPED)))
    renders = [step for step in reality.steps_of(job.id) if step.kind is StepKind.RENDER]
    open_steps = [step for step in renders if step.state is not StepState.DONE]
    assert job.steps_left == len(open_steps), "steps_left counts the render steps that are not done"
    for item in items:
        covering = [step for step in renders if step.first_item <= item.ordinal <= step.last_item]
        if item.outcome is Outcome.PENDING:
            assert item.order_version_id is not None or not job.state.is_active, "an active job keeps its orders"
            assert [step.state is not StepState.DONE for step in covering] == [True], "a pending item has an open step"
        if item.outcome is Outcome.RENDERED:
            (step,) = covering
            assert step.state is StepState.DONE, "a rendered item has a done step"
            assert item.sha256.startswith(f"{step.artifact}:"), "the document of the attempt that was accepted"


def _nothing_is_missing(reality: Reality, job: Row[Any]) -> None:
    assert job.requested == job.rendered + job.failed + job.skipped
    assert job.rendered >= 1
    (package,) = [step for step in reality.steps_of(job.id) if step.kind is StepKind.PACKAGE]
    assert (package.state, package.artifact) == (StepState.DONE, job.archive_key)
    assert all(step.state is StepState.DONE for step in reality.steps_of(job.id))


def hold_between(before: Moment, after: Moment) -> None:
    """Check what no transaction may do, whatever it is."""
    for job_id, job in after.reality.jobs.items():
        earlier = before.reality.jobs.get(job_id)
        if earlier is not None:
            _a_job_moves_as_the_table_says(earlier, job)
            _its_items_stay(before.reality, earlier, after.reality)
        if job.state is JobState.FAILED and (earlier is None or earlier.state is not JobState.FAILED):
            _a_job_fails_for_a_reason(before, after.reality, job)
    for step_id, step in after.reality.steps.items():
        earlier = before.reality.steps.get(step_id)
        if earlier is not None:
            assert (earlier.job_id, earlier.kind) == (step.job_id, step.kind), "a step's id is never used again"
            assert step.attempt >= earlier.attempt, "attempts only grow"


def _a_job_moves_as_the_table_says(earlier: Row[Any], job: Row[Any]) -> None:
    if earlier.state.is_terminal:
        assert _columns(job, FINAL) == _columns(earlier, FINAL), "terminal is terminal"
        return
    assert job.state is earlier.state or job.state in REACHABLE[earlier.state]
    assert job.revision >= earlier.revision
    if _columns(job, VISIBLE) != _columns(earlier, VISIBLE):
        assert job.revision > earlier.revision, "the revision grows with each visible change"


def _its_items_stay(before: Reality, job: Row[Any], after: Reality) -> None:
    items = {item.ordinal: item for item in before.items_of(job.id)}
    if not items:
        return
    now = {item.ordinal: item for item in after.items_of(job.id)}
    assert now.keys() == items.keys(), "a planned job keeps its items"
    for ordinal, item in items.items():
        if now[ordinal].order_version_id != item.order_version_id:
            assert now[ordinal].order_version_id is None, "the same orders at the same versions"
            assert job.state.is_terminal, "only of ended jobs"
        if job.state.is_terminal:
            assert _columns(now[ordinal], SETTLED) == _columns(item, SETTLED), "terminal is terminal, for items too"


def _columns(row: Row[Any], names: tuple[str, ...]) -> list[Any]:
    return [row._mapping[name] for name in names]


def _reachable() -> dict[JobState, set[JobState]]:
    """The states that one transaction may lead to: it may take two steps, such as asking for a cancel and ending it."""
    reached = {state: {one.target for one in TRANSITIONS.values() if state in one.sources} for state in JobState}
    return {
        state: next_ones | {far for near in next_ones for far in reached[near]} for state, next_ones in reached.items()
    }


REACHABLE = _reachable()


def _a_job_fails_for_a_reason(before: Moment, reality: Reality, job: Row[Any]) -> None:
    items = reality.items_of(job.id)
    match job.failure_code:
        case "nothing_rendered":
            assert items
            assert all(item.outcome in (Outcome.FAILED, Outcome.SKIPPED) for item in items)
        case "selection_empty":
            assert not items
        case "workers_lost":
            lost = [step.lapses for step in reality.steps_of(job.id)]
            assert max(lost) >= MAX_LAPSES - 1
        case "queue_expired":
            assert before.has_living_host
            assert before.reality.jobs[job.id].created_at < before.ago(QUEUE_TTL)
        case "run_expired":
            assert before.reality.jobs[job.id].progressed_at < before.ago(RUN_TTL)
        case "failed_by_operator":
            assert job.failure_note
        case other:
            raise AssertionError(other)
