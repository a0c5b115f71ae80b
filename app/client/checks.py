"""What a check of orders for e-invoices found, as frozen values."""

from dataclasses import dataclass, field
from typing import Any, Final

from pydantic import TypeAdapter

from app.client.answers import read


@dataclass(frozen=True, slots=True)
class Finding:
    """One rule of EN 16931 that a document breaks."""

    rule: str
    severity: str
    where: str
    detail: str


@dataclass(frozen=True, slots=True)
class CheckedDocument:
    """An invoice or credit note that no e-invoice can be made of yet."""

    order_id: int
    number: str
    document_type: str
    refund_id: int | None
    findings: tuple[Finding, ...]


@dataclass(frozen=True, slots=True)
class RuleCount:
    """How many documents of the page break one rule."""

    rule: str
    terms: str
    severity: str
    title: str
    remedy: str
    documents: int
    examples: tuple[str, ...]
    """The numbers of the first of them."""
    details: tuple[str, ...] = ()
    """The first of the different ways in which they break it."""


@dataclass(frozen=True, slots=True)
class OrdersCheck:
    """One page of the check."""

    checked: int
    """Invoices and credit notes that were looked at."""
    ready: int
    skipped: int
    """Orders of which no invoice is owed."""
    not_found: tuple[str, ...]
    """Ids and numbers that were named and no order has."""
    rules: tuple[RuleCount, ...]
    documents: tuple[CheckedDocument, ...]
    """Those that are not ready."""
    document: dict[str, Any] = field(default_factory=dict, repr=False, compare=False)
    """The JSON as it was sent."""


def read_check(document: dict[str, Any]) -> OrdersCheck:
    """One page, with the JSON it came as."""
    return read(_CHECK, {**document, "document": document})


_CHECK: Final = TypeAdapter(OrdersCheck)
