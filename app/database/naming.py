"""Names by an owner's pattern: given to the items of a job once, at planning, in ordinal order.

The default pattern needs nothing of this: its names are made from what an import has prepared. Any other is put
together here, a thousand items at a time; which names are taken already is asked of the database.
"""

from collections.abc import Sequence
from datetime import datetime
from uuid import UUID
from zoneinfo import ZoneInfo

from sqlalchemy import Row, Select, Text, and_, bindparam, case, cast, exists, false, func, literal, or_, select, update
from sqlalchemy.orm import Session, aliased
from sqlalchemy.sql.elements import ColumnElement

from app.database.tables import ItemRow, JobRow, OrderRow, RefundRow
from app.domain.filename_patterns import DEFAULT_PATTERN, Named, stem_by
from app.domain.filenames import key

PAGE = 1000
"""Items that are named at a time."""

_Page = Sequence[Row[int, str, int | None, str, datetime | None]]


def name_items(tx: Session, job: JobRow, *, time_zone: str, source: UUID | None) -> None:
    """Name the items of a locked job that have an order, if its pattern is not the default.

    `source` is the job that it retries, whose names its items have already; only those are named that the source
    had no order for.
    """
    if job.filename_pattern == DEFAULT_PATTERN:
        return
    zone, after = ZoneInfo(time_zone), 0
    while rows := tx.execute(_unnamed(job, source, after=after)).all():
        _write(tx, job, rows, zone)
        after = rows[-1].ordinal
    _make_unique(tx, job, source)


def _unnamed(job: JobRow, source: UUID | None, *, after: int) -> Select[int, str, int | None, str, datetime | None]:
    order = and_(OrderRow.store_id == job.store_id, OrderRow.shop_id == ItemRow.order_id)
    refund = and_(RefundRow.order_id == OrderRow.id, RefundRow.shop_id == ItemRow.refund_id)
    created_at = case((ItemRow.refund_id.is_not(None), RefundRow.created_at), else_=OrderRow.created_at)
    return (
        select(ItemRow.ordinal, ItemRow.number, ItemRow.order_id, ItemRow.customer, created_at.label("created_at"))
        .outerjoin(OrderRow, order)
        .outerjoin(RefundRow, refund)
        .where(_to_name(job, source), ItemRow.ordinal > after)
        .order_by(ItemRow.ordinal)
        .limit(PAGE)
    )


def _to_name(job: JobRow, source: UUID | None) -> ColumnElement[bool]:
    """The items of the job that have an order and no name of the source's."""
    has_order = and_(ItemRow.job_id == job.id, ItemRow.order_version_id.is_not(None))
    if source is None:
        return has_order
    earlier = aliased(ItemRow)
    was_named = exists().where(
        earlier.job_id == source, earlier.ordinal == ItemRow.ordinal, earlier.order_version_id.is_not(None)
    )
    return and_(has_order, ~was_named)


def _write(tx: Session, job: JobRow, rows: _Page, zone: ZoneInfo) -> None:
    named = []
    for ordinal, number, order_id, customer, created_at in rows:
        date = "" if created_at is None else created_at.astimezone(zone).date().isoformat()
        stem = stem_by(job.filename_pattern, Named(job.document_type, number, order_id, date, customer))
        named.append({"of_job": job.id, "at": ordinal, "name": f"{stem}.pdf", "key": key(stem)})
    # by the table: an update by the class costs as much again as all of the above
    items = ItemRow.metadata.tables[ItemRow.__tablename__]
    tx.execute(
        update(items)
        .where(items.c.job_id == bindparam("of_job"), items.c.ordinal == bindparam("at"))
        .values(file_name=bindparam("name"), file_key=bindparam("key")),
        named,
    )


def _make_unique(tx: Session, job: JobRow, source: UUID | None) -> None:
    """Put a number behind each name that another item has already; `~` never stands in a stem."""
    twin = func.row_number().over(partition_by=ItemRow.file_key, order_by=ItemRow.ordinal)
    ranked = (
        select(ItemRow.ordinal, ItemRow.file_key, twin.label("twin")).where(_to_name(job, source)).subquery("ranked")
    )
    is_taken: ColumnElement[bool] = false()
    suffix = literal("~") + cast(ranked.c.twin, Text)
    if source is not None:
        is_taken = has_name(source, ranked.c.file_key)
        suffix = literal("~r") + cast(ranked.c.ordinal, Text)
    stem = func.substr(ItemRow.file_name, 1, func.length(ItemRow.file_name) - len(".pdf"))
    tx.execute(
        update(ItemRow)
        .where(ItemRow.job_id == job.id, ItemRow.ordinal == ranked.c.ordinal, or_(ranked.c.twin > 1, is_taken))
        .values(file_name=stem + suffix + literal(".pdf"))
        .execution_options(synchronize_session=False)
    )


def has_name(source: UUID, file_key: ColumnElement[str]) -> ColumnElement[bool]:
    """Whether an item of this job has settled the name with that key, or may have.

    A release before ours kept no keys: of an item without one nobody knows.
    """
    earlier = aliased(ItemRow)
    settled = and_(earlier.job_id == source, earlier.order_version_id.is_not(None))
    return or_(
        file_key.in_(select(earlier.file_key).where(settled, earlier.file_key.is_not(None))),
        exists().where(settled, earlier.file_key.is_(None)),
    )
