"""Erasing orders for good: the rows, their versions, and what items keep of them.

Lock order: the store, its jobs (oldest first), orders, versions, items. The store's row comes first since every
new job of it refers to it: while we hold it, no job appears that we have not seen.
"""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from sqlalchemy import Select, case, delete, func, select, text, update
from sqlalchemy.orm import Session

from app.database.clock import seconds_from_now
from app.database.jobs import lock_jobs
from app.database.retrying import taken_of
from app.database.selecting import selected_of, wanted_by
from app.database.tables import ItemRow, JobRow, OrderRow, OrderVersionRow, StoreRow
from app.domain.lifecycle import ACTIVE, Outcome

ERASED = "The order was erased."
"""What a failed or skipped item's reason becomes: it may have quoted what a customer wrote."""


@dataclass(frozen=True, slots=True)
class Needed:
    """An order that an active export still needs."""

    order_id: int
    """The shop's id."""
    export_id: UUID
    owner: str


@dataclass(frozen=True, slots=True)
class HeldArchive:
    """An archive with documents of orders that are erased."""

    export_id: UUID
    owner: str
    expires_at: datetime


def find_by_shop_ids(tx: Session, store_id: int, shop_ids: Collection[int]) -> dict[int, int]:
    """The orders with these ids of the shop: our id by the shop's."""
    rows = tx.execute(
        select(OrderRow.shop_id, OrderRow.id).where(OrderRow.store_id == store_id, OrderRow.shop_id.in_(shop_ids))
    )
    return {shop_id: order_id for shop_id, order_id in rows}  # noqa: C416 - rows are not pairs to mypy


def find_before(tx: Session, store_id: int, before: datetime, *, after: int, limit: int) -> dict[int, int]:
    """Orders created before an instant, from behind our id `after`; one without a date is never among them."""
    rows = tx.execute(
        select(OrderRow.shop_id, OrderRow.id)
        .where(OrderRow.store_id == store_id, OrderRow.created_at < before, OrderRow.id > after)
        .order_by(OrderRow.id)
        .limit(limit)
    )
    return {shop_id: order_id for shop_id, order_id in rows}  # noqa: C416 - rows are not pairs to mypy


def lock_store(tx: Session, store_id: int) -> None:
    """Let no new export and no new order of the store appear until this transaction ends."""
    tx.execute(select(StoreRow.id).where(StoreRow.id == store_id).with_for_update())


def lock_users(tx: Session, store_id: int, order_ids: Collection[int]) -> None:
    """Hold still whatever needs these orders of a locked store, or could come to need them.

    Planning waits for its job's lock and finds the orders gone; or it came first, and we see its items.
    """
    users = select(ItemRow.job_id).where(ItemRow.order_version_id.in_(_versions(order_ids))).distinct()
    active = select(JobRow.id).where(JobRow.store_id == store_id, JobRow.state.in_(ACTIVE))
    lock_jobs(tx, {*tx.scalars(users), *tx.scalars(active)})
    # an import of the same orders waits here
    tx.execute(select(OrderRow.id).where(OrderRow.id.in_(order_ids)).order_by(OrderRow.shop_id).with_for_update())
    tx.execute(
        select(OrderVersionRow.id)
        .where(OrderVersionRow.order_id.in_(order_ids))
        .order_by(OrderVersionRow.id)
        .with_for_update()
    )


def needed(tx: Session, store_id: int, orders: dict[int, int]) -> list[Needed]:
    """Which of these orders active jobs need: as items that they have, or as those that they are to get.

    Certain only under `lock_users`.
    """
    rows = tx.execute(
        select(OrderRow.shop_id, JobRow.id, JobRow.owner)
        .join(OrderVersionRow, OrderVersionRow.order_id == OrderRow.id)
        .join(ItemRow, ItemRow.order_version_id == OrderVersionRow.id)
        .join(JobRow, JobRow.id == ItemRow.job_id)
        .where(OrderRow.id.in_(orders.values()), JobRow.state.in_(ACTIVE))
        .distinct()
    )
    found = [Needed(shop_id, job_id, owner) for shop_id, job_id, owner in rows]
    unplanned = select(JobRow).where(JobRow.store_id == store_id, JobRow.state.in_(ACTIVE), JobRow.planned_at.is_(None))
    for job in tx.scalars(unplanned):
        found += [Needed(shop_id, job.id, job.owner) for shop_id in _to_be_planned(tx, job, orders)]
    return sorted(found, key=lambda one: (one.order_id, one.export_id))


def _to_be_planned(tx: Session, job: JobRow, shop_ids: Collection[int]) -> set[int]:
    if job.items_from is not None:
        return taken_of(tx, tx.get_one(JobRow, job.items_from), shop_ids)
    return selected_of(tx, wanted_by(job), shop_ids)


def archives_with(tx: Session, order_ids: Collection[int], *, archive_grace: float) -> list[HeldArchive]:
    """The archives with documents of these orders whose bytes are still kept."""
    is_of_them = ItemRow.order_version_id.in_(_versions(order_ids))
    return _archives(tx, select(ItemRow.job_id).where(is_of_them, ItemRow.outcome == Outcome.RENDERED), archive_grace)


def archives_with_erased(
    tx: Session, store_id: int, shop_ids: Collection[int], *, archive_grace: float
) -> list[HeldArchive]:
    """The same for orders that are erased already: their items still tell the shop's ids."""
    users = (
        select(ItemRow.job_id)
        .join(JobRow, JobRow.id == ItemRow.job_id)
        .where(
            JobRow.store_id == store_id,
            JobRow.archive_key.is_not(None),
            ItemRow.order_id.in_(shop_ids),
            ItemRow.outcome == Outcome.RENDERED,
        )
    )
    return _archives(tx, users, archive_grace)


def _archives(tx: Session, users: Select[UUID], archive_grace: float) -> list[HeldArchive]:
    rows = tx.execute(
        select(JobRow.id, JobRow.owner, JobRow.expires_at)
        .where(
            JobRow.id.in_(users),
            JobRow.archive_key.is_not(None),
            JobRow.expires_at > seconds_from_now(-archive_grace),
        )
        .order_by(JobRow.expires_at, JobRow.id)
    )
    return [HeldArchive(job_id, owner, until) for job_id, owner, until in rows if until is not None]


def count_items(tx: Session, order_ids: Collection[int]) -> int:
    """How many items were made of these orders."""
    return tx.scalar(select(func.count()).where(ItemRow.order_version_id.in_(_versions(order_ids)))) or 0


def erase_orders(tx: Session, order_ids: Collection[int]) -> None:
    """Erase locked orders that nobody needs, and what ended exports' items tell of their customers.

    An item keeps its ordinal, its outcome, the shop's id of the order, date and amounts: what counts and sums are
    made of. A retry of it does not find the order.
    """
    if tx.get_bind().dialect.name == "sqlite":
        # what is deleted is overwritten, where it would stay readable in the file
        tx.execute(text("PRAGMA secure_delete = ON"))
    for statement in (
        update(ItemRow)
        .where(ItemRow.order_version_id.in_(_versions(order_ids)))
        .values(
            order_version_id=None,
            number="",
            customer="",
            country="",
            file_name="",
            file_key=None,
            reason=case((ItemRow.reason.is_not(None), ERASED)),
            warnings=None,
        ),
        delete(OrderVersionRow).where(OrderVersionRow.order_id.in_(order_ids)),
        delete(OrderRow).where(OrderRow.id.in_(order_ids)),
    ):
        tx.execute(statement.execution_options(synchronize_session=False))


def _versions(order_ids: Collection[int]) -> Select[int]:
    return select(OrderVersionRow.id).where(OrderVersionRow.order_id.in_(order_ids))
