"""What the renderer takes and gives: plain frozen values that cross a process boundary."""

from dataclasses import dataclass

from app.domain.document_type import DocumentType
from app.domain.pdf_variants import PdfVariant
from app.domain.store_settings import StoreSettings

__all__ = [
    "DocumentFacts",
    "DocumentType",
    "PdfVariant",
    "RenderRequest",
    "RenderedDocument",
    "SkippedDocument",
    "StoreSettings",
    "UnrenderableDocument",
]


@dataclass(frozen=True, slots=True)
class RenderRequest:
    """One document to make from one frozen order version."""

    document_type: DocumentType
    payload: str
    """The order as stored: JSON text of one WooCommerce order."""
    refunds: str
    """JSON text: a list of refund objects kept under the order; `[]` if none."""
    store: StoreSettings
    refund_id: int | None = None
    """Which refund a credit note is for: the shop's id of it. Other types have none."""
    pdf: PdfVariant = PdfVariant.STANDARD


@dataclass(frozen=True, slots=True)
class DocumentFacts:
    """What the manifest says of a rendered document, read from the order that was printed."""

    number: str
    date: str
    """The document's local date, ISO 8601 `YYYY-MM-DD`; empty if the shop sent none."""
    customer: str
    country: str
    currency: str
    net: str
    """Decimal text as printed, total less tax; empty if the shop stored no total, or none is printed."""
    tax: str
    total: str


@dataclass(frozen=True, slots=True)
class RenderedDocument:
    """A finished PDF, checked by reading it back."""

    pdf: bytes
    sha256: str
    pages: int
    facts: DocumentFacts
    warnings: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class UnrenderableDocument:
    """The order cannot become a document: a fact about this order, not an error of ours."""

    code: str
    reason: str


@dataclass(frozen=True, slots=True)
class SkippedDocument(UnrenderableDocument):
    """The order is owed no such document, so that none is missing."""
