"""The combined PDFs of an archive: each is written as soon as its last document has come."""

import io
import shutil
import tempfile
import zipfile
from types import TracebackType
from typing import TYPE_CHECKING, BinaryIO, Self, cast

from app.domain.layouts import Placing, combined_name
from app.domain.manifest import ManifestItem
from app.domain.pdf_variants import PdfVariant
from worker.entries import entry_of

if TYPE_CHECKING:
    from worker.merging import Merger


class CombinedFiles:
    """Takes rendered documents in ordinal order and puts the PDFs that they make into an archive."""

    def __init__(
        self, archive: zipfile.ZipFile, document_type: str, *, at_most: int, parts: int, pdf: PdfVariant
    ) -> None:
        self._archive = archive
        self._document_type = document_type
        self._pdf = pdf
        self._placing = Placing(at_most=at_most)
        self._part, self._parts = 0, parts
        self._merger: Merger | None = None
        self._name = self._newest = ""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, _kind: type[BaseException] | None, _error: BaseException | None, _: TracebackType | None
    ) -> None:
        self._drop()

    def add(self, item: ManifestItem, pdf: bytes) -> None:
        """Append a document; raises `OSError` if the part before it cannot be written."""
        place = self._placing.place(size=len(pdf), pages=item.pages or 0)
        if place.part != self._part:
            self.finish()
            self._part = place.part
            self._name = combined_name(self._document_type, part=place.part, parts=self._parts)
            from worker.merging import Merger  # noqa: PLC0415 - pikepdf is for children that merge

            self._merger = Merger(self._name.removesuffix(".pdf"), self._pdf)
        if self._merger is not None:
            self._merger.add(pdf, title=item.number)
            self._newest = max(self._newest, item.date)

    def finish(self) -> None:
        """Write the part that is open, if any; raises `OSError`."""
        if self._merger is None:
            return
        with tempfile.TemporaryFile() as file:
            self._merger.save(cast(BinaryIO, file))
            entry = entry_of(self._name, self._newest, size=file.seek(0, io.SEEK_END))
            file.seek(0)
            with self._archive.open(entry, "w") as target:
                shutil.copyfileobj(file, target, 1 << 20)
        self._drop()

    def _drop(self) -> None:
        if self._merger is not None:
            self._merger.close()
        self._merger, self._newest = None, ""
