"""Planning: a selection becomes items and render steps in one transaction."""

import json

from sqlalchemy import Integer, Text, case, cast, func, insert, literal, select
from sqlalchemy.orm import Session

from app.database.clock import now
from app.database.items import begin_packaging
from app.database.jobs import change_job, move_job
from app.database.selecting import count_selected, count_undated, numbered
from app.database.steps import Claim, ClaimLost, hold, settle
from app.database.stores import settings_json
from app.database.tables import ItemRow, JobRow, StepRow, StoreRow
from app.domain.codes import JobFailure
from app.domain.lifecycle import JobEvent, JobState, Outcome, Phase, StepKind, StepState
from app.domain.selection import Selection, Sort


def plan(tx: Session, claim: Claim, *, max_items: int) -> None:
    """Freeze the selection into items and insert the render steps; raises `ClaimLost`.

    The store's settings are frozen here too. A selection that is empty by now, or too large, fails
    the job. Repeated after a lost acknowledgement it finds its own attempt done.
    """
    job, step = hold(tx, claim)
    if step.state is StepState.DONE and step.holder == claim.holder:
        return
    if job.state is not JobState.PROCESSING:
        raise ClaimLost(claim)
    settle(tx, claim)
    selection = Selection.from_json(json.loads(job.selection))
    matching = count_selected(tx, job.store_id, selection, at_most=max_items)
    if matching == 0:
        move_job(tx, job, JobEvent.FAILED, failure_code=JobFailure.SELECTION_EMPTY)
        return
    if matching > max_items:
        move_job(tx, job, JobEvent.FAILED, failure_code=JobFailure.SELECTION_TOO_LARGE)
        return
    store = tx.get_one(StoreRow, job.store_id)
    _insert_items(tx, job, selection)
    counts = _counts(tx, job)
    steps = _insert_render_steps(tx, job, requested=sum(counts.values()))
    change_job(
        tx,
        job,
        phase=Phase.RENDERING,
        planned_at=now(),
        progressed_at=now(),
        requested=sum(counts.values()),
        failed=counts.get(Outcome.FAILED, 0),
        skipped=counts.get(Outcome.SKIPPED, 0),
        undated=count_undated(tx, job.store_id, selection),
        steps_left=steps,
        store_settings=settings_json(store),
    )
    if steps == 0:
        begin_packaging(tx, job)


def _insert_items(tx: Session, job: JobRow, selection: Selection) -> None:
    rows = numbered(tx, job.store_id, selection, Sort(job.sort))
    # `~` never stands in a stem, so a numbered twin cannot meet another name
    twin = case((rows.c.twin > 1, literal("~") + cast(rows.c.twin, Text)), else_=literal(""))
    prefix = f"{job.document_type.replace('_', '-')}-"
    tx.execute(
        insert(ItemRow).from_select(
            [
                "job_id", "ordinal", "order_version_id", "order_id", "number", "outcome", "code", "reason",
                "customer", "country", "currency", "file_name", "strikes", "date", "net", "tax", "total",
            ],
            select(
                literal(job.id, ItemRow.job_id.type),
                rows.c.ordinal,
                rows.c.version_id,
                rows.c.shop_id,
                rows.c.number,
                rows.c.outcome,
                rows.c.code,
                rows.c.reason,
                rows.c.customer,
                rows.c.country,
                rows.c.currency,
                literal(prefix) + rows.c.file_stem + twin + literal(".pdf"),
                literal(0),
                *(literal("") for _ in range(4)),
            ),
        )
    )  # fmt: skip


def _counts(tx: Session, job: JobRow) -> dict[Outcome, int]:
    rows = tx.execute(select(ItemRow.outcome, func.count()).where(ItemRow.job_id == job.id).group_by(ItemRow.outcome))
    return {outcome: count for outcome, count in rows}  # noqa: C416 - rows are not pairs to mypy


def _insert_render_steps(tx: Session, job: JobRow, *, requested: int) -> int:
    """One step for each N ordinals that hold anything to render; says how many."""
    size = job.checkpoint_every
    group = (cast(ItemRow.ordinal, Integer) - 1) // size
    groups = (
        select(group.label("number"))
        .where(ItemRow.job_id == job.id, ItemRow.outcome == Outcome.PENDING)
        .distinct()
        .subquery()
    )
    last = (groups.c.number + 1) * size
    inserted = tx.execute(
        insert(StepRow)
        .from_select(
            ["job_id", "kind", "ordinal", "state", "attempt", "lapses", "first_item", "last_item"],
            select(
                literal(job.id, StepRow.job_id.type),
                literal(StepKind.RENDER.value),
                groups.c.number + 1,
                literal(StepState.READY.value),
                literal(0),
                literal(0),
                groups.c.number * size + 1,
                case((last > requested, requested), else_=last),
            ),
        )
        .returning(StepRow.id)
    )
    return len(inserted.all())
