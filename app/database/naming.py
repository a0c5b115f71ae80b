"""Names by an owner's pattern: given to the items of a job once, at planning, in ordinal order.

The default pattern needs nothing of this: its names are made from what an import has prepared. Any other is put
together here, a thousand items at a time, with the keys of all names so far in memory: some ten megabytes for a
hundred thousand. (The database would have to join the items with themselves before it knows how many there are.) A
preview makes the names of the first thousand in the same way.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID
from zoneinfo import ZoneInfo

from sqlalchemy import (
    Integer,
    Row,
    Select,
    Text,
    and_,
    bindparam,
    case,
    column,
    exists,
    func,
    literal,
    or_,
    select,
    update,
)
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.orm import Session, aliased
from sqlalchemy.sql.elements import ColumnElement
from sqlalchemy.sql.selectable import Subquery

from app.database.selecting import Wanted, listed
from app.database.tables import ItemRow, JobRow, OrderRow, RefundRow
from app.domain.filename_patterns import DEFAULT_PATTERN, Named, stem_by
from app.domain.filenames import key

PAGE = 1000
"""Items that are named at a time."""

_Nameable = Row[int, str, int | None, str, datetime | None]


def name_items(tx: Session, job: JobRow, *, time_zone: str, source: UUID | None) -> None:
    """Name the items of a locked job that have an order, if its pattern is not the default.

    `source` is the job that it retries, whose names its items have already; only those are named that the source
    had no order for.
    """
    if job.filename_pattern == DEFAULT_PATTERN:
        return
    namer, after = _Namer(job.filename_pattern, job.document_type, ZoneInfo(time_zone)), 0
    while rows := tx.execute(_unnamed(job, source, after=after)).all():
        _write(tx, job, source, [namer.named(row) for row in rows])
        after = rows[-1].ordinal


def names_of(
    tx: Session, rows: Subquery, wanted: Wanted, *, pattern: str, time_zone: str, up_to: int
) -> dict[int, str]:
    """What `name_items` would call the rows that have an order, by ordinal, from the first to `up_to`.

    Empty if they are more than a page: a name depends on those before it, and nobody waits for so many.
    """
    columns = rows.c
    nameable = _nameable(
        columns.ordinal, columns.number, columns.shop_id, columns.refund_id, columns.customer, store_id=wanted.store_id
    ).where(columns.version_id.is_not(None), columns.ordinal <= up_to)
    found = tx.execute(nameable.limit(PAGE + 1)).all()
    if len(found) > PAGE:
        return {}
    namer = _Namer(pattern, wanted.document_type, ZoneInfo(time_zone))
    return {named.ordinal: named.file_name(twin=f"~{named.twin}") for named in map(namer.named, found)}


@dataclass(frozen=True, slots=True)
class _Named:
    """An item with the stem of its name; its place among those of the same name."""

    ordinal: int
    stem: str
    key: str
    twin: int

    def file_name(self, *, twin: str, is_taken: bool = False) -> str:
        """The name, with `twin` behind the stem if another item has it already; `~` never stands in a stem."""
        return f"{self.stem}{twin if is_taken or self.twin > 1 else ''}.pdf"


class _Namer:
    """Makes the names of one export, in ordinal order."""

    def __init__(self, pattern: str, document_type: str, zone: ZoneInfo) -> None:
        self._pattern, self._document_type, self._zone = pattern, document_type, zone
        self._counts = Counter[str]()

    def named(self, row: _Nameable) -> _Named:
        ordinal, number, order_id, customer, created_at = row
        date = "" if created_at is None else created_at.astimezone(self._zone).date().isoformat()
        stem = stem_by(self._pattern, Named(self._document_type, number, order_id, date, customer))
        same = key(stem)
        self._counts[same] += 1
        return _Named(ordinal, stem, same, self._counts[same])


def _unnamed(job: JobRow, source: UUID | None, *, after: int) -> Select[int, str, int | None, str, datetime | None]:
    nameable = _nameable(
        ItemRow.ordinal.expression,
        ItemRow.number.expression,
        ItemRow.order_id.expression,
        ItemRow.refund_id.expression,
        ItemRow.customer.expression,
        store_id=job.store_id,
    )
    return nameable.where(_to_name(job, source), ItemRow.ordinal > after).limit(PAGE)


def _nameable(
    ordinal: ColumnElement[int],
    number: ColumnElement[str],
    order_id: ColumnElement[int | None],
    refund_id: ColumnElement[int | None],
    customer: ColumnElement[str],
    *,
    store_id: int,
) -> Select[int, str, int | None, str, datetime | None]:
    """What these rows can be named by, in ordinal order."""
    order = and_(OrderRow.store_id == store_id, OrderRow.shop_id == order_id)
    refund = and_(RefundRow.order_id == OrderRow.id, RefundRow.shop_id == refund_id)
    created_at = case((refund_id.is_not(None), RefundRow.created_at), else_=OrderRow.created_at)
    return (
        select(ordinal, number, order_id, customer, created_at.label("created_at"))
        .outerjoin(OrderRow, order)
        .outerjoin(RefundRow, refund)
        .order_by(ordinal)
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


def _write(tx: Session, job: JobRow, source: UUID | None, page: Sequence[_Named]) -> None:
    taken = set() if source is None else _taken(tx, source, [named.key for named in page])
    rows = []
    for named in page:
        twin = f"~{named.twin}" if source is None else f"~r{named.ordinal}"
        name = named.file_name(twin=twin, is_taken=named.key in taken)
        rows.append({"at": named.ordinal, "name": name, "key": named.key})
    # by the table: an update by the class costs as much again as all of the above
    items = ItemRow.metadata.tables[ItemRow.__tablename__]
    if tx.get_bind().dialect.name == "sqlite":
        given: Sequence[ColumnElement[Any]] = [bindparam(name) for name in ("at", "name", "key")]
    else:
        # one statement for a page: half of the time that one for each item takes a server
        table = func.jsonb_to_recordset(literal(rows, JSONB)).table_valued(
            column("at", Integer), column("name", Text), column("key", Text), name="given"
        )
        given, rows = list(table.render_derived(with_types=True).c), []
    at, name_, key_ = given
    tx.execute(
        update(items).where(items.c.job_id == job.id, items.c.ordinal == at).values(file_name=name_, file_key=key_),
        rows or None,
    )


def _taken(tx: Session, source: UUID, keys: Sequence[str]) -> set[str]:
    """Which of these names the source has settled, or may have."""
    wanted = listed(tx, keys, "keys")
    return set(tx.scalars(select(wanted.c.value).where(has_name(source, wanted.c.value))))


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
