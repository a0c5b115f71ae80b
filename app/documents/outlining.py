"""The structure tree of a document, made as its boxes are met."""

from collections.abc import Iterator
from typing import Any

import pydyf  # type: ignore[import-untyped]
from weasyprint.formatting_structure import boxes  # type: ignore[import-untyped]

from app.documents.roles import ABOVE, GROUPS, HEADING, LINES, ROLES, has_headers, is_around_table, scope_of
from app.documents.structure import CELLS, Mark, Node


class Outline:
    """The tree; elements of HTML go on in it from line to line and from page to page."""

    def __init__(self) -> None:
        self.document = Node("Document")
        self._known: dict[tuple[Any, str], Node] = {}
        self.tables: list[Node] = []
        self._level = 0
        """Of the heading before."""

    def enter(self, node: Node, box: Any) -> Node:
        """The structure element of what is in a box, which stands in what `node` holds."""
        element, tag = box.element, box.element_tag
        if element is None or tag is None:
            return node
        key = (element, tag)
        if key not in self._known:
            if tag == "li::marker":
                self._known[key] = _label(node)
            elif "::" in tag:
                return node
            else:
                self._known[key] = self._entered(node, box)
        return self._known[key]

    def add(self, node: Node, mark: Mark) -> None:
        """Give text to an element."""
        _of_text(node).children.append(mark)

    def goes_on(self, node: Node) -> bool:
        """Whether text here continues what stands before it."""
        return node.role not in GROUPS or node.last("P") is not None

    def picture(self, node: Node, mark: Mark, *, alt: str, place: tuple[float, float, float, float]) -> None:
        """Give a picture to an element; its place is left, bottom, right and top in points."""
        figure = node.child("Figure")
        figure.alt, figure.attributes = alt, {"O": "/Layout", "BBox": pydyf.Array(place)}
        figure.children.append(mark)

    def link(self, node: Node, element: Any) -> Node:
        """The structure element of what can be clicked."""
        around = node if node.role == "Link" else node.within("Link")
        if around is not None:
            return around
        key = (element, "::link")
        if key not in self._known:
            self._known[key] = _of_text(node).child("Link")
        return self._known[key]

    def _entered(self, node: Node, box: Any) -> Node:
        entered = self._placed(node, box)
        lang = box.element.get("lang")
        if lang and box.element_tag != "html":
            if entered is node:
                entered = _of_text(node).child("Span")
            entered.lang = lang
        return entered

    def _placed(self, node: Node, box: Any) -> Node:
        tag = box.element_tag
        if tag == "tr" and is_around_table(box.element):
            return _beside(node)
        role = self._role_in(node, box)
        if role is None:
            is_line = isinstance(box, boxes.InlineLevelBox) or LINES.fullmatch(node.role)
            return node if is_line else node.child("Div")
        if role in {"Lbl", "LBody"}:
            return _item(node, is_begun=role == "LBody").child(role)
        entered = node.child(role)
        entered.tag = tag
        if role == "Table":
            self.tables.append(entered)
        if role in CELLS:
            entered.attributes = dict(_cell(entered, box))
        return entered.child("LBody") if tag == "li" else entered

    def _role_in(self, node: Node, box: Any) -> str | None:
        tag = box.element_tag
        if heading := HEADING.fullmatch(tag):
            # no level is skipped, whatever size a template wants
            self._level = min(int(heading[1]), self._level + 1)
            return f"H{self._level}"
        if tag == "div" and node.role == "L":
            return "LI"
        role = ROLES.get(tag)
        if role is None or (role == "Table" and not has_headers(box.element)):
            return None
        return role if node.role in ABOVE.get(role, {node.role}) else None


def _of_text(node: Node) -> Node:
    """The element that text which stands in another one belongs to."""
    if node.role == "L":
        node = _item(node, is_begun=True)
    if node.role == "LI":
        return node.last("LBody") or node.child("LBody")
    if node.role in GROUPS:
        return node.last("P") or node.child("P")
    return node


def _item(node: Node, *, is_begun: bool) -> Node:
    """The item of a list that a term, or what is said of it, belongs to."""
    if node.role != "L":
        return node
    last = node.last("LI")
    return last if last is not None and (is_begun or last.last("LBody") is None) else node.child("LI")


def _label(node: Node) -> Node:
    """What stands before an item of a list: its number or its dot."""
    if node.role != "LBody" or node.parent is None or node.parent.parent is None:
        return node
    item, items = node.parent, node.parent.parent
    items.attributes = {"O": "/List", "ListNumbering": "/Decimal" if items.tag == "ol" else "/Disc"}
    label = Node("Lbl", parent=item)
    item.children.insert(0, label)
    return label


def _beside(node: Node) -> Node:
    """Where a table goes that stands in a row of another one for its width only: behind that one."""
    table = node if node.role == "Table" else node.within("Table")
    return node if table is None or table.parent is None else table.parent.child("Div")


def _cell(cell: Node, box: Any) -> Iterator[tuple[str, Any]]:
    yield "O", "/Table"
    if cell.role == "TH":
        yield "Scope", f"/{scope_of(box.element, is_in_head=cell.within('THead') is not None)}"
    if box.colspan != 1:
        yield "ColSpan", box.colspan
    if box.rowspan != 1:
        yield "RowSpan", box.rowspan
