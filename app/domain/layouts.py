"""Layouts: documents as files of their own, combined into PDFs of many, or both; and where each one stands.

A combined PDF ends at a number of documents that its export was created with, and earlier before its documents
exceed `PART_BYTES` together: whoever merges them holds no more than one part.
"""

from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from app.domain.filenames import word

COMBINED_PART: Final = 500
"""Documents in one combined PDF, unless an export was created with another number."""

PART_BYTES: Final = 64 << 20
"""Bytes of the documents of one part. Five hundred usual ones have ten million; one of 5,000 lines has a million."""


class Layout(StrEnum):
    """What an archive holds of each document."""

    SEPARATE = "separate"
    COMBINED = "combined"
    BOTH = "both"

    @property
    def has_single_files(self) -> bool:
        """Each document is a file of its own."""
        return self is not Layout.COMBINED

    @property
    def has_combined_files(self) -> bool:
        """Each document stands in a PDF of many."""
        return self is not Layout.SEPARATE


@dataclass(frozen=True, slots=True)
class Place:
    """Where a document begins; both count from 1."""

    part: int
    page: int


@dataclass(frozen=True, slots=True)
class Filled:
    """What the part holds that documents are put into, and which one it is; before the first document it is none."""

    part: int = 0
    documents: int = 0
    bytes: int = 0
    pages: int = 0


class Placing:
    """Gives each rendered document its place, in ordinal order."""

    def __init__(self, *, at_most: int, filled: Filled = Filled()) -> None:
        self.filled = filled
        """How far it has come: with this another one goes on."""
        self._at_most = at_most

    @property
    def parts(self) -> int:
        """How many there are so far."""
        return self.filled.part

    def place(self, *, size: int, pages: int) -> Place:
        """The place of the next document, of that many bytes and pages."""
        part = self.filled
        is_full = part.documents == self._at_most or part.bytes + size > PART_BYTES
        if part.part == 0 or is_full:
            part = Filled(part.part + 1)
        self.filled = Filled(part.part, part.documents + 1, part.bytes + size, part.pages + pages)
        return Place(part.part, part.pages + 1)


def combined_name(document_type: str, *, part: int, parts: int) -> str:
    """`invoices.pdf`, or `invoices-001.pdf` and so on if there are several."""
    name = f"{word(document_type)}s"
    return f"{name}.pdf" if parts == 1 else f"{name}-{part:0{max(3, len(str(parts)))}}.pdf"
