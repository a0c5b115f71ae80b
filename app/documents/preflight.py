"""What a document prints that no font has: found before it is laid out, told, and spelled out instead of a box."""

import html
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass, replace
from typing import Any, Final, TypeVar
from unicodedata import category, name

from app.documents.coverage import lacking
from app.documents.tall import REST
from app.documents.view import DocumentView, PackedLine, Party, PricedLine, Row

T = TypeVar("T")

NAMED: Final = 5
"""Characters that a warning names; and places that it names for each."""

_NOT_PRINTED: Final = frozenset({"lang", "direction", "han", "created", "shape", "figures", "sum_figures", "manifest"})
"""Fields of a view that style sheets and the manifest read."""

_PLACES: Final = {
    "seller": "the store's name",
    "seller_lines": "the store's address",
    "footer": "the foot of the page",
    "foot": "the foot of the page",
    "title": "the title",
}
"""What a reader of warnings calls a field; others go by their label, their heading or their line."""

_REFERENCE: Final = re.compile(r"&#[xX]?[0-9a-fA-F]+;?")

_TEMPLATE: Final = "the store's own template"


class GlyphsMissing(Exception):
    """Characters have no glyph, and the store wants no document then; `reason` names them."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


@dataclass(frozen=True, slots=True)
class Missing:
    """The characters that no font has, each with the places where it is printed."""

    places: Mapping[str, Sequence[str]]

    @property
    def reason(self) -> str:
        """Which characters have no glyph and where they stand: a sentence without its end."""
        named = [f"{_named(char)} in {_some(self.places[char])}" for char in list(self.places)[:NAMED]]
        more = len(self.places) - len(named)
        rest = [f"{more} more character{'s' if more > 1 else ''}"] if more else []
        return spelled_out(f"No font has {'; '.join([*named, *rest])}", self.places)

    @property
    def warning(self) -> str:
        """The same, with what was printed in their place."""
        return f"{self.reason}: each is printed as its code, such as {_code(next(iter(self.places)))}."


def missing_in(view: DocumentView) -> Missing | None:
    """What a document would print as boxes; None if every character has its glyph."""
    found: dict[str, dict[str, None]] = {}
    for place, text in _texts(view, "the document"):
        for char in sorted(lacking(text)):
            found.setdefault(char, {})[place] = None
    return Missing({char: tuple(places) for char, places in found.items()}) if found else None


def missing_in_template(text: str) -> Missing | None:
    """What remains in a filled template, or in its style, once the view has nothing that is missing."""
    found = lacking(html.unescape(text))
    return Missing(dict.fromkeys(sorted(found), (_TEMPLATE,))) if found else None


def spelled_out(text: str, chars: Collection[str]) -> str:
    """The text with each of these characters as its code: `[U+E000]` is read as what it is, a box is not."""
    return text.translate({ord(char): _code(char) for char in chars})


def spelled_in_markup(markup: str, chars: Collection[str]) -> str:
    """The same for HTML, whose numbered references may stand for these characters too."""

    def spelled(reference: re.Match[str]) -> str:
        char = html.unescape(reference[0])
        return _code(char) if char in chars else reference[0]

    return spelled_out(_REFERENCE.sub(spelled, markup), chars)


def spelled_throughout(value: T, chars: Collection[str]) -> T:
    """The same for every text of an order, of a store's settings or of a view, down to the last line."""
    changed: Any = value
    match value:
        case str() if type(value) is str:
            changed = spelled_out(value, chars)
        case tuple() | list():
            changed = type(value)(spelled_throughout(one, chars) for one in value)
        case Mapping():
            changed = {key: spelled_throughout(one, chars) for key, one in value.items()}
        case _ if is_dataclass(value) and not isinstance(value, type):
            kept = {field.name: getattr(value, field.name) for field in fields(value)}
            changed = replace(value, **{field: spelled_throughout(one, chars) for field, one in kept.items()})
    return changed  # type: ignore[no-any-return]


def _texts(value: object, place: str) -> Iterator[tuple[str, str]]:
    """Every text that is printed, with what its place is called."""
    match value:
        case str():
            yield place, value
        case Row():
            yield from ((_quoted(value.label, place), text) for text in (value.label, value.text))
        case Party():
            where = _quoted(value.heading, place)
            yield from ((where, text) for text in (value.heading, *value.lines))
        case Mapping():
            for one in value.values():
                yield from _texts(one, place)
        case Sequence():
            number = 0
            for one in value:
                if isinstance(one, PricedLine | PackedLine):
                    number += not one.shape.startswith(REST)
                    yield from _texts(one, f"line {number}")
                else:
                    yield from _texts(one, place)
        case _ if is_dataclass(value):
            for field in fields(value):
                if field.name not in _NOT_PRINTED:
                    yield from _texts(getattr(value, field.name), _PLACES.get(field.name, place))


def _quoted(label: str, place: str) -> str:
    return f"“{label}”" if label else place


def _some(places: Sequence[str]) -> str:
    more = len(places) - NAMED
    return ", ".join(places[:NAMED]) + (f" and {more} more places" if more > 0 else "")


def _named(char: str) -> str:
    unnamed = "private use" if category(char) == "Co" else "unnamed"
    return f"U+{ord(char):04X} ({name(char, unnamed)})"


def _code(char: str) -> str:
    return f"[U+{ord(char):04X}]"
