"""A structure tree in the making: elements with what they hold, written into a PDF (ISO 32000-1, 14.7)."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import pydyf  # type: ignore[import-untyped]

CELLS: Final = frozenset({"TH", "TD"})
"""What a table needs even if nothing stands in it: else its rows have columns of their own."""


@dataclass(frozen=True, slots=True)
class Mark:
    """A marked piece of a page's content, by the number that it has there."""

    page: int
    mcid: int


@dataclass(frozen=True, slots=True)
class Annotation:
    """A place on a page that can be clicked."""

    page: int
    annotation: Any


@dataclass(eq=False, slots=True)
class Node:
    """A structure element."""

    role: str
    parent: "Node | None" = None
    tag: str = ""
    lang: str | None = None
    alt: str | None = None
    attributes: Mapping[str, Any] = field(default_factory=dict)
    children: "list[Node | Mark | Annotation]" = field(default_factory=list)

    def child(self, role: str) -> "Node":
        """A new element at its end."""
        child = Node(role, parent=self)
        self.children.append(child)
        return child

    def last(self, role: str) -> "Node | None":
        """What it ends with, if that has this role."""
        last = self.children[-1] if self.children else None
        return last if isinstance(last, Node) and last.role == role else None

    def within(self, role: str) -> "Node | None":
        """The next element above it that has this role."""
        above = self.parent
        while above is not None and above.role != role:
            above = above.parent
        return above

    def is_empty(self) -> bool:
        """Whether nothing would be missed without it."""
        if self.role in CELLS:
            return False
        return all(isinstance(child, Node) and child.is_empty() for child in self.children)

    def kids(self) -> "Iterator[Node | Mark | Annotation]":
        """What it holds, without what says nothing."""
        for child in self.children:
            if not isinstance(child, Node):
                yield child
            elif child.role == "Div" and child.lang is None:
                yield from child.kids()
            elif not child.is_empty():
                yield child


def write(document: Node, pdf: Any) -> None:
    """Add the tree to a PDF, with the way back from each piece of content to its element."""
    writer = _Writer(pdf)
    root = pydyf.Dictionary({"Type": "/StructTreeRoot"})
    pdf.add_object(root)
    root["K"] = pydyf.Array([writer.element(document, root)])
    numbers = pydyf.Array(writer.numbers())
    parents = pydyf.Dictionary({"Nums": numbers})
    pdf.add_object(parents)
    root["ParentTree"] = parents.reference
    root["ParentTreeNextKey"] = len(numbers) // 2
    pdf.catalog["StructTreeRoot"] = root.reference


class _Writer:
    """Writes elements, and remembers which one each piece of content is of."""

    def __init__(self, pdf: Any) -> None:
        self._pdf = pdf
        self._pages: Sequence[bytes] = pdf.page_references
        self._owners: list[dict[int, bytes]] = [{} for _ in self._pages]
        self._annotations: list[bytes] = []

    def element(self, node: Node, parent: Any) -> bytes:
        """Write an element with all that it holds, and give its reference."""
        element = pydyf.Dictionary({"Type": "/StructElem", "S": f"/{node.role}", "P": parent.reference})
        self._pdf.add_object(element)
        if node.lang is not None:
            element["Lang"] = pydyf.String(node.lang)
        if node.alt is not None:
            element["Alt"] = pydyf.String(node.alt)
        if node.attributes:
            element["A"] = pydyf.Dictionary(node.attributes)
        element["K"] = pydyf.Array(self._kid(kid, element) for kid in node.kids())
        return bytes(element.reference)

    def numbers(self) -> Iterator[Any]:
        """The number tree from content to elements: the pages by their places, then what can be clicked."""
        for page, owners in enumerate(self._owners):
            yield page
            yield pydyf.Array(owners.get(mcid, b"null") for mcid in range(max(owners, default=-1) + 1))
        for place, owner in enumerate(self._annotations, start=len(self._pages)):
            yield from (place, owner)

    def _kid(self, kid: "Node | Mark | Annotation", element: Any) -> Any:
        match kid:
            case Node():
                return self.element(kid, element)
            case Mark(page, mcid):
                self._owners[page][mcid] = element.reference
                page_reference = self._pages[page]
                if element.setdefault("Pg", page_reference) == page_reference:
                    return mcid
                return pydyf.Dictionary({"Type": "/MCR", "Pg": page_reference, "MCID": mcid})
            case Annotation(page, annotation):
                annotation["StructParent"] = len(self._pages) + len(self._annotations)
                self._annotations.append(element.reference)
                return pydyf.Dictionary({"Type": "/OBJR", "Obj": annotation.reference, "Pg": self._pages[page]})
