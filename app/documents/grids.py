"""Whether a table's rows all have as many columns, and its columns as many rows: else no header can be found."""

from collections import Counter
from collections.abc import Iterator

from app.documents.structure import CELLS, Node


def is_regular(table: Node) -> bool:
    """Whether the cells of a table fill a rectangle, none over another (ISO 14289-1, 7.5)."""
    taken: Counter[tuple[int, int]] = Counter()
    rows = list(_rows(table))
    for y, row in enumerate(rows):
        x = 0
        for cell in row.children:
            if not isinstance(cell, Node) or cell.role not in CELLS:
                continue
            while (x, y) in taken:
                x += 1
            width, height = cell.attributes.get("ColSpan", 1), cell.attributes.get("RowSpan", 1)
            taken.update((x + right, y + down) for right in range(width) for down in range(height))
            x += width
    width = max((x for x, _ in taken), default=-1) + 1
    return len(taken) == width * len(rows) == taken.total()


def _rows(node: Node) -> Iterator[Node]:
    for child in node.children:
        if isinstance(child, Node):
            if child.role == "TR":
                yield child
            elif child.role in {"THead", "TBody", "TFoot"}:
                yield from _rows(child)
