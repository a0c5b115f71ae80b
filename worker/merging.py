"""Merging: many documents become one PDF, with a bookmark for each. The same documents give the same bytes.

What is printed on a page stays as it is, page numbers among it; the page labels of a viewer begin anew with each
document too. Fonts, images and whatever else is the same in several documents is kept once.
"""

from collections.abc import Iterator
from hashlib import sha256
from io import BytesIO
from typing import Any, BinaryIO, Final

from pikepdf import Array, Dictionary, Name, Object, ObjectStreamMode, OutlineItem, Page, Pdf, Stream

from app.domain.pdf_variants import PdfVariant
from worker.merged_metadata import describe
from worker.merged_structure import MergedStructure

_CONTAINERS: Final = (Array, Dictionary, Stream)


class Merger:
    """One PDF in the making; what was added stays in memory until it is saved."""

    def __init__(self, title: str, pdf: PdfVariant = PdfVariant.STANDARD) -> None:
        self._pdf = Pdf.new()
        self._title = title
        self._variant = pdf
        self._structure = MergedStructure(self._pdf) if pdf is PdfVariant.PDF_UA_1 else None
        self._sources: list[Pdf] = []  # their streams are read when ours is saved
        self._bookmarks: list[tuple[str, int]] = []
        self._labels: list[Object | int] = []
        self._shared = _Shared()

    def add(self, document: bytes, *, title: str) -> None:
        """Append a document; its bookmark is its own title, or else the given one."""
        source = Pdf.open(BytesIO(document))
        first = len(self._pdf.pages)
        self._sources.append(source)
        self._pdf.pages.extend(source.pages)
        if self._structure is not None:
            self._structure.take(source, self._pages_from(first))
        for page in self._pages_from(first):
            if self._structure is None and "/StructParents" in page.obj:
                # a page alone has no structure tree that this could point into
                del page.obj["/StructParents"]
            if "/Resources" in page.obj:
                page.obj.Resources = self._shared.one_of(page.obj.Resources)
        self._bookmarks.append((str(source.docinfo.get("/Title", "")) or title, first))
        self._labels += [first, Dictionary(S=Name.D)]

    def save(self, file: BinaryIO) -> None:
        """Write the PDF."""
        first = self._sources[0]
        root = self._pdf.Root
        root.PageMode = Name.UseOutlines
        root.PageLabels = Dictionary(Nums=Array(self._labels))
        if "/Lang" in first.Root:
            root.Lang = str(first.Root.Lang)
        info = self._pdf.docinfo
        info["/Title"] = self._title
        for name in ("/Author", "/Producer"):
            if name in first.docinfo:
                info[name] = str(first.docinfo[name])
        if self._structure is not None:
            self._structure.finish()
        if self._variant is not PdfVariant.STANDARD:
            describe(self._pdf, self._variant, self._sources)
        with self._pdf.open_outline() as outline:
            outline.root.extend(OutlineItem(title, page) for title, page in self._bookmarks)
        self._pdf.save(
            file, deterministic_id=True, object_stream_mode=ObjectStreamMode.generate, fix_metadata_version=False
        )

    def close(self) -> None:
        """Give the memory back."""
        for pdf in (self._pdf, *self._sources):
            pdf.close()

    def _pages_from(self, first: int) -> Iterator[Page]:
        for place in range(first, len(self._pdf.pages)):
            yield self._pdf.pages[place]


class _Shared:
    """Finds, among the parts of many documents, those that are equal."""

    def __init__(self) -> None:
        self._by_content: dict[bytes, Object] = {}
        self._by_id: dict[tuple[int, int], Object] = {}

    def one_of(self, value: Object) -> Object:
        """The one object that stands for all that are equal to this one, whose own parts are such objects."""
        if value.is_indirect and value.objgen in self._by_id:
            return self._by_id[value.objgen]
        entries: list[tuple[Any, Any]] = list(enumerate(value) if isinstance(value, Array) else value.items())
        for key, part in entries:
            if isinstance(part, _CONTAINERS):
                one = self.one_of(part)
                if one.is_indirect and one.objgen != part.objgen:
                    value[key] = one
        if not value.is_indirect:
            return value
        one = self._by_content.setdefault(_digest(value), value)
        self._by_id[value.objgen] = one
        return one


def _digest(value: Object) -> bytes:
    if isinstance(value, Stream):
        return sha256(value.stream_dict.unparse(resolved=True) + b"\0" + value.read_raw_bytes()).digest()
    return sha256(value.unparse(resolved=True)).digest()
