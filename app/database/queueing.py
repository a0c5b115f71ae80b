"""Where a queued job stands under the rule by which workers choose, and how fast the queue moves."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Final
from uuid import UUID

from sqlalchemy import Select, func, select
from sqlalchemy.orm import Session

from app.database.clock import now
from app.database.jobs import owned_by
from app.database.tables import JobRow, StepRow
from app.domain.lifecycle import ACTIVE, JobState, Phase, StepState
from app.domain.principal import Owner
from app.domain.progress import Work


@dataclass(frozen=True, slots=True)
class Queue:
    """What is before queued jobs, and how fast that moves."""

    positions: Mapping[UUID, int]
    """1 for the queued job that is claimed next."""
    live_claims: int
    """Slots of workers that are taken, by whatever job."""
    steps_per_second: float
    """What the jobs now rendering settle together; 0 if nobody knows."""


NO_QUEUE: Final = Queue({}, 0, 0.0)
"""For whoever looks at no queued job."""


def queue_of(tx: Session, job_ids: Collection[UUID]) -> Queue:
    """The places of these jobs, however many they are, in three statements.

    `steps.candidates` puts jobs without live claims first, among these the never served: all that are
    queued, and only these. They follow each other by age, then id.
    """
    position = func.row_number().over(order_by=(JobRow.created_at, JobRow.id)).label("position")
    queued = select(JobRow.id, position).where(JobRow.state == JobState.QUEUED).subquery()
    rows = tx.execute(select(queued.c.id, queued.c.position).where(queued.c.id.in_(job_ids)))
    return Queue({row.id: row.position for row in rows}, live_claims(tx), steps_per_second(tx))


def live_claims(tx: Session) -> int:
    """How many slots are taken, by whatever job."""
    return tx.scalar(_live()) or 0


def _live() -> Select[int]:
    active = select(JobRow.id).where(JobRow.state.in_(ACTIVE))
    return select(func.count()).where(
        StepRow.job_id.in_(active), StepRow.state == StepState.CLAIMED, StepRow.lease_until >= now()
    )


def steps_per_second(tx: Session) -> float:
    """Steps that the jobs now rendering settle together, each at its rate since its planning; 0 if nobody knows."""
    rendering = select(JobRow.rendered, JobRow.checkpoint_every, JobRow.planned_at, now()).where(
        JobRow.state == JobState.PROCESSING, JobRow.phase == Phase.RENDERING, JobRow.rendered > 0
    )
    steps = 0.0
    for rendered, every, planned_at, at in tx.execute(rendering):
        elapsed = (at - planned_at).total_seconds() if planned_at is not None else 0.0
        if elapsed > 0:
            steps += rendered / every / elapsed
    return steps


RECENT = 20
"""Exports of an owner that tell how fast the next one will be."""


def recent_work(tx: Session, owner: Owner) -> Work:
    """What those of the owner's newest exports that completed have rendered, and how long they took since planning."""
    newest = owned_by(owner).order_by(JobRow.created_at.desc(), JobRow.id.desc()).limit(RECENT).subquery()
    completed = select(newest.c.rendered, newest.c.planned_at, newest.c.finished_at).where(
        newest.c.state == JobState.COMPLETED
    )
    documents, seconds = 0, 0.0
    for rendered, planned_at, finished_at in tx.execute(completed):
        documents += rendered
        seconds += (finished_at - planned_at).total_seconds()
    return Work(documents, seconds)
