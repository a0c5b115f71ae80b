"""Tags: what a document says, element by element, for readers that do not see it (ISO 32000-1, 14.8).

WeasyPrint's own tagger takes each page for itself: a table over three pages is three tables, its head is read out on
each, and so is what stands in the margins. This one follows the elements of the HTML over all pages.
"""

from collections.abc import Collection, Sequence
from typing import Any, Final

import pydyf  # type: ignore[import-untyped]
from weasyprint.formatting_structure import boxes  # type: ignore[import-untyped]
from weasyprint.layout.absolute import AbsolutePlaceholder  # type: ignore[import-untyped]

from app.documents.grids import is_regular
from app.documents.outlining import Outline
from app.documents.rules import RuleBroken
from app.documents.structure import Annotation, Mark, Node, write

POINTS: Final = 0.75
"""Of a PDF in one pixel of CSS."""

_DECORATION: Final = {"Type": "/Pagination"}


def add_tags(pdf: Any, document: Any, _version: str, streams: Sequence[Any]) -> None:
    """Tag a document that is painted, in the place of WeasyPrint's function; raises `RuleBroken`."""
    tagger = _Tagger(document.pages)
    for page, stream in enumerate(streams):
        tagger.tag(page, stream)
    if not all(is_regular(table) for table in tagger.outline.tables):
        raise RuleBroken("the rows of a table have different numbers of columns, so that no cell's header can be told")
    write(tagger.outline.document, pdf)
    pdf.catalog["ViewerPreferences"] = pydyf.Dictionary({"DisplayDocTitle": "true"})
    pdf.catalog["MarkInfo"] = pydyf.Dictionary({"Marked": "true"})


class _Tagger:
    """Goes through the boxes of each page, which come in the order of the HTML."""

    def __init__(self, pages: Sequence[Any]) -> None:
        self.outline = Outline()
        self._pages = pages
        self._page = 0
        self._marks: dict[Any, Any] = {}
        """What is drawn on the page, and was not met yet."""
        self._fixed: list[Any] = []
        self._heads: dict[Any, int] = {}
        """The page on which each head and foot of a table was first met: on all others it stands again."""

    def tag(self, page: int, stream: Any) -> None:
        """Give what stands on a page to its elements. What none of them takes is decoration."""
        self._page, self._marks, self._fixed = page, stream._tags, []
        if sum(_mcid(one) is not None for one in stream.stream) != len(self._marks):
            raise RuleBroken("it has something that is transparent and holds text, which no element of a page can own")
        self._walk(self._pages[page]._page_box, self.outline.document)
        if page == len(self._pages) - 1:
            # what stands on every page is said once, at the end
            for box in self._fixed:
                self._walk_into(box, self.outline.document)
        _withdraw({mark["mcid"] for mark in self._marks.values()}, stream.stream)
        self._marks.clear()

    def _walk(self, box: Any, node: Node) -> None:
        if isinstance(box, AbsolutePlaceholder):
            box = box._box
        if isinstance(box, boxes.MarginBox) or self._stands_again(box):
            return
        if box.style["position"] == "fixed":
            self._fixed.append(box)
        else:
            self._walk_into(box, node)

    def _walk_into(self, box: Any, node: Node) -> None:
        match box:
            case boxes.TextBox():
                # of a space that separates nothing no paragraph is made
                if box in self._marks and (box.text.strip() or self.outline.goes_on(node)):
                    self.outline.add(node, Mark(self._page, self._marks.pop(box)["mcid"]))
            case boxes.ReplacedBox():
                self._take_picture(box, self._entered(box, node))
            case _:
                node = self._entered(box, node)
                for child in box.children:
                    self._walk(child, node)

    def _entered(self, box: Any, node: Node) -> Node:
        node = self.outline.enter(node, box)
        if box.link_annotation is None:
            return node
        link = self.outline.link(node, box.element)
        link.children.append(Annotation(self._page, box.link_annotation))
        return node if node.within("Link") is link else link

    def _stands_again(self, box: Any) -> bool:
        if not isinstance(box, boxes.TableRowGroupBox) or not (box.is_header or box.is_footer):
            return False
        return self._heads.setdefault(box.element, self._page) != self._page

    def _take_picture(self, box: Any, node: Node) -> None:
        alt = _alternative(box)
        if alt and box in self._marks:
            mark = Mark(self._page, self._marks.pop(box)["mcid"])
            self.outline.picture(node, mark, alt=alt, place=self._place(box))

    def _place(self, box: Any) -> tuple[float, float, float, float]:
        """Where a picture is, in points from the lower left corner of its page."""
        left, top = box.content_box_x(), box.content_box_y()
        height = self._pages[self._page].height
        right, bottom = left + box.width, top + box.height
        return left * POINTS, (height - bottom) * POINTS, right * POINTS, (height - top) * POINTS


def _alternative(box: Any) -> str:
    """What is said for a picture, empty for decoration; raises `RuleBroken` if the template does not tell."""
    element = box.element
    if element is None or "::" in box.element_tag:
        return ""  # of a style sheet
    if element.tag.endswith("}svg"):
        found = element.findtext("{http://www.w3.org/2000/svg}title")
    else:
        found = element.get("alt")
    if found is None:
        raise RuleBroken("a picture has no alternative text: give it an “alt”, empty for mere decoration")
    return str(found)


def _mcid(operand: Any) -> int | None:
    return operand.get("MCID") if isinstance(operand, pydyf.Dictionary) else None


def _withdraw(mcids: Collection[int], content: list[Any]) -> None:
    """Make decoration of these marked pieces of a page."""
    if not mcids:
        return
    for place, operand in enumerate(content):
        if _mcid(operand) in mcids:
            content[place - 1 : place + 1] = "/Artifact", pydyf.Dictionary(_DECORATION)
