"""The kinds of documents, and which orders are owed none of a kind, by their status."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from app.domain.codes import ItemCode


class DocumentType(StrEnum):
    """The kinds of documents Sheaf makes."""

    INVOICE = "invoice"
    PACKING_SLIP = "packing_slip"
    CREDIT_NOTE = "credit_note"
    RECEIPT = "receipt"


@dataclass(frozen=True, slots=True)
class NotOwed:
    """Orders that are skipped unless they, or their status, are asked for; the status ends the sentence."""

    statuses: tuple[str, ...]
    code: ItemCode
    sentence: str


NO_SALE: Final = ("auto-draft", "draft", "checkout-draft", "trash", "failed", "cancelled")
"""Statuses of orders that are no sale: not yet, not any more, or never."""

NOT_OWED: Final[Mapping[DocumentType, NotOwed]] = {
    DocumentType.INVOICE: NotOwed(NO_SALE, ItemCode.STATUS_NOT_INVOICED, "No invoice is owed for an order that is "),
    # What was given back in full is not sent any more, and what nobody has begun to pay not yet.
    DocumentType.PACKING_SLIP: NotOwed(
        (*NO_SALE, "pending", "refunded"), ItemCode.STATUS_NOT_PACKED, "Nothing is to be packed for an order that is "
    ),
    # It would correct an invoice that was never made.
    DocumentType.CREDIT_NOTE: NotOwed(
        NO_SALE, ItemCode.STATUS_NOT_INVOICED, "No invoice is owed, and so no credit note, for an order that is "
    ),
    # Whether a sale was paid is told by its date of payment, when the receipt is made.
    DocumentType.RECEIPT: NotOwed(NO_SALE, ItemCode.STATUS_NOT_INVOICED, "No receipt is owed for an order that is "),
}
