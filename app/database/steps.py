"""Claiming, renewing, giving back and settling steps: one mechanism for plan, render and package.

Lock order everywhere: the job row, then steps by id, then items.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final
from uuid import UUID

from sqlalchemy import (
    Float,
    Integer,
    and_,
    bindparam,
    case,
    exists,
    false,
    func,
    literal_column,
    or_,
    select,
    tuple_,
    update,
)
from sqlalchemy.orm import Session

from app.database.clock import now, seconds_from_now
from app.database.jobs import JOBS, change_job, end_cancel_if_idle, lock_job_at_work, move_job
from app.database.tables import JobRow, StepRow, Table
from app.domain.codes import JobFailure
from app.domain.lifecycle import JobEvent, JobState, Phase, StepKind, StepState

MAX_LAPSES = 50
"""A step that lost its worker this often takes its job down; no real outage gets there."""


@dataclass(frozen=True, slots=True)
class Claim:
    """One holder's right to one step. Every write of the holder carries step id and attempt."""

    step_id: int
    attempt: int
    holder: UUID
    job_id: UUID
    kind: StepKind
    ordinal: int
    first_item: int
    last_item: int
    trace_parent: str | None = None
    """The trace of the request that created the job; for logs."""
    waited: float | None = field(default=None, compare=False)
    """Seconds that the step lay ready, or lapsed if `is_rescue`; None for one that was handed back before."""
    is_rescue: bool = field(default=False, compare=False)
    """The holder before this one was lost."""


class ClaimLost(Exception):
    """A newer attempt exists, or the job no longer wants this step: stop and write nothing."""

    def __init__(self, claim: Claim) -> None:
        super().__init__(f"step {claim.step_id} attempt {claim.attempt} of job {claim.job_id}")
        self.claim = claim


# what workers send for every step, and at every beat of a pulse, is built once: that takes longer than sending it
_STEPS: Final = Table.metadata.tables[StepRow.__tablename__]
# to the letter what the indexes of open steps are made for: SQLite uses them for nothing else
_OPEN: Final = _STEPS.c.state != literal_column("'done'")
# a CASE, for as long as it has no statistics PostgreSQL would else read the index of states and sort all that it finds:
# of 2,000 steps the first took 0.6 ms instead of 0.05
_CLAIMABLE: Final = and_(
    _OPEN,
    case(
        (_STEPS.c.state == StepState.READY, or_(_STEPS.c.not_before.is_(None), _STEPS.c.not_before <= now())),
        (_STEPS.c.state == StepState.CLAIMED, _STEPS.c.lease_until < now()),
        else_=false(),
    ),
)
_LIVE_CLAIMS: Final = (
    select(func.count())
    .where(_STEPS.c.job_id == JOBS.c.id, _OPEN, _STEPS.c.state == StepState.CLAIMED, _STEPS.c.lease_until >= now())
    .correlate(JOBS)
    .scalar_subquery()
)
_CANDIDATES: Final = (
    select(JOBS.c.id)
    .where(
        JOBS.c.state.in_((JobState.QUEUED, JobState.PROCESSING)),
        exists().where(_STEPS.c.job_id == JOBS.c.id, _CLAIMABLE),
    )
    .order_by(_LIVE_CLAIMS, JOBS.c.served_at.asc().nulls_first(), JOBS.c.created_at, JOBS.c.id)
    .limit(bindparam("at_most", type_=Integer))
)
_FIRST_CLAIMABLE: Final = (
    select(StepRow)
    .where(StepRow.job_id == bindparam("of_job"), _CLAIMABLE)
    .order_by(StepRow.ordinal)
    .limit(1)
    .with_for_update()
    .execution_options(populate_existing=True)
)
_CLAIM: Final = (
    update(_STEPS)
    .where(_STEPS.c.id == bindparam("step"))
    .values(
        state=StepState.CLAIMED,
        attempt=_STEPS.c.attempt + 1,
        lapses=_STEPS.c.lapses + bindparam("lapsed", type_=Integer),
        holder=bindparam("holder"),
        host=bindparam("host"),
        claimed_at=now(),
        lease_until=seconds_from_now(bindparam("lease", type_=Float)),
        not_before=None,
    )
    .returning(_STEPS.c.claimed_at)
)
_SERVED: Final = update(JOBS).where(JOBS.c.id == bindparam("job")).values(served_at=now())
_MINE: Final = and_(
    tuple_(_STEPS.c.id, _STEPS.c.attempt).in_(bindparam("pairs", expanding=True)),
    _STEPS.c.state == StepState.CLAIMED,
)
_RENEW: Final = (
    update(_STEPS)
    .where(_STEPS.c.id.in_(select(_STEPS.c.id).where(_MINE).with_for_update(skip_locked=True)), _MINE)
    .values(lease_until=seconds_from_now(bindparam("lease", type_=Float)))
)
_ALIVE: Final = (
    select(_STEPS.c.id, _STEPS.c.attempt)
    .join(JOBS, JOBS.c.id == _STEPS.c.job_id)
    .where(_MINE, JOBS.c.state == JobState.PROCESSING)
)
_HELD: Final = (
    select(StepRow)
    .where(StepRow.id == bindparam("step"), StepRow.attempt == bindparam("attempt"))
    .with_for_update()
    .execution_options(populate_existing=True)
)
_SETTLE: Final = (
    update(_STEPS)
    .where(
        _STEPS.c.id == bindparam("step"),
        _STEPS.c.attempt == bindparam("of_attempt"),
        _STEPS.c.state == StepState.CLAIMED,
    )
    .values(state=StepState.DONE, artifact=bindparam("artifact"), lease_until=None)
    .returning(_STEPS.c.id)
)


def candidates(tx: Session, *, limit: int = 5) -> list[UUID]:
    """Jobs with a claimable step, fairest first: fewest live claims, then served longest ago.

    Taken without locks; the claim looks again under the job's lock.
    """
    return list(tx.scalars(_CANDIDATES, {"at_most": limit}))


def claim_step(tx: Session, job_id: UUID, *, holder: UUID, host: str, lease: float) -> Claim | None:
    """Claim the job's first claimable step for `lease` seconds; None if there is none any more."""
    job = lock_job_at_work(tx, job_id)
    if job is None or job.state not in (JobState.QUEUED, JobState.PROCESSING):
        return None
    step = tx.scalars(_FIRST_CLAIMABLE, {"of_job": job_id}).one_or_none()
    if step is None:
        return None
    has_lapsed = step.state is StepState.CLAIMED
    if has_lapsed and step.lapses + 1 >= MAX_LAPSES:
        move_job(tx, job, JobEvent.FAILED, failure_code=JobFailure.WORKERS_LOST)
        return None
    ready_at = _ready_at(job, step)
    claimed_at = tx.scalars(
        _CLAIM, {"step": step.id, "lapsed": int(has_lapsed), "holder": holder, "host": host, "lease": lease}
    ).one()
    if job.state is JobState.QUEUED:
        move_job(tx, job, JobEvent.STARTED, phase=Phase.SELECTING, started_at=now(), progressed_at=now())
    tx.execute(_SERVED, {"job": job_id})
    return Claim(
        step_id=step.id,
        attempt=step.attempt + 1,
        holder=holder,
        job_id=job_id,
        kind=step.kind,
        ordinal=step.ordinal,
        first_item=step.first_item,
        last_item=step.last_item,
        trace_parent=job.trace_parent,
        waited=None if ready_at is None or claimed_at is None else (claimed_at - ready_at).total_seconds(),
        is_rescue=has_lapsed,
    )


def _ready_at(job: JobRow, step: StepRow) -> datetime | None:
    """Since when anybody could have claimed this step; None if it was handed back, for that left no trace."""
    if step.state is StepState.CLAIMED:
        return step.lease_until
    if step.attempt > 0:
        return None
    match step.kind:
        case StepKind.PLAN:
            return job.created_at
        case StepKind.RENDER:
            return job.planned_at
        case StepKind.PACKAGE:
            return job.progressed_at


def renew(tx: Session, claims: Sequence[Claim], *, lease: float) -> set[Claim]:
    """Extend the leases of these claims and say which of them are lost.

    Rows that someone has locked are left as they are: locked is not lost. For what is lost, see `lost_claims`.
    """
    if claims:
        tx.execute(_RENEW, {"pairs": _pairs(claims), "lease": lease})
    return lost_claims(tx, claims)


def lost_claims(tx: Session, claims: Sequence[Claim]) -> set[Claim]:
    """Which of these claims are lost: to a higher attempt or another state, or as their job ends or is cancelled."""
    if not claims:
        return set()
    alive = {(step_id, attempt) for step_id, attempt in tx.execute(_ALIVE, {"pairs": _pairs(claims)})}
    return {claim for claim in claims if (claim.step_id, claim.attempt) not in alive}


def _pairs(claims: Sequence[Claim]) -> list[tuple[int, int]]:
    return [(claim.step_id, claim.attempt) for claim in claims]


def hold(tx: Session, claim: Claim) -> tuple[JobRow, StepRow]:
    """Lock the claim's job, then its step, for a write of its holder; raises `ClaimLost`."""
    job = lock_job_at_work(tx, claim.job_id)
    if job is None:
        raise ClaimLost(claim)
    step = tx.scalars(_HELD, {"step": claim.step_id, "attempt": claim.attempt}).one_or_none()
    if step is None:
        raise ClaimLost(claim)
    return job, step


def settle(tx: Session, claim: Claim, *, artifact: str | None = None) -> None:
    """End a claim with its result, or raise `ClaimLost` if a newer attempt exists."""
    settled = tx.scalars(
        _SETTLE, {"step": claim.step_id, "of_attempt": claim.attempt, "artifact": artifact}
    ).one_or_none()
    if settled is None:
        raise ClaimLost(claim)


def give_back(
    tx: Session, claim: Claim, *, seconds: float = 0.0, waiting_for: str | None = None, lapses: int = 0
) -> None:
    """Return a step unworked; it may be claimed again `seconds` from now.

    Used at shutdown, for faults of the ground (with the visible `waiting_for`), and by holders of
    a job that is being cancelled: the last one of these ends the cancel. `lapses` count against the
    step as a lost worker does: a step whose child dies again and again ends with its job.
    """
    job, step = hold(tx, claim)
    if step.state is not StepState.CLAIMED:
        raise ClaimLost(claim)
    if job.state is JobState.PROCESSING and step.lapses + lapses >= MAX_LAPSES:
        move_job(tx, job, JobEvent.FAILED, failure_code=JobFailure.WORKERS_LOST)
    tx.execute(
        update(StepRow)
        .where(StepRow.id == claim.step_id, StepRow.attempt == claim.attempt)
        .values(
            state=StepState.READY,
            holder=None,
            lease_until=None,
            lapses=StepRow.lapses + lapses,
            not_before=seconds_from_now(seconds) if seconds else None,
        )
        .execution_options(synchronize_session=False)
    )
    if job.state is JobState.CANCELLING:
        end_cancel_if_idle(tx, job)
    elif waiting_for is not None and job.state.is_active and job.waiting_for != waiting_for:
        change_job(tx, job, waiting_for=waiting_for)


def lapse_every_claim(tx: Session) -> int:
    """End all leases: the embedded mode's start, when the one process that could hold any is gone."""
    lapsed = tx.scalars(
        update(StepRow)
        .where(StepRow.state == StepState.CLAIMED)
        .values(lease_until=seconds_from_now(-1))
        .returning(StepRow.id)
    )
    return len(list(lapsed))
