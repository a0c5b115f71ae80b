"""Planning: a selection, or what a retry takes of its parent, becomes items and render steps in one transaction."""

from sqlalchemy import Text, case, cast, func, insert, literal, select
from sqlalchemy.orm import Session
from sqlalchemy.sql.selectable import Subquery

from app.database.clock import now
from app.database.items import begin_packaging
from app.database.jobs import change_job, move_job
from app.database.naming import name_items
from app.database.retrying import retried
from app.database.selecting import Wanted, count_selected, count_undated, count_up_to, numbered, wanted_by
from app.database.settings import keep_version, settings_of
from app.database.steps import Claim, ClaimLost, hold, settle
from app.database.tables import ItemRow, JobRow, StepRow, StoreRow
from app.domain.codes import JobFailure
from app.domain.filenames import prefix
from app.domain.lifecycle import JobEvent, JobState, Outcome, Phase, StepKind, StepState
from app.domain.selection import Sort
from app.domain.store_settings import frozen


def plan(tx: Session, claim: Claim, *, max_items: int) -> None:
    """Freeze what was asked for into items and insert the render steps; raises `ClaimLost`.

    A retry takes its items from an ended job, which stays until now: its delete is refused while we need it. The
    store's settings are frozen here too. A selection that is empty by now, or too large, fails the job. Repeated
    after a lost acknowledgement it finds its own attempt done.
    """
    job, step = hold(tx, claim)
    if step.state is StepState.DONE and step.holder == claim.holder:
        return
    if job.state is not JobState.PROCESSING:
        raise ClaimLost(claim)
    settle(tx, claim)
    wanted = wanted_by(job)
    if job.items_from is None:
        matching = count_selected(tx, wanted, at_most=max_items)
        rows = selected_items(tx, wanted, Sort(job.sort))
    else:
        rows = retried(job, tx.get_one(JobRow, job.items_from), wanted.selection)
        matching = count_up_to(tx, rows.c.ordinal, max_items)
    if matching == 0:
        move_job(tx, job, JobEvent.FAILED, failure_code=JobFailure.SELECTION_EMPTY)
        return
    if matching > max_items:
        move_job(tx, job, JobEvent.FAILED, failure_code=JobFailure.SELECTION_TOO_LARGE)
        return
    store = tx.get_one(StoreRow, job.store_id)
    version = keep_version(tx, store)
    _insert_items(tx, job, rows)
    name_items(tx, job, time_zone=store.time_zone, source=job.items_from)
    counts = _counts(tx, job)
    steps = _insert_render_steps(tx, job)
    change_job(
        tx,
        job,
        phase=Phase.RENDERING,
        planned_at=now(),
        progressed_at=now(),
        requested=sum(counts.values()),
        failed=counts.get(Outcome.FAILED, 0),
        skipped=counts.get(Outcome.SKIPPED, 0),
        undated=count_undated(tx, wanted) if job.items_from is None else 0,
        steps_left=steps,
        store_settings=frozen(settings_of(store)),
        store_version=version,
        items_from=None,
    )
    if steps == 0:
        begin_packaging(tx, job)


def selected_items(tx: Session, wanted: Wanted, sort: Sort) -> Subquery:
    """The rows that become the items of a job, under the names that the default pattern gives them."""
    rows = numbered(tx, wanted, sort)
    # `~` never stands in a stem, so a numbered twin cannot meet another name
    twin = case((rows.c.twin > 1, literal("~") + cast(rows.c.twin, Text)), else_=literal(""))
    name = literal(prefix(wanted.document_type)) + rows.c.file_stem + twin + literal(".pdf")
    key = case((rows.c.version_id.is_not(None), rows.c.file_key))
    taken = ("file_stem", "file_key", "twin")
    return select(
        *(column for column in rows.c if column.name not in taken), name.label("file_name"), key.label("file_key")
    ).subquery()


def _insert_items(tx: Session, job: JobRow, rows: Subquery) -> None:
    tx.execute(
        insert(ItemRow).from_select(
            [
                "job_id", "ordinal", "order_version_id", "order_id", "refund_id", "number", "outcome", "code", "reason",
                "customer", "country", "currency", "file_name", "file_key", "strikes", "date", "net", "tax", "total",
            ],
            select(
                literal(job.id, ItemRow.job_id.type),
                rows.c.ordinal,
                rows.c.version_id,
                rows.c.shop_id,
                rows.c.refund_id,
                rows.c.number,
                rows.c.outcome,
                rows.c.code,
                rows.c.reason,
                rows.c.customer,
                rows.c.country,
                rows.c.currency,
                rows.c.file_name,
                rows.c.file_key,
                literal(0),
                *(literal("") for _ in range(4)),
            ),
        )
    )  # fmt: skip


def _counts(tx: Session, job: JobRow) -> dict[Outcome, int]:
    rows = tx.execute(select(ItemRow.outcome, func.count()).where(ItemRow.job_id == job.id).group_by(ItemRow.outcome))
    return {outcome: count for outcome, count in rows}  # noqa: C416 - rows are not pairs to mypy


def _insert_render_steps(tx: Session, job: JobRow) -> int:
    """One step for each N items that are to be rendered, in the order of their ordinals; says how many."""
    place = func.row_number().over(order_by=ItemRow.ordinal)
    pending = (
        select(ItemRow.ordinal, ((place - 1) // job.checkpoint_every).label("step"))
        .where(ItemRow.job_id == job.id, ItemRow.outcome == Outcome.PENDING)
        .subquery()
    )
    # counted by the server: the ids of a large export's steps are of no use here
    inserted = tx.connection().execute(
        insert(StepRow).from_select(
            ["job_id", "kind", "ordinal", "state", "attempt", "lapses", "first_item", "last_item"],
            select(
                literal(job.id, StepRow.job_id.type),
                literal(StepKind.RENDER.value),
                pending.c.step + 1,
                literal(StepState.READY.value),
                literal(0),
                literal(0),
                func.min(pending.c.ordinal),
                func.max(pending.c.ordinal),
            ).group_by(pending.c.step),
        ),
        execution_options={"preserve_rowcount": True},  # without it the count of an INSERT is -1
    )
    return inserted.rowcount
