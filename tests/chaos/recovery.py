"""How long a job stood still after its holder was killed or frozen."""

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from tests.chaos.audit import JobChange, StepChange
from tests.chaos.customers import TERMINAL
from tests.chaos.journal import Signalled


@dataclass(frozen=True, slots=True)
class Recovery:
    """From a signal to a step's holder to the next progress of its job, which need not be that step's."""

    job_id: str
    signal: str
    pid: int
    seconds: float


def recoveries(signals: Iterable[Signalled], steps: Sequence[StepChange], jobs: Sequence[JobChange]) -> list[Recovery]:
    """One for each step that a worker held when it was killed or frozen."""
    by_step: dict[int, list[StepChange]] = defaultdict(list)
    progress: dict[str, list[float]] = defaultdict(list)
    for step in steps:
        by_step[step.step_id].append(step)
        if step.state == "done":
            progress[step.job_id].append(step.at)
    for job in jobs:
        if job.new_state in TERMINAL:
            progress[job.job_id].append(job.at)
    for moments in progress.values():
        moments.sort()
    claims = _claims_by_pid(by_step)
    found = []
    for sent in signals:
        for job_id, since, until in claims.get(sent.pid, ()):
            if since <= sent.at < until:
                moments = progress[job_id]
                following = bisect_right(moments, sent.at)
                if following < len(moments):
                    found.append(Recovery(job_id, sent.signal, sent.pid, moments[following] - sent.at))
    return found


def _claims_by_pid(by_step: dict[int, list[StepChange]]) -> dict[int, list[tuple[str, float, float]]]:
    """Which jobs each worker process held, from when to when."""
    claims: dict[int, list[tuple[str, float, float]]] = defaultdict(list)
    for changes in by_step.values():
        for change, following in zip(changes, [*changes[1:], None], strict=True):
            if change.state == "claimed":
                until = following.at if following is not None else float("inf")
                claims[int(change.host.rpartition(":")[2])].append((change.job_id, change.at, until))
    return claims


def percentile(values: Iterable[float], share: float) -> float:
    """The least value that this share of all does not exceed; NaN of none."""
    ordered = sorted(values)
    if not ordered:
        return float("nan")
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]
