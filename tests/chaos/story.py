"""What happened to the jobs at issue, in order: changes, faults, what customers were told and workers logged."""

from collections.abc import Sequence
from pathlib import Path
from typing import Final

from tests.chaos.audit import ItemChange, JobChange, StepChange
from tests.chaos.journal import VIOLATED, Journal, Note

AROUND: Final = 2.0
"""Seconds before and after, of which faults are told too."""
MOST: Final = 20_000
"""Letters of logs."""


def story(journal: Journal, changes: Sequence[StepChange | JobChange | ItemChange], logs: Path) -> str:
    """Everything about the jobs whose promises were broken; the last notes if none of them has a change."""
    accused = {note.job for note in journal.notes if note.who == VIOLATED and note.job}
    database = [
        Note(change.at, "database", str(change), change.job_id) for change in changes if change.job_id in accused
    ]
    if not database:
        return journal.told(journal.notes[-200:])
    since, until = min(database).at - AROUND, max(database).at + AROUND
    about = [
        note
        for note in journal.notes
        if note.job in accused or note.who == VIOLATED or (not note.job and since <= note.at <= until)
    ]
    logged = "\n".join(
        f"{log.name}: {line}"
        for log in sorted(logs.glob("*.log"))
        for line in log.read_text(errors="replace").splitlines()
        if any(job in line for job in accused)
    )
    return f"{journal.told([*database, *about])}\n{logged[-MOST:]}"
