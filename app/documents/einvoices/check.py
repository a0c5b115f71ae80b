"""Looking at an order as its accountant would before e-invoices are made: each document of it, rule by rule."""

import decimal
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final
from zoneinfo import ZoneInfo

from app.documents.einvoices.draft import Draft
from app.documents.einvoices.drafting import credit_note_draft, invoice_draft
from app.documents.einvoices.parties import seller_of
from app.documents.einvoices.rules import RULES, UNREADABLE, Rule
from app.documents.viewing import DIGITS
from app.domain.document_type import DocumentType
from app.domain.store_settings import StoreSettings
from app.orders.fields import UnreadableOrder, whole_number
from app.orders.payload import read_payload, read_payloads
from app.orders.reading import read_order

MAX_PLACES: Final = 5
"""Places of one finding that are named: a thousand lines may lack the same."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One rule that a document breaks, wherever it does so in the same way."""

    rule: Rule
    where: str
    detail: str


@dataclass(frozen=True, slots=True)
class Checked:
    """One document that an e-invoice could be made of, or not yet."""

    order_id: int
    number: str
    document_type: DocumentType
    refund_id: int | None
    findings: Sequence[Finding]

    @property
    def is_ready(self) -> bool:
        """Nothing is missing, in doubt or wrong."""
        return not self.findings


def checked(
    payload: Mapping[str, object], refunds: Sequence[Mapping[str, object]], store: StoreSettings
) -> list[Checked]:
    """The invoice of an order and a credit note of each of its refunds; an order that cannot be read is one finding."""
    try:
        with decimal.localcontext(prec=DIGITS):
            return list(_documents(payload, refunds, store))
    except UnreadableOrder as unreadable:
        finding = Finding(UNREADABLE, unreadable.path, unreadable.reason)
        shown = whole_number(payload.get("id")) or 0
        return [Checked(shown, str(shown or "?"), DocumentType.INVOICE, None, [finding])]


def checked_text(payload: str, refunds: str, store: StoreSettings) -> list[Checked]:
    """The same of an order as it is stored: JSON text of it, and of the list of its full refunds."""
    return checked(read_payload(payload), read_payloads(refunds), store)


def _documents(
    payload: Mapping[str, object], refunds: Sequence[Mapping[str, object]], store: StoreSettings
) -> Iterator[Checked]:
    order = read_order(
        payload,
        refunds,
        time_zone=ZoneInfo(store.time_zone),
        number_keys=store.number_keys,
        vat_keys=store.vat_keys,
        unit_keys=store.unit_keys,
    )
    seller = seller_of(store)
    invoice = invoice_draft(order, seller)
    yield Checked(order.id, invoice.number, DocumentType.INVOICE, None, findings_of(invoice))
    for refund in order.refunds:
        if refund.id is not None:
            note = credit_note_draft(order, refund, seller)
            yield Checked(order.id, note.number, DocumentType.CREDIT_NOTE, refund.id, findings_of(note))


def findings_of(draft: Draft) -> list[Finding]:
    """What is wrong with one draft, in the order of the rules."""
    return [finding for rule in RULES for finding in _broken(rule, draft)]


def _broken(rule: Rule, draft: Draft) -> Iterator[Finding]:
    places: dict[str, list[str]] = {}
    for place, detail in rule.find(draft):
        places.setdefault(detail, []).append(place)
    for detail, where in places.items():
        more = len(where) - MAX_PLACES
        named = ", ".join(where[:MAX_PLACES])
        yield Finding(rule, f"{named} and {more} more" if more > 0 else named, detail)
