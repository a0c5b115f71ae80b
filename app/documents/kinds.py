"""The document types: each is a folder of templates and one entry here."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

from app.documents.contract import DocumentFacts, DocumentType, StoreSettings
from app.documents.facts import order_facts
from app.documents.invoice import invoice_view
from app.documents.view import InvoiceView
from app.orders.model import Order


@dataclass(frozen=True, slots=True)
class Kind:
    """How one type is made: `templates/<folder>/<folder>.html` and `.css`, filled with a view."""

    folder: str
    view: Callable[[Order, StoreSettings], InvoiceView]
    facts: Callable[[Order], DocumentFacts]


KINDS: Final[Mapping[DocumentType, Kind]] = {
    DocumentType.INVOICE: Kind(folder="invoice", view=invoice_view, facts=order_facts),
}
