"""What planning would make of a selection, read and not written: counts of each outcome, and the first of each."""

from collections.abc import Collection
from dataclasses import dataclass
from typing import Final

from sqlalchemy import func, select
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


def groups(tx: Session, rows: Subquery) -> list[Group]:
    """What these rows of `selected_items` begin as, largest group first: all of them are counted, in one statement."""
    alike = (rows.c.outcome, rows.c.code)
    place = func.row_number().over(partition_by=alike, order_by=rows.c.ordinal)
    count = func.count().over(partition_by=alike)
    names = ("ordinal", "version_id", "shop_id", "refund_id", "number", "customer", "currency", "reason", "file_name")
    placed = select(*alike, count.label("alike"), place.label("place"), *(rows.c[name] for name in names)).subquery()
    found: dict[tuple[str, str | None], tuple[int, list[PlannedItem]]] = {}
    for outcome, code, size, _place, *item in tx.execute(
        select(placed).where(placed.c.place <= FIRST).order_by(placed.c.alike.desc(), placed.c.ordinal)
    ):
        found.setdefault((outcome, code), (size, []))[1].append(PlannedItem(*item))
    return [Group(Outcome(outcome), code, size, tuple(items)) for (outcome, code), (size, items) in found.items()]


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
