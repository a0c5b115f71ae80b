"""Erasing orders in batches, each decided and done in one transaction: for those who ask to be forgotten."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final
from uuid import UUID

from sqlalchemy.orm import Session

from app.database.erasing import (
    HeldArchive,
    Needed,
    archives_with,
    archives_with_erased,
    count_items,
    erase_orders,
    find_before,
    find_by_shop_ids,
    lock_store,
    lock_users,
    needed,
)
from app.database.transactions import Database

BATCH: Final = 200
"""Orders of one transaction: what a creator of exports or an importer may have to wait for."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which orders of a store: these ids of the shop, or all that were created before an instant."""

    shop_ids: tuple[int, ...] = ()
    before: datetime | None = None


@dataclass(slots=True)
class Erasure:
    """What was erased, or would be; ids only, nothing of a customer."""

    orders: int = 0
    items: int = 0
    """Items of ended exports that have lost what they told of a customer."""
    needed: list[Needed] = field(default_factory=list)
    """Orders that were left alone, each with an active export that needs it."""
    archives: dict[UUID, HeldArchive] = field(default_factory=dict)
    """Archives that still hold documents of what was erased."""
    absent: list[int] = field(default_factory=list)
    """Ids that no order of the store has; an earlier run may have erased them."""


_Act = Callable[[Session, Erasure, int, dict[int, int], float], object]
_Begin = Callable[[], AbstractContextManager[Session]]


def rehearse(database: Database, store_id: int, wanted: Wanted, *, archive_grace: float) -> Erasure:
    """What `erase` would do now; nothing is changed and nobody waits."""
    return _each_batch(database.reading, look_at_batch, store_id, wanted, archive_grace)


def erase(database: Database, store_id: int, wanted: Wanted, *, archive_grace: float) -> Erasure:
    """Erase the orders that no active export needs; `archive_grace` is how many seconds bytes outlive their expiry.

    Cut off in between it has erased whole batches, and can be run again.
    """

    @contextmanager
    def begin() -> Iterator[Session]:
        with database.transaction() as tx:
            lock_store(tx, store_id)
            yield tx

    return _each_batch(begin, erase_batch, store_id, wanted, archive_grace)


def _each_batch(begin: _Begin, act: _Act, store_id: int, wanted: Wanted, archive_grace: float) -> Erasure:
    result = Erasure()
    after: int | None = 0
    while wanted.before is not None and after is not None:
        with begin() as tx:
            orders = find_before(tx, store_id, wanted.before, after=after, limit=BATCH)
            act(tx, result, store_id, orders, archive_grace)
        after = max(orders.values(), default=None)
    for first in range(0, len(wanted.shop_ids), BATCH):
        shop_ids = wanted.shop_ids[first : first + BATCH]
        with begin() as tx:
            orders = find_by_shop_ids(tx, store_id, shop_ids)
            act(tx, result, store_id, orders, archive_grace)
            absent = [shop_id for shop_id in shop_ids if shop_id not in orders]
            held = archives_with_erased(tx, store_id, absent, archive_grace=archive_grace)
        result.absent += absent
        result.archives |= {one.export_id: one for one in held}
    return result


def look_at_batch(
    tx: Session, result: Erasure, store_id: int, orders: dict[int, int], archive_grace: float
) -> list[int]:
    """Note what is to be noted of a batch; the orders, by our ids, that nobody needs."""
    found = needed(tx, store_id, orders)
    kept = {one.order_id for one in found}
    free = [order_id for shop_id, order_id in orders.items() if shop_id not in kept]
    result.needed += found
    result.orders += len(free)
    result.items += count_items(tx, free)
    result.archives |= {one.export_id: one for one in archives_with(tx, free, archive_grace=archive_grace)}
    return free


def erase_batch(tx: Session, result: Erasure, store_id: int, orders: dict[int, int], archive_grace: float) -> None:
    """Erase what nobody needs of a batch, whose store is locked, and note it."""
    lock_users(tx, store_id, orders.values())
    erase_orders(tx, look_at_batch(tx, result, store_id, orders, archive_grace))
