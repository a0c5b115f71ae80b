"""The refunds of the orders' newest versions as rows, by which credit notes are selected and sorted.

What a credit note says is read from the order's version. These rows are written with it, under the
lock of the order's row.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime

from sqlalchemy import delete, insert, select, tuple_, update
from sqlalchemy.orm import Session

from app.database.tables import RefundRow


@dataclass(frozen=True, slots=True)
class RefundIndex:
    """The columns of a refund."""

    shop_id: int
    created_at: datetime | None
    """Null for a short entry inside of an order, which has no date."""
    total_sort: float | None
    """What its credit note comes to, so never above zero."""


def index_refunds(
    tx: Session, found: Mapping[int, Sequence[RefundIndex]], *, kept: Mapping[int, Collection[int]]
) -> None:
    """Bring the refunds of these orders (by row id) to those of their payloads.

    Refunds that are `kept` as full objects (by the shop's ids) stay as they are: an order's own entry
    knows less of them. All others that the payload does not name any more go.
    """
    rows = _rows(tx, found)
    wanted = {
        (order_id, entry.shop_id): entry
        for order_id, entries in found.items()
        for entry in entries
        if (order_id, entry.shop_id) not in rows or entry.shop_id not in kept.get(order_id, ())
    }
    gone = [key for key in rows if key not in wanted and key[1] not in kept.get(key[0], ())]
    if gone:
        tx.execute(delete(RefundRow).where(tuple_(RefundRow.order_id, RefundRow.shop_id).in_(gone)))
    _write(tx, rows, wanted)


def index_full_refunds(tx: Session, found: Mapping[int, Sequence[RefundIndex]]) -> None:
    """Add these full refunds to those of their orders (by row id), or put them in the place of an entry."""
    wanted = {(order_id, refund.shop_id): refund for order_id, refunds in found.items() for refund in refunds}
    _write(tx, _rows(tx, found), wanted)


def _rows(tx: Session, order_ids: Collection[int]) -> dict[tuple[int, int], RefundIndex]:
    if not order_ids:
        return {}
    rows = tx.scalars(select(RefundRow).where(RefundRow.order_id.in_(list(order_ids))))
    return {(row.order_id, row.shop_id): RefundIndex(row.shop_id, row.created_at, row.total_sort) for row in rows}


def _write(
    tx: Session, rows: Mapping[tuple[int, int], RefundIndex], wanted: Mapping[tuple[int, int], RefundIndex]
) -> None:
    changed = [
        {"order_id": order_id, **asdict(refund)}
        for (order_id, shop_id), refund in wanted.items()
        if rows.get((order_id, shop_id)) != refund
    ]
    new = [row for row in changed if (row["order_id"], row["shop_id"]) not in rows]
    old = [row for row in changed if (row["order_id"], row["shop_id"]) in rows]
    if new:
        tx.execute(insert(RefundRow), new)
    if old:
        tx.execute(update(RefundRow), old)
