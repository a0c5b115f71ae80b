"""Previews as the server answers them, as frozen values; members that are new to this client are left out."""

from dataclasses import dataclass, field
from typing import Any, Final

from pydantic import TypeAdapter

from app.client.answers import read
from app.domain.lifecycle import Outcome


@dataclass(frozen=True, slots=True)
class PreviewCounts:
    """The items that the export would have."""

    requested: int
    to_render: int
    skipped: int
    failed: int


@dataclass(frozen=True, slots=True)
class PreviewDocument:
    """One of the first documents; what only the order itself tells is None or empty where it was not read."""

    ordinal: int
    order_id: int | None
    refund_id: int | None
    number: str
    date: str | None
    customer: str
    currency: str
    total: str | None
    file_name: str | None
    expected: Outcome | None
    code: str | None
    reason: str | None
    warnings: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class PreviewItem:
    """An item that would get no document."""

    ordinal: int
    order_id: int | None
    refund_id: int | None
    number: str
    reason: str


@dataclass(frozen=True, slots=True)
class PreviewGroup:
    """The items that would be skipped, or fail, for one reason, and the first of them."""

    code: str
    count: int
    first: tuple[PreviewItem, ...]


@dataclass(frozen=True, slots=True)
class PreviewEstimate:
    """From planning to the archive."""

    seconds: int
    documents_per_second: float
    basis: str


@dataclass(frozen=True, slots=True)
class PreviewWarning:
    """Why the export would not be what is expected."""

    code: str
    detail: str


@dataclass(frozen=True, slots=True)
class ExportPreview:
    """What an export would be planned as."""

    counts: PreviewCounts
    undated_orders: int
    first: tuple[PreviewDocument, ...]
    skipped: tuple[PreviewGroup, ...]
    failed: tuple[PreviewGroup, ...]
    estimate: PreviewEstimate
    warnings: tuple[PreviewWarning, ...]
    active_export: str | None
    document: dict[str, Any] = field(default_factory=dict, repr=False, compare=False)
    """The JSON as it was sent."""


@dataclass(frozen=True, slots=True)
class Document:
    """One document, rendered for a look."""

    name: str
    """A bare, portable file name."""
    pdf: bytes = field(repr=False)


def read_export_preview(document: dict[str, Any]) -> ExportPreview:
    """A preview, with the JSON it came as."""
    return read(_PREVIEW, {**document, "document": document})


_PREVIEW: Final = TypeAdapter(ExportPreview)
