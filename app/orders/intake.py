"""What an upload's entry is: an order to store, a refund to store, or a rejection with its reason."""

import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, tzinfo
from decimal import Decimal
from typing import Final

from app.domain import filenames
from app.orders import shapes
from app.orders.fields import UnreadableOrder
from app.orders.model import Order
from app.orders.payload import NotStorable, content_hash, write_payload
from app.orders.reading import read_order, read_refund
from app.orders.stream import REFUND_ENVELOPES
from app.orders.text import cleaned

# Longest index field, in characters; four bytes each still fit a B-tree page.
_INDEX_LENGTH: Final = 200
# Digit runs are padded to this length, so that texts sort as their numbers do.
_DIGITS: Final = 20
_DIGIT_RUN: Final = re.compile(r"0*([0-9]+)")


@dataclass(frozen=True, slots=True)
class IncomingEntry:
    """What selections and sorts need of a refund: of an order's own entry, or of a full refund."""

    id: int
    instant: datetime | None
    """When it was made, UTC."""
    amount: Decimal | None
    """Never negative."""


@dataclass(frozen=True, slots=True)
class IncomingOrder:
    """An order as the database stores it: its content, and the fields it is found and sorted by.

    All texts can be stored anywhere: no NUL, no half of a surrogate pair, at most 200 characters.
    """

    id: int
    payload_text: str
    """Canonical JSON, ASCII only."""
    content_hash: str
    """SHA-256 of `payload_text`, hexadecimal."""
    number: str
    number_sort: str
    status: str
    instant: datetime | None
    """When it was created, UTC."""
    modified: datetime | None
    """When it was last changed, UTC."""
    customer_id: int | None
    customer_name: str
    customer_sort: str
    currency: str
    country: str
    total: Decimal | None
    file_stem: str
    file_key: str
    parent_id: int | None = None
    """The order that this one is a part of."""
    refunds: tuple[IncomingEntry, ...] = ()
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class IncomingRefund:
    """A full refund object, to be kept beside its order."""

    entry: IncomingEntry
    parent_id: int
    payload_text: str
    content_hash: str


@dataclass(frozen=True, slots=True)
class Rejection:
    """Why an entry was not taken. `id` is the one it showed, if it showed any."""

    code: str
    reason: str
    id: str | None


def classify(value: object, time_zone: tzinfo, *, envelope: str = "") -> IncomingOrder | IncomingRefund | Rejection:
    """Read one entry of an upload. `time_zone` is the shop's; `envelope` is the key that held it.

    Never raises for what a file may contain.
    """
    if not isinstance(value, Mapping):
        return Rejection("not_an_object", shapes.describe(value), None)
    try:
        if envelope in REFUND_ENVELOPES or shapes.is_refund(value):
            return _refund(value, time_zone)
        return _order(value, time_zone)
    except UnreadableOrder as error:
        return Rejection(error.code, str(error), _shown_id(value))
    except NotStorable as error:
        return Rejection("order_unreadable", str(error), _shown_id(value))


def _order(value: Mapping[str, object], time_zone: tzinfo) -> IncomingOrder | Rejection:
    refused = shapes.refuse_shape(value)
    if refused:
        return Rejection("no_order_in_it", refused, _shown_id(value))
    payload_text = write_payload(value)
    order = read_order(value, time_zone=time_zone)
    customer = order.customer_name()
    stem = filenames.stem(order.number, fallback=str(order.id))
    return IncomingOrder(
        id=order.id,
        payload_text=payload_text,
        content_hash=content_hash(payload_text),
        number=order.number[:_INDEX_LENGTH],
        number_sort=natural_sort_key(order.number),
        status=order.status[:_INDEX_LENGTH],
        instant=order.instant,
        modified=order.modified,
        customer_id=order.customer_id,
        customer_name=customer[:_INDEX_LENGTH],
        customer_sort=name_sort_key(customer),
        currency=order.currency[:_INDEX_LENGTH],
        country=(order.billing.country or order.shipping.country)[:_INDEX_LENGTH],
        total=order.total,
        file_stem=stem,
        file_key=filenames.key(stem),
        parent_id=order.parent_id,
        refunds=refund_entries(order),
        warnings=(*order.warnings, *_nameless(order)),
    )


def refund_entries(order: Order) -> tuple[IncomingEntry, ...]:
    """The refunds of an order that have an id to be told apart by, each once."""
    found = {
        refund.id: IncomingEntry(refund.id, refund.instant, refund.amount)
        for refund in order.refunds
        if refund.id is not None and refund.id > 0
    }
    return tuple(found.values())


def _nameless(order: Order) -> tuple[str, ...]:
    count = sum(refund.id is None or refund.id <= 0 for refund in order.refunds)
    return (f"{count} of its refunds have no id; no credit note can be made of them.",) if count else ()


def _refund(value: Mapping[str, object], time_zone: tzinfo) -> IncomingRefund | Rejection:
    refund = read_refund(value, time_zone=time_zone)
    if refund.id is None or refund.id <= 0:
        return Rejection("refund_id_invalid", "the refund's id is not a whole number above zero", _shown_id(value))
    parent = shapes.parent_of(value)
    if parent is None:
        reason = "the refund names no order: neither parent_id nor a link to one"
        return Rejection("refund_without_parent", reason, str(refund.id))
    payload_text = write_payload(value)
    entry = IncomingEntry(refund.id, refund.instant, refund.amount)
    return IncomingRefund(entry, parent, payload_text, content_hash(payload_text))


def natural_sort_key(number: str) -> str:
    """A key that sorts `A-9` before `a-10`: case folded, digit runs padded to 20."""
    folded = number[:_INDEX_LENGTH].casefold()
    return _DIGIT_RUN.sub(lambda run: run[1].zfill(_DIGITS), folded)[:_INDEX_LENGTH]


def name_sort_key(name: str) -> str:
    """A key that sorts Émile beside Emil: decomposed, marks taken off, case folded."""
    decomposed = unicodedata.normalize("NFKD", name[:_INDEX_LENGTH])
    letters = "".join(char for char in decomposed if not unicodedata.combining(char))
    return letters.casefold()[:_INDEX_LENGTH]


def _shown_id(value: Mapping[str, object]) -> str | None:
    shown = value.get("id")
    if isinstance(shown, bool) or not isinstance(shown, str | int | Decimal):
        return None
    return cleaned(str(shown)[:40]) or None
