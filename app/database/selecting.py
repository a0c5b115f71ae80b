"""From a selection to rows: which orders match, in which order, as one set-based statement."""

import json
from collections.abc import Collection
from typing import Any

from sqlalchemy import (
    BigInteger,
    ColumnElement,
    Select,
    Text,
    and_,
    case,
    cast,
    column,
    exists,
    func,
    literal,
    null,
    select,
    union_all,
)
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.orm import Session
from sqlalchemy.sql.selectable import Subquery

from app.database.tables import ByteText, OrderRow
from app.domain.codes import ItemCode
from app.domain.lifecycle import Outcome
from app.domain.selection import NOT_INVOICED, Selection, Sort


def count_selected(tx: Session, store_id: int, selection: Selection, *, at_most: int) -> int:
    """How many items the selection makes, counted no further than `at_most` + 1."""
    rows = _union(tx, store_id, selection, Sort.CREATED)
    return tx.scalar(select(func.count()).select_from(select(rows.c.shop_id).limit(at_most + 1).subquery())) or 0


def selected_of(tx: Session, store_id: int, selection: Selection, shop_ids: Collection[int]) -> set[int]:
    """Which of these orders the selection would make items of, by the shop's ids."""
    rows = _matching(tx, store_id, selection, Sort.CREATED).subquery()
    return set(tx.scalars(select(rows.c.shop_id).where(rows.c.shop_id.in_(shop_ids))))


def count_undated(tx: Session, store_id: int, selection: Selection) -> int:
    """How many orders have no date and so matched no range, though all else of the selection fits."""
    if selection.created_from is None:
        return 0
    everything_else = and_(*_filters(tx, store_id, selection, with_range=False))
    return tx.scalar(select(func.count()).where(everything_else, OrderRow.created_at.is_(None))) or 0


def numbered(tx: Session, store_id: int, selection: Selection, sort: Sort) -> Subquery:
    """The rows that become items, each with its ordinal and the count of its file name's twins so far."""
    rows = _union(tx, store_id, selection, sort)
    order = (rows.c.sort_key.asc().nulls_last(), rows.c.shop_id.asc().nulls_last(), rows.c.given)
    return select(
        func.row_number().over(order_by=order).label("ordinal"),
        func.row_number().over(partition_by=rows.c.file_key, order_by=order).label("twin"),
        *(rows.c[name] for name in _COLUMNS),
    ).subquery()


_COLUMNS = (
    "version_id", "shop_id", "number", "outcome", "code", "reason",
    "file_stem", "file_key", "customer", "country", "currency",
)  # fmt: skip


def _union(tx: Session, store_id: int, selection: Selection, sort: Sort) -> Subquery:
    parts: list[Select[*tuple[object, ...]]] = [_matching(tx, store_id, selection, sort)]
    if selection.order_ids:
        parts.append(_missing_ids(tx, store_id, selection, sort))
    if selection.numbers:
        parts.append(_missing_numbers(tx, store_id, selection, sort))
    return union_all(*parts).subquery() if len(parts) > 1 else parts[0].subquery()


def _matching(tx: Session, store_id: int, selection: Selection, sort: Sort) -> Select[*tuple[object, ...]]:
    outcome, code, reason = owed(selection, OrderRow.status.expression)
    ids, numbers = _named(tx, selection)
    given: ColumnElement[int] = cast(null(), BigInteger)
    rows = select(
        OrderRow.version_id.label("version_id"),
        OrderRow.shop_id.label("shop_id"),
        OrderRow.number.label("number"),
        outcome.label("outcome"),
        code.label("code"),
        reason.label("reason"),
        OrderRow.file_stem.label("file_stem"),
        OrderRow.file_key.label("file_key"),
        OrderRow.customer.label("customer"),
        OrderRow.country.label("country"),
        OrderRow.currency.label("currency"),
    ).where(*_filters(tx, store_id, selection, with_range=True))
    if ids is not None:
        rows = rows.join(ids, ids.c.value == OrderRow.shop_id)
        given = ids.c.position
    if numbers is not None:
        rows = rows.join(numbers, numbers.c.value == OrderRow.number)
        given = numbers.c.position if ids is None else given
    return rows.add_columns(given.label("given"), _sort_key(sort, given).label("sort_key"))


def owed(
    selection: Selection, status: ColumnElement[str]
) -> tuple[ColumnElement[str], ColumnElement[str | None], ColumnElement[str | None]]:
    """Outcome, code and reason of an order's item: one without a document to be made is skipped, with its reason."""
    is_owed = literal(value=True) if selection.statuses or selection.names_orders else status.not_in(NOT_INVOICED)
    nothing = cast(null(), Text)
    return (
        case((is_owed, Outcome.PENDING.value), else_=Outcome.SKIPPED.value),
        case((is_owed, nothing), else_=ItemCode.STATUS_NOT_INVOICED.value),
        case((is_owed, nothing), else_=literal("No invoice is owed for an order that is ") + status),
    )


def missing_id(shop_id: ColumnElement[int]) -> ColumnElement[str]:
    """Why there is no document of an order that was asked for by its id."""
    return literal("No order with id ") + cast(shop_id, Text) + " in this store"


def missing_number(number: ColumnElement[str]) -> ColumnElement[str]:
    """Why there is no document of an order that was asked for by its number."""
    return literal("No order with number ") + number + " in this store"


def _missing_ids(tx: Session, store_id: int, selection: Selection, sort: Sort) -> Select[*tuple[object, ...]]:
    ids, _numbers = _named(tx, selection)
    assert ids is not None  # noqa: S101 - the caller asked because ids were given
    known = exists().where(OrderRow.store_id == store_id, OrderRow.shop_id == ids.c.value)
    reason = missing_id(ids.c.value)
    return _missing(ids, sort, shop_id=ids.c.value, number=literal(""), reason=reason).where(~known)


def _missing_numbers(tx: Session, store_id: int, selection: Selection, sort: Sort) -> Select[*tuple[object, ...]]:
    _ids, numbers = _named(tx, selection)
    assert numbers is not None  # noqa: S101 - the caller asked because numbers were given
    known = exists().where(OrderRow.store_id == store_id, OrderRow.number == numbers.c.value)
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


def _sort_key(sort: Sort, given: ColumnElement[int]) -> ColumnElement[Any]:
    match sort:
        case Sort.CREATED:
            return OrderRow.created_at.expression
        case Sort.NUMBER:
            return OrderRow.number_sort.expression
        case Sort.CUSTOMER:
            return OrderRow.customer_sort.expression
        case Sort.TOTAL:
            return OrderRow.total_sort.expression
        case Sort.GIVEN:
            return given


def _filters(tx: Session, store_id: int, selection: Selection, *, with_range: bool) -> list[ColumnElement[bool]]:
    filters: list[ColumnElement[bool]] = [OrderRow.store_id == store_id, OrderRow.version_id.is_not(None)]
    if with_range and selection.created_from is not None:
        filters.append(OrderRow.created_at >= selection.created_from)
    if with_range and selection.created_to is not None:
        filters.append(OrderRow.created_at < selection.created_to)
    if selection.statuses:
        filters.append(OrderRow.status.in_(selection.statuses))
    if selection.customer_id is not None:
        filters.append(OrderRow.customer_id == selection.customer_id)
    return filters


def _named(tx: Session, selection: Selection) -> tuple[Subquery | None, Subquery | None]:
    ids = _list(tx, [str(one) for one in selection.order_ids], "ids") if selection.order_ids else None
    numbers = _list(tx, list(selection.numbers), "numbers") if selection.numbers else None
    if ids is not None:
        ids = select(cast(ids.c.value, BigInteger).label("value"), ids.c.position).subquery()
    return ids, numbers


def _list(tx: Session, values: list[str], name: str) -> Subquery:
    """A list of texts as rows (value, position from 0): one bound parameter, however long it is."""
    if tx.get_bind().dialect.name == "sqlite":
        table = func.json_each(json.dumps(values)).table_valued(
            column("value", Text), column("key", BigInteger), name=name
        )
        return select(table.c.value, table.c.key.label("position")).subquery()
    table = (
        func.jsonb_array_elements_text(literal(values, JSONB))
        .table_valued(column("value", Text), with_ordinality="ordinality", name=name)
        .render_derived()
    )
    return select(table.c.value, (table.c.ordinality - 1).label("position")).subquery()
