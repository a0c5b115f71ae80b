"""Retrying: which items of an ended job are tried again, and the rows that become the retry's own items."""

from collections.abc import Collection
from typing import Any
from uuid import UUID

from sqlalchemy import Text, and_, case, cast, exists, func, literal, or_, select
from sqlalchemy.orm import Session, aliased
from sqlalchemy.sql.elements import ColumnElement
from sqlalchemy.sql.selectable import Subquery

from app.database.naming import has_name
from app.database.selecting import Owed, Wanted, missing_id, missing_number, no_refund, owed, with_refund
from app.database.tables import ItemRow, JobRow, OrderRow, RefundRow
from app.domain.codes import ItemCode
from app.domain.document_type import DocumentType
from app.domain.filenames import prefix
from app.domain.lifecycle import ACTIVE, JobState, Outcome
from app.domain.selection import Selection


def taken(source: JobRow) -> ColumnElement[bool]:
    """The items of an ended job that its retry tries again.

    Of a completed one those that failed. A failed one has no archive, so nobody has any of its documents:
    all but what was skipped.
    """
    of_source = ItemRow.job_id == source.id
    if source.state is JobState.COMPLETED:
        return and_(of_source, ItemRow.outcome == Outcome.FAILED)
    return and_(of_source, ItemRow.outcome != Outcome.SKIPPED)


def has_taken(tx: Session, source: JobRow) -> bool:
    """Whether an ended job has any item to try again."""
    return bool(tx.scalar(select(exists().where(taken(source)))))


def taken_of(tx: Session, source: JobRow, shop_ids: Collection[int]) -> set[int]:
    """Which of these orders a retry of the source would make items of, by the shop's ids."""
    by_number = (
        select(OrderRow.shop_id)
        .join(ItemRow, and_(taken(source), ItemRow.order_id.is_(None), ItemRow.number == OrderRow.number))
        .where(OrderRow.store_id == source.store_id, OrderRow.shop_id.in_(shop_ids))
    )
    by_id = select(ItemRow.order_id).where(taken(source), ItemRow.order_id.in_(shop_ids))
    return {found for found in (*tx.scalars(by_id), *tx.scalars(by_number)) if found is not None}


def is_unplanned_retry_of(job_id: ColumnElement[UUID]) -> ColumnElement[bool]:
    """Of a job row: it is a retry that still needs the items of this job."""
    retry = aliased(JobRow)
    return exists().where(retry.items_from == job_id, retry.state.in_(ACTIVE))


def unplanned_retries(tx: Session, job_ids: Collection[UUID]) -> dict[UUID, UUID]:
    """Which of these locked jobs are still needed, and by which retry.

    True for as long as they are locked: a retry is inserted under its parent's lock.
    """
    rows = tx.execute(
        select(JobRow.items_from, JobRow.id).where(JobRow.items_from.in_(job_ids), JobRow.state.in_(ACTIVE))
    )
    return {source: retry for source, retry in rows if source is not None}


def retried(job: JobRow, source: JobRow, selection: Selection) -> Subquery:
    """The rows that become a retry's items: each order at its newest version, under its ordinal in the source.

    `selection` is what was asked for once: it says which orders are owed a document whatever their status. An order
    that existed at the source's planning keeps the file name that was settled there. One that was not found is
    looked for again. Where several orders have a number by now, the further ones stand behind the source's last
    ordinal.
    """
    found = _placed(job, source)
    is_found, was_found = found.c.version_id.is_not(None), found.c.was_found
    outcome, code, reason = _owed(job, selection, found)
    missing = case(
        (found.c.asked_id.is_not(None), missing_id(found.c.asked_id)), else_=missing_number(found.c.asked_number)
    )
    return select(
        found.c.ordinal,
        found.c.version_id,
        case((is_found, found.c.shop_id), else_=found.c.asked_id).label("shop_id"),
        found.c.refund_id,
        case((is_found, found.c.number), else_=found.c.asked_number).label("number"),
        case((is_found, outcome), else_=Outcome.FAILED.value).label("outcome"),
        case((is_found, code), else_=ItemCode.ORDER_NOT_FOUND.value).label("code"),
        case((is_found, reason), else_=missing).label("reason"),
        *(func.coalesce(found.c[name], "").label(name) for name in ("customer", "country", "currency")),
        case((was_found, found.c.old_name), else_=_new_name(job, source, found)).label("file_name"),
        case((was_found, found.c.old_key), else_=found.c.file_key).label("file_key"),
    ).subquery()


def _owed(job: JobRow, selection: Selection, found: Subquery) -> Owed:
    """What the item of an order that was found begins as."""
    wanted = Wanted(job.store_id, DocumentType(job.document_type), selection)
    outcome = owed(wanted, status=found.c.status, parent_id=found.c.parent_id)
    if not _is_of_refunds(job):
        return outcome
    cases = zip(no_refund(), outcome, strict=True)
    none, code, reason = (case((found.c.refund_id.is_(None), without), else_=usual) for without, usual in cases)
    return none, code, reason


def _is_of_refunds(job: JobRow) -> bool:
    return job.document_type == DocumentType.CREDIT_NOTE


def _placed(job: JobRow, source: JobRow) -> Subquery:
    """What was found, each with its own ordinal, and with the count of its file name's twins so far."""
    found = _found(job, source)
    order = (found.c.asked_ordinal, found.c.place)
    last = select(func.max(ItemRow.ordinal)).where(ItemRow.job_id == source.id).scalar_subquery()
    further = last + func.row_number().over(partition_by=found.c.place > 1, order_by=order)
    is_new = and_(found.c.version_id.is_not(None), ~found.c.was_found)
    return select(
        *found.c,
        case((found.c.place == 1, found.c.asked_ordinal), else_=further).label("ordinal"),
        is_new.label("is_new"),
        func.row_number().over(partition_by=(is_new, found.c.file_key), order_by=order).label("twin"),
    ).subquery()


def _found(job: JobRow, source: JobRow) -> Subquery:
    """Each item that is tried again with the order that it finds now: by the shop's id, else by its number.

    A credit note stays that of its refund; an order that was not found before is found with all of its refunds.
    """
    by_id, by_number = aliased(OrderRow), aliased(OrderRow)
    is_of_refunds = _is_of_refunds(job)
    refund_id: ColumnElement[Any] = ItemRow.refund_id.expression
    if is_of_refunds:
        refund_id = func.coalesce(ItemRow.refund_id, RefundRow.shop_id)

    def now(name: str) -> ColumnElement[Any]:
        of_order = func.coalesce(getattr(by_id, name), getattr(by_number, name))
        if is_of_refunds and name in _OF_REFUND:
            return case((refund_id.is_not(None), with_refund(of_order, refund_id)), else_=of_order).label(name)
        return of_order.label(name)

    rows = (
        select(
            ItemRow.ordinal.label("asked_ordinal"),
            ItemRow.order_version_id.is_not(None).label("was_found"),
            ItemRow.order_id.label("asked_id"),
            ItemRow.number.label("asked_number"),
            ItemRow.file_name.label("old_name"),
            ItemRow.file_key.label("old_key"),
            refund_id.label("refund_id"),
            func.row_number()
            .over(partition_by=ItemRow.ordinal, order_by=(by_number.shop_id, refund_id))
            .label("place"),
            *(now(name) for name in _OF_ORDER),
        )
        .where(taken(source))
        .outerjoin(
            by_id,
            and_(by_id.store_id == job.store_id, by_id.version_id.is_not(None), by_id.shop_id == ItemRow.order_id),
        )
        .outerjoin(
            by_number,
            and_(
                ItemRow.order_id.is_(None),
                by_number.store_id == job.store_id,
                by_number.version_id.is_not(None),
                by_number.number == ItemRow.number,
            ),
        )
    )
    if is_of_refunds:
        order_id = func.coalesce(by_id.id, by_number.id)
        rows = rows.outerjoin(RefundRow, and_(ItemRow.refund_id.is_(None), RefundRow.order_id == order_id))
    return rows.subquery()


_OF_ORDER = (
    "version_id", "shop_id", "parent_id", "number", "status",
    "file_stem", "file_key", "customer", "country", "currency",
)  # fmt: skip
_OF_REFUND = ("number", "file_stem", "file_key")


def _new_name(job: JobRow, source: JobRow, found: Subquery) -> ColumnElement[str]:
    """The name of a document whose order was not found before: its own, or one that its ordinal makes unique.

    `~` never stands in a stem, and planning puts nothing but a number behind it.
    """
    is_taken = has_name(source.id, found.c.file_key)
    begin, place, end = literal(prefix(job.document_type)), cast(found.c.ordinal, Text), literal(".pdf")
    suffix = case((or_(is_taken, found.c.twin > 1), literal("~r") + place), else_=literal(""))
    return case(
        (found.c.is_new, begin + found.c.file_stem + suffix + end),
        else_=begin + literal("missing-") + place + end,
    )
