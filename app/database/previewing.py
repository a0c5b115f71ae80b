"""What planning would make of a selection, read and not written: counts of each outcome, and the first of each."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Final

from sqlalchemy import func, select, union_all
from sqlalchemy.orm import Session
from sqlalchemy.sql.selectable import Subquery

from app.database.orders import refunds_json
from app.database.tables import OrderVersionRow
from app.domain.lifecycle import Outcome

FIRST: Final = 10
"""Items of each outcome and code that are shown."""

READABLE: Final = 256 * 1024
"""Characters of an order that is read for a preview: five hundred lines. Ten larger ones would take seconds."""


@dataclass(frozen=True, slots=True)
class PlannedItem:
    """An item as planning would insert it."""

    ordinal: int
    version_id: int | None
    order_id: int | None
    refund_id: int | None
    number: str
    customer: str
    currency: str
    reason: str | None
    file_name: str
    """By the default pattern."""


@dataclass(frozen=True, slots=True)
class Group:
    """The items that begin alike: pending, or settled with one code."""

    outcome: Outcome
    code: str | None
    count: int
    first: tuple[PlannedItem, ...]
    """At most `FIRST`, in ordinal order."""


def groups(tx: Session, rows: Subquery, counted: Sequence[tuple[str, str | None, int]]) -> list[Group]:
    """What these rows of `selected_items` begin as, largest group first; `counted` is what `outcomes` says of them."""
    first = _first_of_each(tx, rows, [(outcome, code) for outcome, code, _size in counted])
    found = [Group(Outcome(outcome), code, size, tuple(first[outcome, code])) for outcome, code, size in counted]
    return sorted(found, key=lambda group: (-group.count, group.code or ""))


_COLUMNS: Final = (
    "ordinal", "version_id", "shop_id", "refund_id", "number", "customer", "currency",
    "outcome", "code", "reason", "file_name",
)  # fmt: skip
_Alike = tuple[str, str | None]
"""Outcome and code."""


def _first_of_each(tx: Session, rows: Subquery, kinds: Sequence[_Alike]) -> dict[_Alike, list[PlannedItem]]:
    """The first few of each kind; the rows are worked out once, however many kinds there are."""
    # no wider than needed: it is written down
    once = select(*(rows.c[name] for name in _COLUMNS)).cte("once").prefix_with("MATERIALIZED")
    of_each = [
        select(once)
        .where(once.c.outcome == outcome, once.c.code.is_not_distinct_from(code))
        .order_by(once.c.ordinal)
        .limit(FIRST)
        .subquery()
        for outcome, code in kinds
    ]
    found: dict[_Alike, list[PlannedItem]] = {kind: [] for kind in kinds}
    if of_each:
        together = union_all(*map(select, of_each)).subquery()
        for row in tx.execute(select(together).order_by(together.c.ordinal)):
            found[row.outcome, row.code].append(
                PlannedItem(
                    ordinal=row.ordinal,
                    version_id=row.version_id,
                    order_id=row.shop_id,
                    refund_id=row.refund_id,
                    number=row.number,
                    customer=row.customer,
                    currency=row.currency,
                    reason=row.reason,
                    file_name=row.file_name,
                )
            )
    return found


@dataclass(frozen=True, slots=True)
class Content:
    """What a document is made from: the JSON texts of an order and of the list of its full refunds."""

    payload: str
    refunds: str


def content(tx: Session, version_id: int) -> Content | None:
    """The order's content at this version, whatever its size; None if it was erased meanwhile."""
    version = tx.get(OrderVersionRow, version_id)
    return None if version is None else Content(version.payload, refunds_json(version))


def contents(tx: Session, version_ids: Collection[int]) -> dict[int, Content]:
    """The orders' contents by version, without those that are larger than `READABLE`."""
    size = func.length(OrderVersionRow.payload) + func.length(OrderVersionRow.refunds)
    versions = tx.scalars(select(OrderVersionRow).where(OrderVersionRow.id.in_(version_ids), size <= READABLE))
    return {version.id: Content(version.payload, refunds_json(version)) for version in versions}
