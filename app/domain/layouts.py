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


class Placing:
    """Gives each rendered document its place, in ordinal order."""

    def __init__(self, *, at_most: int) -> None:
        self.parts = 0
        """How many there are so far."""
        self._at_most = at_most
        self._documents = self._bytes = self._pages = 0

    def place(self, *, size: int, pages: int) -> Place:
        """The place of the next document, of that many bytes and pages."""
        is_full = self._documents == self._at_most or self._bytes + size > PART_BYTES
        if self.parts == 0 or is_full:
            self.parts += 1
            self._documents = self._bytes = self._pages = 0
        found = Place(self.parts, self._pages + 1)
        self._documents += 1
        self._bytes += size
        self._pages += pages
        return found


def combined_name(document_type: str, *, part: int, parts: int) -> str:
    """`invoices.pdf`, or `invoices-001.pdf` and so on if there are several."""
    name = f"{word(document_type)}s"
    return f"{name}.pdf" if parts == 1 else f"{name}-{part:0{max(3, len(str(parts)))}}.pdf"
