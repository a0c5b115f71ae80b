"""What the server answers, as frozen values; members that are new to this client are left out."""

from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final, TypeVar
from uuid import UUID

from pydantic import TypeAdapter, ValidationError

from app.client.errors import NotUnderstood
from app.domain.lifecycle import JobState, Phase
from app.domain.manifest import CombinedItem, Failure, ManifestItem
from app.domain.pdf_variants import PdfVariant
from app.domain.progress import Counts

__all__ = [
    "Archive",
    "CombinedItem",
    "Export",
    "Failure",
    "ImportReport",
    "JobFailure",
    "ManifestItem",
    "Rejected",
]

Answer = TypeVar("Answer")


@dataclass(frozen=True, slots=True)
class Archive:
    """A finished archive."""

    bytes: int
    sha256: str
    expires_at: datetime
    is_expired: bool


@dataclass(frozen=True, slots=True)
class JobFailure:
    """Why a whole export failed."""

    code: str
    reason: str


@dataclass(frozen=True, slots=True)
class Export:
    """An export at one moment. Instants are aware, in UTC."""

    id: UUID
    state: JobState
    phase: Phase | None
    document_type: str
    layout: str
    counts: Counts
    percent: int
    seconds_left: int | None
    """The server's estimate while rendering."""
    queue_position: int | None
    """1 for the one that begins next; None unless queued."""
    waiting_for: str | None
    failure: JobFailure | None
    archive: Archive | None
    idempotency_key: str
    created_at: datetime
    started_at: datetime | None
    finished_at: datetime | None
    revision: int
    starts_in_seconds: int | None = None
    """The server's estimate while queued; None when unknown, or from an older server."""
    retry_of: UUID | None = None
    """The export that this one retries."""
    pdf: str = PdfVariant.STANDARD
    """What kind its PDFs are; an older server makes the usual ones only."""
    document: dict[str, Any] = field(default_factory=dict, repr=False, compare=False)
    """The JSON as it was sent."""

    @property
    def is_active(self) -> bool:
        """The export still moves."""
        return self.state.is_active


@dataclass(frozen=True, slots=True)
class Rejected:
    """One entry of an import that was not taken, or that is odd."""

    line: int
    id: str | None
    code: str
    reason: str


@dataclass(frozen=True, slots=True)
class ImportReport:
    """What an import did; orders and refunds are counted alike."""

    new: int
    changed: int
    unchanged: int
    stale: int
    rejected: int
    errors: tuple[Rejected, ...]
    errors_truncated: bool
    warnings: tuple[Rejected, ...] = ()
    """Entries that were taken, but odd."""


def read_export(document: dict[str, Any]) -> Export:
    """One export, with the JSON it came as."""
    return read(_EXPORT, {**document, "document": document})


def read_failure(document: dict[str, Any]) -> Failure:
    """One row of the failures list."""
    return read(_FAILURE, document)


def read_manifest_item(document: dict[str, Any]) -> ManifestItem:
    """One row of the manifest; a `CombinedItem` where the layout has combined PDFs."""
    return read(_MANIFEST_ITEM, document)


def read_import_report(document: dict[str, Any]) -> ImportReport:
    """What an import did."""
    return read(_IMPORT_REPORT, document)


_EXPORT: Final = TypeAdapter(Export)
_FAILURE: Final = TypeAdapter(Failure)
_MANIFEST_ITEM: Final[TypeAdapter[ManifestItem]] = TypeAdapter(ManifestItem | CombinedItem)
_IMPORT_REPORT: Final = TypeAdapter(ImportReport)


def read(shape: TypeAdapter[Answer], document: dict[str, Any]) -> Answer:
    """The document in this shape; raises `NotUnderstood` naming the member that does not fit."""
    try:
        return shape.validate_python(document)
    except ValidationError as error:
        where = ".".join(map(str, error.errors()[0]["loc"]))
        raise NotUnderstood(f"The server's answer has an unexpected `{where}`: is it another release?") from None
