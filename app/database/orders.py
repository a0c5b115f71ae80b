"""Orders and their immutable versions: how a batch of an import becomes rows.

A batch holds each order at most once. Two imports of the same order meet at its row: both insert
it with ON CONFLICT DO NOTHING, then take it FOR UPDATE in the order of the shop's ids.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from enum import StrEnum
from hashlib import sha256
from typing import Any

from sqlalchemy import insert, select, update
from sqlalchemy.orm import Session

from app.database.refunds import RefundIndex, index_full_refunds, index_refunds
from app.database.tables import OrderRow, OrderVersionRow
from app.database.upserting import upsert


@dataclass(frozen=True, slots=True)
class OrderIndex:
    """The columns of an order that selections, sorts and file names read."""

    shop_id: int
    number: str
    number_sort: str
    status: str
    created_at: datetime | None
    modified_at: datetime | None
    customer_id: int | None
    customer: str
    customer_sort: str
    currency: str
    country: str
    total_sort: float | None
    file_stem: str
    file_key: str
    parent_id: int | None = None


@dataclass(frozen=True, slots=True)
class OrderContent:
    """One order to store: its columns and its payload in canonical JSON text."""

    index: OrderIndex
    payload: str
    refunds: tuple[RefundIndex, ...] = ()
    """The entries of refunds inside of the payload."""


@dataclass(frozen=True, slots=True)
class RefundContent:
    """One full refund to keep under its parent order; `payload` is canonical JSON text."""

    index: RefundIndex
    parent_id: int
    payload: str


class Stored(StrEnum):
    """What storing one order did."""

    NEW = "new"
    CHANGED = "changed"
    UNCHANGED = "unchanged"
    STALE = "stale"


def store_orders(tx: Session, store_id: int, batch: Sequence[OrderContent]) -> dict[int, Stored]:
    """Store a batch of orders and say for each shop id what happened.

    An order older than the stored one (by the shop's modification instant) is stale and not taken.
    The full refunds kept under an order stay with it.
    """
    contents = {content.index.shop_id: content for content in batch}
    if not contents:
        return {}
    _insert_missing(tx, store_id, contents)
    known = _take(tx, store_id, contents)
    stored: dict[int, Stored] = {}
    wanted: list[tuple[OrderRow, str, str]] = []
    entries: dict[int, tuple[RefundIndex, ...]] = {}
    for row, version in known:
        content = contents[row.shop_id]
        refunds = "" if version is None else version.refunds
        entries[row.id] = content.refunds
        if version is None:
            stored[row.shop_id] = Stored.NEW
        elif version.content_hash == _hash(content.payload, refunds):
            stored[row.shop_id] = Stored.UNCHANGED
            # a release before this one knew no parents
            row.parent_id = content.index.parent_id
            continue
        elif _is_older(content.index.modified_at, row.modified_at):
            stored[row.shop_id] = Stored.STALE
            del entries[row.id]
            continue
        else:
            stored[row.shop_id] = Stored.CHANGED
        wanted.append((row, content.payload, refunds))
    versions = _versions(tx, wanted)
    if wanted:
        tx.execute(
            update(OrderRow),
            [
                {"id": row.id, "version_id": versions[row.id], **asdict(contents[row.shop_id].index)}
                for row, _payload, _refunds in wanted
            ],
        )
    # also of orders that did not change: a release before this one knew no rows of refunds
    index_refunds(tx, entries, kept={row.id: _split(version.refunds) for row, version in known if version is not None})
    return stored


def store_refunds(tx: Session, store_id: int, batch: Sequence[RefundContent]) -> dict[int, Stored]:
    """Keep refunds under their parents; a refund whose parent is not in the store is left out of the answer."""
    by_parent: dict[int, list[RefundContent]] = {}
    for refund in batch:
        by_parent.setdefault(refund.parent_id, []).append(refund)
    stored: dict[int, Stored] = {}
    wanted: list[tuple[OrderRow, str, str]] = []
    full: dict[int, list[RefundIndex]] = {}
    for row, version in _take(tx, store_id, by_parent):
        if version is None:
            continue
        kept = _split(version.refunds)
        before = dict(kept)
        full[row.id] = [refund.index for refund in by_parent[row.shop_id]]
        for refund in by_parent[row.shop_id]:
            old = kept.get(refund.index.shop_id)
            kept[refund.index.shop_id] = refund.payload
            stored[refund.index.shop_id] = (
                Stored.NEW if old is None else Stored.UNCHANGED if old == refund.payload else Stored.CHANGED
            )
        if kept != before:
            wanted.append((row, version.payload, "\n".join(f"{key} {kept[key]}" for key in sorted(kept))))
    versions = _versions(tx, wanted)
    if wanted:
        tx.execute(update(OrderRow), [{"id": row.id, "version_id": versions[row.id]} for row, _p, _r in wanted])
    index_full_refunds(tx, full)
    return stored


def refunds_json(version: OrderVersionRow) -> str:
    """The refunds of a version as one JSON list, in the order of their ids."""
    return f"[{','.join(_split(version.refunds).values())}]"


def has_orders(tx: Session, store_id: int) -> bool:
    """Whether the store has any order."""
    return tx.scalars(select(OrderRow.id).where(OrderRow.store_id == store_id).limit(1)).one_or_none() is not None


def _split(refunds: str) -> dict[int, str]:
    lines = (line.partition(" ") for line in refunds.splitlines())
    return {int(shop_id): payload for shop_id, _space, payload in lines}


def _insert_missing(tx: Session, store_id: int, contents: Mapping[int, OrderContent]) -> None:
    rows = [{"store_id": store_id, **asdict(contents[shop_id].index)} for shop_id in sorted(contents)]
    tx.execute(upsert(tx, OrderRow).on_conflict_do_nothing(), rows)


def _take(tx: Session, store_id: int, shop_ids: Mapping[int, Any]) -> list[tuple[OrderRow, OrderVersionRow | None]]:
    # always in the order of the ids, so that two imports cannot wait for each other in a ring
    rows = tx.scalars(
        select(OrderRow)
        .where(OrderRow.store_id == store_id, OrderRow.shop_id.in_(list(shop_ids)))
        .order_by(OrderRow.shop_id)
        .with_for_update()
    ).all()
    found = tx.scalars(
        select(OrderVersionRow).where(OrderVersionRow.id.in_([row.version_id for row in rows if row.version_id]))
    )
    versions = {version.id: version for version in found}
    return [(row, None if row.version_id is None else versions[row.version_id]) for row in rows]


def _versions(tx: Session, wanted: Sequence[tuple[OrderRow, str, str]]) -> dict[int, int]:
    """The version id of each order with this content; content that comes back gets its old version."""
    if not wanted:
        return {}
    hashes = {row.id: _hash(payload, refunds) for row, payload, refunds in wanted}
    earlier = tx.execute(
        select(OrderVersionRow.order_id, OrderVersionRow.content_hash, OrderVersionRow.id).where(
            OrderVersionRow.order_id.in_(list(hashes)), OrderVersionRow.content_hash.in_(set(hashes.values()))
        )
    )
    versions = {order_id: version for order_id, content, version in earlier if hashes[order_id] == content}
    fresh = [
        {"order_id": row.id, "content_hash": hashes[row.id], "payload": payload, "refunds": refunds}
        for row, payload, refunds in wanted
        if row.id not in versions
    ]
    if fresh:
        inserted = tx.execute(insert(OrderVersionRow).returning(OrderVersionRow.order_id, OrderVersionRow.id), fresh)
        versions.update((order_id, version) for order_id, version in inserted)
    return versions


def _hash(payload: str, refunds: str) -> str:
    return sha256(f"{payload}\n{refunds}".encode()).hexdigest()


def _is_older(incoming: datetime | None, stored: datetime | None) -> bool:
    return incoming is not None and stored is not None and incoming < stored
