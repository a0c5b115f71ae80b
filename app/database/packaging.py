"""The end of a job: its archive is stored and every item accounted for, or a step is opened again."""

from collections.abc import Sequence

from sqlalchemy import delete, select, update
from sqlalchemy.orm import Session

from app.database.clock import now, seconds_from_now
from app.database.jobs import change_job, move_job
from app.database.steps import Claim, ClaimLost, hold, settle
from app.database.tables import ItemRow, JobRow, StepRow
from app.domain.lifecycle import JobEvent, JobState, Outcome, Phase, StepKind, StepState


def complete(
    tx: Session, claim: Claim, *, archive_key: str, archive_bytes: int, archive_sha256: str, archive_ttl: float
) -> None:
    """Settle the package step and complete the job in one transaction; raises `ClaimLost`.

    The race with a cancel is decided by the job's lock: whoever holds it first wins, and the other
    finds a state that its event cannot move.
    """
    job, step = hold(tx, claim)
    if step.state is StepState.DONE and step.holder == claim.holder:
        return
    if job.state is not JobState.PROCESSING:
        raise ClaimLost(claim)
    settle(tx, claim, artifact=archive_key)
    move_job(
        tx,
        job,
        JobEvent.COMPLETED,
        archive_key=archive_key,
        archive_bytes=archive_bytes,
        archive_sha256=archive_sha256,
        expires_at=seconds_from_now(archive_ttl),
    )


def reopen_steps(tx: Session, claim: Claim, *, step_ids: Sequence[int]) -> None:
    """Artifacts are bad or missing: their steps are rendered again, and the package step goes.

    One transaction: items pending, counters less the steps', package step deleted; raises `ClaimLost`. An item
    that was rendered begins without strikes: they count only in a row.
    """
    job, package = hold(tx, claim)
    if job.state is not JobState.PROCESSING or package.state is not StepState.CLAIMED:
        raise ClaimLost(claim)
    steps = tx.scalars(
        select(StepRow)
        .where(StepRow.id.in_(step_ids), StepRow.job_id == job.id, StepRow.state == StepState.DONE)
        .order_by(StepRow.id)
        .with_for_update()
    ).all()
    pending = 0
    for step in steps:
        reopened = tx.scalars(
            update(ItemRow)
            .where(
                ItemRow.job_id == job.id,
                ItemRow.ordinal.between(step.first_item, step.last_item),
                ItemRow.outcome == Outcome.RENDERED,
            )
            .values(outcome=Outcome.PENDING, strikes=0, sha256=None, bytes=None, pages=None, warnings=None)
            .returning(ItemRow.ordinal)
            .execution_options(synchronize_session=False)
        )
        pending += len(reopened.all())
    tx.execute(
        update(StepRow)
        .where(StepRow.id.in_([step.id for step in steps]))
        .values(state=StepState.READY, holder=None, lease_until=None, artifact=None)
        .execution_options(synchronize_session=False)
    )
    tx.execute(
        delete(StepRow)
        .where(StepRow.job_id == job.id, StepRow.kind == StepKind.PACKAGE)
        .execution_options(synchronize_session=False)
    )
    change_job(
        tx,
        job,
        phase=Phase.RENDERING,
        rendered=JobRow.rendered - pending,
        settled_most=max(job.settled_most, job.rendered + job.failed + job.skipped),
        steps_left=JobRow.steps_left + len(steps),
        progressed_at=now(),
    )
