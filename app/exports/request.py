"""What an owner asks for when creating an export, checked and ready to be frozen."""

from dataclasses import dataclass
from uuid import UUID

from app.domain.document_type import DocumentType
from app.domain.filename_patterns import DEFAULT_PATTERN
from app.domain.pdf_variants import PdfVariant
from app.domain.selection import Selection, Sort


@dataclass(frozen=True, slots=True)
class ExportRequest:
    """A validated create or preview."""

    document_type: DocumentType
    layout: str
    selection: Selection
    sort: Sort
    filename_pattern: str = DEFAULT_PATTERN
    pdf: PdfVariant = PdfVariant.STANDARD


class ActiveExportExists(Exception):
    """The owner has an active export; `job_id` names it."""

    def __init__(self, job_id: UUID | None) -> None:
        super().__init__(str(job_id))
        self.job_id = job_id


class IdempotencyKeyReused(Exception):
    """The key was used with another body."""


class ExportDeleted(Exception):
    """The export that the key has created was deleted by its owner."""


class SelectionEmpty(Exception):
    """The selection matches nothing."""


class SelectionTooLarge(Exception):
    """The selection matches more than one export may hold."""

    def __init__(self, at_most: int) -> None:
        super().__init__(str(at_most))
        self.at_most = at_most


class RendererMissing(Exception):
    """Live hosts exist and none can render."""


class AlreadyFinished(Exception):
    """The job has ended and cannot be cancelled; `state` says how."""

    def __init__(self, state: str) -> None:
        super().__init__(state)
        self.state = state


class StillActive(Exception):
    """The job has not ended and can be neither deleted nor retried; `state` says where it stands."""

    def __init__(self, state: str) -> None:
        super().__init__(state)
        self.state = state


class ExportCancelled(Exception):
    """The job was cancelled, and what its owner has stopped is not taken up again."""


class NothingToRetry(Exception):
    """No item of the job can be tried again."""


class RetryUnplanned(Exception):
    """A retry, named by `job_id`, still needs the job's items."""

    def __init__(self, job_id: UUID) -> None:
        super().__init__(str(job_id))
        self.job_id = job_id
