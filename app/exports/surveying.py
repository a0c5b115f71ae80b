"""Everybody's exports as an operator sees them: each with its steps, its holders and what keeps it."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from sqlalchemy.orm import Session

from app.database.items import stored_steps
from app.database.operating import (
    NOTHING_OPEN,
    OpenSteps,
    StruckItem,
    find_any_job,
    list_any_jobs,
    open_steps,
    struck_items,
)
from app.database.queueing import live_claims
from app.database.tables import JobRow
from app.domain.lifecycle import JobState
from app.exports.diagnosis import Circumstances, Finding, diagnose
from app.exports.inspect import ExportView, Moment, moment, view_at


@dataclass(frozen=True, slots=True)
class Surveyed:
    """One export of whatever owner, at one moment of the database's clock."""

    at: datetime
    store: str
    view: ExportView
    steps: OpenSteps
    findings: Sequence[Finding]

    @property
    def job(self) -> JobRow:
        """The export's row."""
        return self.view.job

    @property
    def is_stuck(self) -> bool:
        """Nothing of ours is going to resolve it soon."""
        return any(finding.is_stuck for finding in self.findings)


@dataclass(frozen=True, slots=True)
class Examined:
    """One export with all that its rows tell."""

    surveyed: Surveyed
    struck: Sequence[StruckItem]
    stored: int
    """Render steps whose documents are in the artifacts."""


def survey(
    tx: Session,
    *,
    states: Collection[JobState],
    store: str | None,
    owner: str | None,
    limit: int,
    cancel_grace: float,
) -> list[Surveyed]:
    """The exports in these states, oldest first; `cancel_grace` in seconds is what their holders have to stop."""
    return _surveyed(
        tx, list_any_jobs(tx, states=states, store=store, owner=owner, limit=limit), cancel_grace=cancel_grace
    )


def examine(tx: Session, job_id: UUID, *, cancel_grace: float) -> Examined | None:
    """One export, whoever owns it; None if there is none."""
    found = find_any_job(tx, job_id)
    if found is None:
        return None
    (surveyed,) = _surveyed(tx, [found], cancel_grace=cancel_grace)
    return Examined(
        surveyed, struck_items(tx, job_id), sum(step.artifact is not None for step in stored_steps(tx, job_id))
    )


def _surveyed(tx: Session, jobs: Sequence[tuple[JobRow, str]], *, cancel_grace: float) -> list[Surveyed]:
    present, taken = moment(tx, [job for job, _store in jobs]), live_claims(tx)
    steps = open_steps(tx, [job.id for job, _store in jobs])
    return [
        _one(job, store, present, steps.get(job.id, NOTHING_OPEN), taken=taken, cancel_grace=cancel_grace)
        for job, store in jobs
    ]


def _one(job: JobRow, store: str, present: Moment, steps: OpenSteps, *, taken: int, cancel_grace: float) -> Surveyed:
    view = view_at(job, present)
    around = Circumstances(
        at=present.at,
        hosts=present.hosts,
        live_claims=taken,
        position=view.queue_position,
        cancel_grace=cancel_grace,
    )
    return Surveyed(present.at, store, view, steps, diagnose(job, steps, around))
