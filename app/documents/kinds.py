"""The document types: each is a folder with a template, and one entry here.

A template fills the frame (`templates/frame`) or the frame with a table of prices; a style sheet of
the folder's name may add to the frame's. The words of all types are in `texts`, by language.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

from app.documents.contract import DocumentType, StoreSettings
from app.documents.credit_note import credit_note_view
from app.documents.invoice import invoice_view
from app.documents.packing_slip import packing_slip_view
from app.documents.receipt import receipt_view
from app.documents.view import DocumentView
from app.orders.model import Order


@dataclass(frozen=True, slots=True)
class Kind:
    """How one type is made: `templates/<folder>/<folder>.html`, filled with a view.

    The view is made of an order, its store's settings and, for a credit note, the id of a refund.
    It raises `NotOwed` or `UnreadableOrder`.
    """

    folder: str
    view: Callable[[Order, StoreSettings, int | None], DocumentView]


def _of_order(view: Callable[[Order, StoreSettings], DocumentView]) -> Callable[..., DocumentView]:
    return lambda order, store, _refund_id: view(order, store)


KINDS: Final[Mapping[DocumentType, Kind]] = {
    DocumentType.INVOICE: Kind("invoice", _of_order(invoice_view)),
    DocumentType.PACKING_SLIP: Kind("packing_slip", _of_order(packing_slip_view)),
    DocumentType.CREDIT_NOTE: Kind("credit_note", credit_note_view),
    DocumentType.RECEIPT: Kind("receipt", _of_order(receipt_view)),
}
