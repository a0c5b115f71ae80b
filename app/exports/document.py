"""Previewing one document: what it is made from, if an export of its store would make it."""

from dataclasses import dataclass

from sqlalchemy import select
from sqlalchemy.orm import Session

from app.database.previewing import Content, content
from app.database.selecting import Wanted, items_of
from app.database.settings import settings_of
from app.database.tables import StoreRow
from app.domain.codes import ItemCode
from app.domain.document_type import DocumentType
from app.domain.filenames import prefix
from app.domain.lifecycle import Outcome
from app.domain.principal import Owner
from app.domain.selection import Selection
from app.domain.store_settings import StoreSettings


@dataclass(frozen=True, slots=True)
class Printable:
    """What a document is made from, frozen at this moment."""

    content: Content
    store_settings: StoreSettings
    file_name: str


class OrderMissing(Exception):
    """The store has no such order."""


class NoDocument(Exception):
    """An item of the order would end without a document: `outcome`, `code` and `reason` are the item's."""

    def __init__(self, outcome: Outcome, code: str, reason: str) -> None:
        super().__init__(reason)
        self.outcome = outcome
        self.code = code
        self.reason = reason


def printable(
    tx: Session, owner: Owner, document_type: DocumentType, *, order_id: int, refund_id: int | None
) -> Printable:
    """What planning would freeze of this order, were it selected among all of its store.

    Raises `OrderMissing`, or `NoDocument` for what planning would skip and for a refund that the order has not.
    """
    wanted = Wanted(owner.store_id, document_type, Selection())
    rows = items_of(tx, wanted, order_id)
    found = tx.execute(select(rows).where(rows.c.refund_id.is_not_distinct_from(refund_id))).one_or_none()
    if found is None:
        raise _absent(tx, wanted, order_id, refund_id)
    if found.outcome != Outcome.PENDING:
        raise NoDocument(Outcome(found.outcome), found.code, found.reason)
    frozen = content(tx, found.version_id)
    if frozen is None:
        raise OrderMissing
    return Printable(
        content=frozen,
        store_settings=settings_of(tx.get_one(StoreRow, owner.store_id)),
        file_name=f"{prefix(document_type)}{found.file_stem}.pdf",
    )


def _absent(tx: Session, wanted: Wanted, order_id: int, refund_id: int | None) -> Exception:
    """Why there is no row: no such order, none of its refunds is this one, or it has none at all."""
    if tx.execute(select(items_of(tx, wanted, order_id)).limit(1)).one_or_none() is not None:
        reason = f"The order has no refund with the id {refund_id}"
        return NoDocument(Outcome.FAILED, ItemCode.REFUND_NOT_FOUND, reason)
    named = Wanted(wanted.store_id, wanted.document_type, Selection(order_ids=(order_id,)))
    rows = items_of(tx, named, order_id)
    found = tx.execute(select(rows.c.outcome, rows.c.code, rows.c.reason)).first()
    if found is None or found.code == ItemCode.ORDER_NOT_FOUND:
        return OrderMissing()
    return NoDocument(Outcome(found.outcome), found.code, found.reason)
