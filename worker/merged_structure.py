"""The structure tree of a combined PDF: those of its documents, side by side, with all ways back to them."""

from collections.abc import Iterable, Iterator
from typing import Final

from pikepdf import Array, Dictionary, Name, Object, Page, Pdf

_OWNED: Final = "/StructParent"


class MergedStructure:
    """The tree in the making."""

    def __init__(self, pdf: Pdf) -> None:
        self._pdf = pdf
        self._document = pdf.make_indirect(Dictionary(Type=Name.StructElem, S=Name.Document, K=Array()))
        self._numbers: list[Object | int] = []
        self._next_key = 0

    def take(self, source: Pdf, pages: Iterable[Page]) -> None:
        """Add the tree of a document, whose pages are copied already."""
        root = self._pdf.copy_foreign(source.Root.StructTreeRoot)
        numbers = list(root.ParentTree.Nums)
        for key, owners in zip(numbers[::2], numbers[1::2], strict=True):
            self._numbers += [int(key) + self._next_key, owners]
        for page in pages:
            page.obj.StructParents = int(page.obj.StructParents) + self._next_key
            for annotation in _owned(page):
                annotation[_OWNED] = int(annotation[_OWNED]) + self._next_key
        self._next_key += int(root.ParentTreeNextKey)
        part = root.K[0]
        part.S, part.P, part.Lang = Name.Part, self._document, str(source.Root.Lang)
        self._document.K.append(part)

    def finish(self) -> None:
        """Put the tree into the PDF."""
        root = self._pdf.make_indirect(Dictionary(Type=Name.StructTreeRoot, K=Array([self._document])))
        root.ParentTree = self._pdf.make_indirect(Dictionary(Nums=Array(self._numbers)))
        root.ParentTreeNextKey = self._next_key
        self._document.P = root
        self._pdf.Root.StructTreeRoot = root
        self._pdf.Root.MarkInfo = Dictionary(Marked=True)
        self._pdf.Root.ViewerPreferences = Dictionary(DisplayDocTitle=True)


def _owned(page: Page) -> Iterator[Object]:
    for annotation in page.obj.get("/Annots", Array()):
        if _OWNED in annotation:
            yield annotation
