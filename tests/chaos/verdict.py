"""Whether the promises were kept: asked of the database, of its audit and of what the customers hold."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import psycopg

from tests.chaos.audit import ItemChange, JobChange
from tests.chaos.customers import TERMINAL, Case
from tests.chaos.journal import Journal

# Counters of the job, and the same counted from its items.
SUMS: Final = """
SELECT j.id::text, j.state, j.requested, j.rendered, j.failed, j.skipped,
       count(i.*), count(*) FILTER (WHERE i.outcome = 'rendered'), count(*) FILTER (WHERE i.outcome = 'failed'),
       count(*) FILTER (WHERE i.outcome = 'skipped')
FROM jobs j LEFT JOIN items i ON i.job_id = j.id GROUP BY j.id ORDER BY j.id
"""


@dataclass(frozen=True, slots=True)
class Ending:
    """How an export ends: what two runs of one selection must have in common."""

    state: str
    failure: str | None
    counts: tuple[int, int, int, int]
    """Requested, rendered, failed, skipped."""
    sha256: str
    """Of the downloaded archive; empty if there is none."""

    @classmethod
    def of(cls, export: Mapping[str, Any], sha256: str) -> "Ending":
        """What a customer was told and holds."""
        failure = export["failure"]["code"] if export["failure"] is not None else None
        counts = export["counts"]
        in_order = (counts["requested"], counts["rendered"], counts["failed"], counts["skipped"])
        return cls(export["state"], failure, in_order, sha256)


def judge_cases(journal: Journal, cases: Iterable[Case], calm: Sequence[Ending]) -> None:
    """Every customer got what a calm run gives, or a cancelled export if that is what it was promised."""
    for case in cases:
        if not case.final:
            journal.violated("was wanted and has no known end", job=case.name)
        elif case.was_cancelled:
            if case.final["state"] != "cancelled":
                journal.violated(f"its cancel was accepted and it is {case.final['state']}", job=case.id)
        else:
            got, due = Ending.of(case.final, case.sha256), calm[case.errand.selection]
            if got != due:
                journal.violated(f"got {got}, a calm run gives {due}", job=case.id)
            published = (case.final["archive"] or {}).get("sha256", "")
            if published != case.sha256:
                journal.violated(f"published {published}, downloaded {case.sha256}", job=case.id)


def judge_rows(journal: Journal, connection: psycopg.Connection, told: Mapping[str, str]) -> Counter[str]:
    """Every job has ended as its customer was `told`, its sums are right, nothing is claimed; says the states."""
    states: Counter[str] = Counter()
    for job_id, state, *sums in connection.execute(SUMS.encode()):
        states[state] += 1
        requested, *settled = counters = sums[:4]
        if state not in TERMINAL:
            journal.violated(f"still {state}", job=job_id)
        if job_id not in told:
            journal.violated("nobody was told that it was accepted", job=job_id)
        elif told[job_id] not in ("", state):
            journal.violated(f"its owner was told {told[job_id]}, and it is {state}", job=job_id)
        if counters != sums[4:]:
            journal.violated(f"counters say {counters}, its items {sums[4:]}", job=job_id)
        if (state == "completed" and sum(settled) != requested) or sum(settled) > requested:
            journal.violated(f"{settled} are not {requested}", job=job_id)
    found = {str(row[0]) for row in connection.execute("SELECT id FROM jobs")}
    for lost in set(told) - found:
        journal.violated("was accepted and is not there", job=lost)
    for (job_id,) in connection.execute("SELECT job_id::text FROM steps WHERE state = 'claimed'"):
        journal.violated("has a claimed step although all is over", job=job_id)
    return states


def judge_changes(journal: Journal, jobs: Iterable[JobChange], items: Iterable[ItemChange]) -> None:
    """No job left a terminal state or was touched in it; every item was settled once, and never touched again."""
    for job in jobs:
        if job.old_state in TERMINAL:
            journal.violated(f"a job that had ended was changed: {job}", job=job.job_id)
    settled: set[tuple[str, int]] = set()
    for item in items:
        if item.old_outcome != "pending" or (item.job_id, item.ordinal) in settled:
            journal.violated(f"committed more than once: {item}", job=item.job_id)
        settled.add((item.job_id, item.ordinal))


def judge_artifacts(journal: Journal, stored: Iterable[str], connection: psycopg.Connection) -> None:
    """Nothing lies in the store but the archives of completed jobs, and all of these."""
    rows = connection.execute("SELECT archive_key FROM jobs WHERE state = 'completed'")
    due, found = {str(row[0]) for row in rows}, set(stored)
    for key in sorted(found - due):
        journal.violated(f"left behind: {key}")
    for key in sorted(due - found):
        journal.violated(f"missing: {key}")
