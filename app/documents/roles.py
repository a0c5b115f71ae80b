"""What each element of HTML is called in a tagged PDF (ISO 32000-1, 14.8.4), and what it tells beyond its name."""

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

ROLES: Final[Mapping[str, str]] = {
    "article": "Art",
    "section": "Sect",
    "blockquote": "BlockQuote",
    "p": "P",
    "pre": "P",
    "address": "P",
    "caption": "Caption",
    "table": "Table",
    "thead": "THead",
    "tbody": "TBody",
    "tfoot": "TFoot",
    "tr": "TR",
    "th": "TH",
    "td": "TD",
    "ul": "L",
    "ol": "L",
    "dl": "L",
    "li": "LI",
    "dt": "Lbl",
    "dd": "LBody",
}
"""Headings have one too; of all others, what they hold is held by the one around them."""

ABOVE: Final[Mapping[str, frozenset[str]]] = {
    "Caption": frozenset({"Table"}),
    "THead": frozenset({"Table"}),
    "TBody": frozenset({"Table"}),
    "TFoot": frozenset({"Table"}),
    "TR": frozenset({"Table", "THead", "TBody", "TFoot"}),
    "TH": frozenset({"TR"}),
    "TD": frozenset({"TR"}),
    "LI": frozenset({"L"}),
    "Lbl": frozenset({"L", "LI"}),
    "LBody": frozenset({"L", "LI"}),
}
"""Roles that stand only directly in these; elsewhere the element has none."""

GROUPS: Final = frozenset({"Document", "Art", "Sect", "BlockQuote", "Div"})
"""Roles that hold no text but in paragraphs."""

LINES: Final = re.compile("P|H[1-6]|Caption|Span|Link")
"""Roles that hold no paragraphs."""

HEADING: Final = re.compile("h([1-6])")


def has_headers(table: Any) -> bool:
    """Whether a table says what its cells are; one that does not only puts things side by side."""
    return any(one.tag == "th" for one in _own(table))


def is_around_table(row: Any) -> bool:
    """Whether a row is there for the width of another table, and for nothing else."""
    cells = list(row)
    return len(cells) == 1 and [one.tag for one in cells[0]] == ["table"] and not (cells[0].text or "").strip()


def scope_of(header: Any, *, is_in_head: bool) -> str:
    """Whether a header cell heads its row or its column: as it says, or else by where it stands."""
    said = header.get("scope", "")
    if said.startswith(("row", "col")):
        return "Row" if said.startswith("row") else "Column"
    return "Column" if is_in_head else "Row"


def _own(element: Any) -> Iterator[Any]:
    """What is in a table, but not in tables within it."""
    for one in element:
        if one.tag != "table":
            yield one
            yield from _own(one)
