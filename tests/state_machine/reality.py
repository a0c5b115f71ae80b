"""What the database says at one moment: every job, step, item and order, read at once and never changed."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import Enum, auto
from typing import Any
from uuid import UUID

from sqlalchemy import Row, select

from app.database.clock import now
from app.database.hosts import HOST_TTL
from app.database.steps import Claim
from app.database.tables import DeletedJobRow, HostRow, ItemRow, JobRow, OrderRow, StepRow
from app.database.transactions import Database
from app.domain.lifecycle import JobState, Outcome, StepState

JOBS, STEPS, ITEMS, DELETED, HOSTS = (row.__table__ for row in (JobRow, StepRow, ItemRow, DeletedJobRow, HostRow))
# built once: they are asked after every transaction
EVERY_JOB, EVERY_STEP, EVERY_ITEM = (
    select(JOBS).order_by(JOBS.c.id),
    select(STEPS).order_by(STEPS.c.id),
    select(ITEMS).order_by(ITEMS.c.job_id, ITEMS.c.ordinal),
)
EVERY_DELETED, EVERY_HOST, THE_TIME = select(DELETED), select(HOSTS.c.seen_at), select(now())
EVERY_ORDER = select(OrderRow.shop_id, OrderRow.version_id)


class Standing(Enum):
    """What a claim is worth at a moment."""

    HELD = auto()
    """Its step is claimed by it; whether the lease has lapsed plays no part until somebody else claims."""
    DONE = auto()
    """It has settled its step, whether or not its holder heard of it."""
    LOST = auto()
    """Its step is gone, given back, opened again or somebody else's."""


@dataclass(frozen=True)
class Reality:
    """The rows, by their keys; equal if nothing at all has changed."""

    jobs: Mapping[UUID, Row[Any]]
    steps: Mapping[int, Row[Any]]
    items: Mapping[tuple[UUID, int], Row[Any]]
    deleted: Mapping[UUID, datetime]
    orders: Mapping[int, int]
    """The newest version of each order, by the shop's id."""

    def steps_of(self, job_id: UUID) -> list[Row[Any]]:
        """The job's steps by id."""
        return [step for step in self.steps.values() if step.job_id == job_id]

    def items_of(self, job_id: UUID) -> list[Row[Any]]:
        """The job's items by ordinal."""
        return [item for item in self.items.values() if item.job_id == job_id]

    def in_state(self, *states: JobState) -> list[Row[Any]]:
        """The jobs in one of these states."""
        return [job for job in self.jobs.values() if job.state in states]

    def is_needed(self, job_id: UUID) -> bool:
        """Whether a retry that is still to be planned takes its items from this job."""
        return any(job.items_from == job_id and job.state.is_active for job in self.jobs.values())

    def to_retry(self, source: Row[Any]) -> dict[int, int]:
        """What a retry of this planned job tries again: the shop's id of each order, by ordinal."""
        is_completed = source.state is JobState.COMPLETED
        return {
            item.ordinal: item.order_id
            for item in self.items_of(source.id)
            if (item.outcome is Outcome.FAILED if is_completed else item.outcome is not Outcome.SKIPPED)
        }

    def standing(self, claim: Claim) -> Standing:
        """What this claim is worth: it must be the very one that its step tells of."""
        step = self.steps.get(claim.step_id)
        if step is None or (step.job_id, step.attempt, step.holder) != (claim.job_id, claim.attempt, claim.holder):
            return Standing.LOST
        return {StepState.CLAIMED: Standing.HELD, StepState.DONE: Standing.DONE}.get(step.state, Standing.LOST)


@dataclass(frozen=True)
class Moment:
    """Reality with the database's time, and when hosts last showed that they live."""

    reality: Reality
    at: datetime
    hosts_seen_at: tuple[datetime, ...]

    @property
    def has_living_host(self) -> bool:
        """Whether any worker host has shown a sign of life lately."""
        return any(seen_at >= self.ago(HOST_TTL) for seen_at in self.hosts_seen_at)

    def ago(self, seconds: float) -> datetime:
        """The instant this many seconds before."""
        return self.at - timedelta(seconds=seconds)

    def is_lost(self, step: Row[Any]) -> bool:
        """Whether this step's holder is lost: its lease has run out, or the only host shows no sign of life."""
        return step.state is StepState.CLAIMED and (step.lease_until < self.at or not self.has_living_host)

    def is_claimable(self, step: Row[Any]) -> bool:
        """Whether anybody may claim this step: nobody holds it, or its holder's lease has lapsed."""
        if self.reality.jobs[step.job_id].state not in (JobState.QUEUED, JobState.PROCESSING):
            return False
        match step.state:
            case StepState.READY:
                return step.not_before is None or step.not_before <= self.at
            case StepState.CLAIMED:
                return step.lease_until < self.at
            case _:
                return False


def look(database: Database) -> Moment:
    """Read everything in one transaction."""
    with database.reading() as tx:
        on = tx.connection()
        return Moment(
            Reality(
                jobs={job.id: job for job in on.execute(EVERY_JOB)},
                steps={step.id: step for step in on.execute(EVERY_STEP)},
                items={(item.job_id, item.ordinal): item for item in on.execute(EVERY_ITEM)},
                deleted={job.id: job.deleted_at for job in on.execute(EVERY_DELETED)},
                orders={order.shop_id: order.version_id for order in on.execute(EVERY_ORDER)},
            ),
            at=on.execute(THE_TIME).scalar_one(),
            hosts_seen_at=tuple(on.execute(EVERY_HOST).scalars()),
        )
