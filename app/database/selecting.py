"""From a selection to rows: which orders match, in which order, as one set-based statement."""

import json
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any, Final

from sqlalchemy import (
    BigInteger,
    ColumnElement,
    Row,
    Select,
    Text,
    case,
    cast,
    column,
    exists,
    func,
    literal,
    null,
    or_,
    select,
    union_all,
)
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.orm import Session, aliased
from sqlalchemy.sql.selectable import Subquery

from app.database.tables import ByteText, JobRow, OrderRow, RefundRow
from app.domain.codes import ItemCode
from app.domain.document_type import NOT_OWED, DocumentType
from app.domain.lifecycle import Outcome
from app.domain.selection import Selection, Sort, asked_for


@dataclass(frozen=True, slots=True)
class Wanted:
    """Documents of one type of the orders of one store; a credit note is of a refund, dated by it."""

    store_id: int
    document_type: DocumentType
    selection: Selection

    @property
    def is_of_refunds(self) -> bool:
        """Each refund of an order makes an item of its own."""
        return self.document_type is DocumentType.CREDIT_NOTE


def wanted_by(job: JobRow) -> Wanted:
    """What a job asks for, or what the job that it retries asked for."""
    selection = Selection.from_json(asked_for(job.selection))
    return Wanted(job.store_id, DocumentType(job.document_type), selection)


def count_selected(tx: Session, wanted: Wanted, *, at_most: int) -> int:
    """How many items the selection makes, counted no further than `at_most` + 1."""
    return count_up_to(tx, _union(tx, wanted, Sort.CREATED).c.shop_id, at_most)


def count_up_to(tx: Session, column: ColumnElement[Any], at_most: int) -> int:
    """How many rows there are of this column, counted no further than `at_most` + 1."""
    return tx.scalar(select(func.count()).select_from(select(column).limit(at_most + 1).subquery())) or 0


def selected_of(tx: Session, wanted: Wanted, shop_ids: Collection[int]) -> set[int]:
    """Which of these orders the selection would make items of, by the shop's ids."""
    rows = _union(tx, wanted, Sort.CREATED)
    return set(tx.scalars(select(rows.c.shop_id).where(rows.c.shop_id.in_(shop_ids))))


def outcomes(tx: Session, wanted: Wanted) -> list[tuple[str, str | None, int]]:
    """How many items the selection makes that begin with each outcome and code, without putting them in order."""
    rows = _union(tx, wanted, Sort.CREATED)
    alike = (rows.c.outcome, rows.c.code)
    return [
        (outcome, code, count) for outcome, code, count in tx.execute(select(*alike, func.count()).group_by(*alike))
    ]


def items_of(tx: Session, wanted: Wanted, shop_id: int) -> Subquery:
    """The rows that the selection makes items of, of one order alone; they have no ordinals."""
    rows = _union(tx, wanted, Sort.CREATED)
    return select(rows).where(rows.c.shop_id == shop_id).subquery()


def items_behind(tx: Session, wanted: Wanted, *, after: int, limit: int) -> list[Row[Any]]:
    """The next rows that the selection makes items of, by the shop's ids; of orders that have one."""
    rows = _union(tx, wanted, Sort.CREATED)
    columns = (rows.c[name] for name in ("version_id", "shop_id", "number", "outcome", "code"))
    return list(tx.execute(select(*columns).where(rows.c.shop_id > after).order_by(rows.c.shop_id).limit(limit)))


def missing_numbers(tx: Session, wanted: Wanted, *, limit: int) -> list[str]:
    """The numbers that the selection names and no order has, the first of them."""
    if not wanted.selection.numbers:
        return []
    rows = _missing_numbers(tx, wanted, Sort.CREATED).subquery()
    return list(tx.scalars(select(rows.c.number).order_by(rows.c.given).limit(limit)))


def count_undated(tx: Session, wanted: Wanted) -> int:
    """How many orders, or refunds, have no date and so matched no range, though all else of the selection fits."""
    if wanted.selection.created_from is None:
        return 0
    source = _REFUNDS if wanted.is_of_refunds else _ORDERS
    undated = select(func.count()).select_from(OrderRow).where(*_filters(wanted), source.instant.is_(None))
    if wanted.is_of_refunds:
        undated = undated.join(RefundRow, RefundRow.order_id == OrderRow.id)
    return tx.scalar(undated) or 0


def numbered(tx: Session, wanted: Wanted, sort: Sort) -> Subquery:
    """The rows that become items, each with its ordinal and the count of its file name's twins so far."""
    rows = _union(tx, wanted, sort)
    order = (
        *(rows.c[name].asc().nulls_last() for name in ("sort_key", "shop_id", "refund_id")),
        rows.c.given,
    )
    return select(
        func.row_number().over(order_by=order).label("ordinal"),
        func.row_number().over(partition_by=rows.c.file_key, order_by=order).label("twin"),
        *(rows.c[name] for name in _COLUMNS),
    ).subquery()


_COLUMNS = (
    "version_id", "shop_id", "refund_id", "number", "outcome", "code", "reason",
    "file_stem", "file_key", "customer", "country", "currency",
)  # fmt: skip


def _union(tx: Session, wanted: Wanted, sort: Sort) -> Subquery:
    selection = wanted.selection
    parts: list[Select[*tuple[object, ...]]] = [_matching(tx, wanted, sort)]
    if wanted.is_of_refunds and selection.names_orders:
        parts.append(_without_refund(tx, wanted, sort))
    if selection.order_ids:
        parts.append(_missing_ids(tx, wanted, sort))
    if selection.numbers:
        parts.append(_missing_numbers(tx, wanted, sort))
    return union_all(*parts).subquery() if len(parts) > 1 else parts[0].subquery()


@dataclass(frozen=True, slots=True)
class _Source:
    """Where a document's own id, date and total come from: from its order, from a refund, or from nowhere."""

    refund_id: ColumnElement[Any]
    instant: ColumnElement[Any]
    total: ColumnElement[Any]


_NO_ID: Final = cast(null(), BigInteger)
_ORDERS: Final = _Source(_NO_ID, OrderRow.created_at.expression, OrderRow.total_sort.expression)
_REFUNDS: Final = _Source(
    RefundRow.shop_id.expression, RefundRow.created_at.expression, RefundRow.total_sort.expression
)
_NEITHER: Final = _Source(_NO_ID, cast(null(), RefundRow.created_at.type), cast(null(), RefundRow.total_sort.type))


def _matching(tx: Session, wanted: Wanted, sort: Sort) -> Select[*tuple[object, ...]]:
    source = _REFUNDS if wanted.is_of_refunds else _ORDERS
    status, parent = OrderRow.status.expression, OrderRow.parent_id.expression
    found = owed(wanted, status=status, parent_id=parent)
    rows = _rows(tx, wanted, sort, source, found).where(*_range(wanted.selection, source.instant))
    return rows.join(RefundRow, RefundRow.order_id == OrderRow.id) if wanted.is_of_refunds else rows


def _without_refund(tx: Session, wanted: Wanted, sort: Sort) -> Select[*tuple[object, ...]]:
    """Orders that were asked for by name and have nothing to make a credit note of, whatever the range."""
    return _rows(tx, wanted, sort, _NEITHER, no_refund()).where(~exists().where(RefundRow.order_id == OrderRow.id))


def _rows(tx: Session, wanted: Wanted, sort: Sort, source: _Source, found: "Owed") -> Select[*tuple[object, ...]]:
    outcome, code, reason = found
    ids, numbers = _named(tx, wanted.selection)
    given: ColumnElement[int] = cast(null(), BigInteger)
    is_of_refund = source is _REFUNDS
    number, stem, key = (
        with_refund(column, source.refund_id) if is_of_refund else column
        for column in (OrderRow.number.expression, OrderRow.file_stem.expression, OrderRow.file_key.expression)
    )
    rows = select(
        OrderRow.version_id.label("version_id"),
        OrderRow.shop_id.label("shop_id"),
        source.refund_id.label("refund_id"),
        number.label("number"),
        outcome.label("outcome"),
        code.label("code"),
        reason.label("reason"),
        stem.label("file_stem"),
        key.label("file_key"),
        OrderRow.customer.label("customer"),
        OrderRow.country.label("country"),
        OrderRow.currency.label("currency"),
    ).where(*_filters(wanted))
    if ids is not None:
        rows = rows.join(ids, ids.c.value == OrderRow.shop_id)
        given = ids.c.position
    if numbers is not None:
        rows = rows.join(numbers, numbers.c.value == OrderRow.number)
        given = numbers.c.position if ids is None else given
    return rows.add_columns(given.label("given"), _sort_key(sort, source, given).label("sort_key"))


def with_refund(text: ColumnElement[str], refund_id: ColumnElement[Any]) -> ColumnElement[str]:
    """A number, name or key of an order as that of one of its credit notes: `7001-7002`."""
    return text + literal("-") + cast(refund_id, Text)


Owed = tuple[ColumnElement[str], ColumnElement[str | None], ColumnElement[str | None]]
"""Outcome, code and reason of an item."""


def owed(wanted: Wanted, *, status: ColumnElement[str], parent_id: ColumnElement[Any]) -> Owed:
    """What an order's item begins as: one without a document to be made is skipped, with its reason.

    A status that is asked for is owed a document; an order that is named is owed one whatever it is.
    """
    rule, selection = NOT_OWED[wanted.document_type], wanted.selection
    nothing: ColumnElement[str | None] = cast(null(), Text)
    if selection.names_orders:
        return literal(Outcome.PENDING.value), nothing, nothing
    is_no_sale = literal(value=False) if selection.statuses else status.in_(rule.statuses)
    is_part = _is_covered(wanted, rule.statuses, parent_id)
    part = literal("It is a part of the order with id ") + cast(parent_id, Text) + ", whose documents cover it"
    return (
        case((or_(is_no_sale, is_part), Outcome.SKIPPED.value), else_=Outcome.PENDING.value),
        case((is_no_sale, rule.code.value), (is_part, ItemCode.SUB_ORDER.value), else_=nothing),
        case((is_no_sale, literal(rule.sentence) + status), (is_part, part), else_=nothing),
    )


def _is_covered(wanted: Wanted, no_sale: tuple[str, ...], parent_id: ColumnElement[Any]) -> ColumnElement[bool]:
    """Whether the order that this one is a part of is in the store, and is a sale: else nothing would cover it."""
    parent = aliased(OrderRow)
    return exists().where(
        parent.store_id == wanted.store_id,
        parent.shop_id == parent_id,
        parent.version_id.is_not(None),
        parent.status.not_in(no_sale),
    )


def no_refund() -> Owed:
    """What the item of an order begins as that has no refund."""
    return literal(Outcome.SKIPPED.value), literal(ItemCode.NO_REFUND.value), literal("The order has no refund")


def missing_id(shop_id: ColumnElement[int]) -> ColumnElement[str]:
    """Why there is no document of an order that was asked for by its id."""
    return literal("No order with id ") + cast(shop_id, Text) + " in this store"


def missing_number(number: ColumnElement[str]) -> ColumnElement[str]:
    """Why there is no document of an order that was asked for by its number."""
    return literal("No order with number ") + number + " in this store"


def _missing_ids(tx: Session, wanted: Wanted, sort: Sort) -> Select[*tuple[object, ...]]:
    ids, _numbers = _named(tx, wanted.selection)
    assert ids is not None  # noqa: S101 - the caller asked because ids were given
    known = exists().where(OrderRow.store_id == wanted.store_id, OrderRow.shop_id == ids.c.value)
    reason = missing_id(ids.c.value)
    return _missing(ids, sort, shop_id=ids.c.value, number=literal(""), reason=reason).where(~known)


def _missing_numbers(tx: Session, wanted: Wanted, sort: Sort) -> Select[*tuple[object, ...]]:
    _ids, numbers = _named(tx, wanted.selection)
    assert numbers is not None  # noqa: S101 - the caller asked because numbers were given
    known = exists().where(OrderRow.store_id == wanted.store_id, OrderRow.number == numbers.c.value)
    reason = missing_number(numbers.c.value)
    shop_id = cast(null(), BigInteger)
    return _missing(numbers, sort, shop_id=shop_id, number=numbers.c.value, reason=reason).where(~known)


def _missing(
    named: Subquery,
    sort: Sort,
    *,
    shop_id: ColumnElement[int],
    number: ColumnElement[str],
    reason: ColumnElement[str],
) -> Select[*tuple[object, ...]]:
    stem = literal("missing-") + cast(named.c.position, Text)
    given = named.c.position
    sort_key = given if sort is Sort.GIVEN else cast(null(), _SORT_TYPES[sort])
    return select(
        cast(null(), BigInteger).label("version_id"),
        shop_id.label("shop_id"),
        _NO_ID.label("refund_id"),
        number.label("number"),
        literal(Outcome.FAILED.value).label("outcome"),
        literal(ItemCode.ORDER_NOT_FOUND.value).label("code"),
        reason.label("reason"),
        stem.label("file_stem"),
        stem.label("file_key"),
        literal("").label("customer"),
        literal("").label("country"),
        literal("").label("currency"),
        given.label("given"),
        sort_key.label("sort_key"),
    ).select_from(named)


_SORT_TYPES = {
    Sort.CREATED: OrderRow.created_at.type,
    Sort.NUMBER: ByteText,
    Sort.CUSTOMER: ByteText,
    Sort.TOTAL: OrderRow.total_sort.type,
    Sort.GIVEN: BigInteger(),
}


def _sort_key(sort: Sort, source: _Source, given: ColumnElement[int]) -> ColumnElement[Any]:
    match sort:
        case Sort.CREATED:
            return source.instant
        case Sort.NUMBER:
            return OrderRow.number_sort.expression
        case Sort.CUSTOMER:
            return OrderRow.customer_sort.expression
        case Sort.TOTAL:
            return source.total
        case Sort.GIVEN:
            return given


def _filters(wanted: Wanted) -> list[ColumnElement[bool]]:
    """All of the selection but its range and the orders that it names."""
    selection = wanted.selection
    filters: list[ColumnElement[bool]] = [OrderRow.store_id == wanted.store_id, OrderRow.version_id.is_not(None)]
    if selection.statuses:
        filters.append(OrderRow.status.in_(selection.statuses))
    if selection.customer_id is not None:
        filters.append(OrderRow.customer_id == selection.customer_id)
    return filters


def _range(selection: Selection, instant: ColumnElement[Any]) -> list[ColumnElement[bool]]:
    since = [] if selection.created_from is None else [instant >= selection.created_from]
    return since if selection.created_to is None else [*since, instant < selection.created_to]


def _named(tx: Session, selection: Selection) -> tuple[Subquery | None, Subquery | None]:
    ids = listed(tx, [str(one) for one in selection.order_ids], "ids") if selection.order_ids else None
    numbers = listed(tx, selection.numbers, "numbers") if selection.numbers else None
    if ids is not None:
        ids = select(cast(ids.c.value, BigInteger).label("value"), ids.c.position).subquery()
    return ids, numbers


def listed(tx: Session, values: Sequence[str], name: str) -> Subquery:
    """A list of texts as rows (value, position from 0): one bound parameter, however long it is."""
    if tx.get_bind().dialect.name == "sqlite":
        table = func.json_each(json.dumps(list(values))).table_valued(
            column("value", Text), column("key", BigInteger), name=name
        )
        # a limit keeps the list a table of its own, which SQLite looks things up in by an index that it makes: as a
        # part of the statement it is read once for each order of the store
        return select(table.c.value, table.c.key.label("position")).limit(-1).subquery()
    table = (
        func.jsonb_array_elements_text(literal(list(values), JSONB))
        .table_valued(column("value", Text), with_ordinality="ordinality", name=name)
        .render_derived()
    )
    return select(table.c.value, (table.c.ordinality - 1).label("position")).subquery()
