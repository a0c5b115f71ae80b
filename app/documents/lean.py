"""Pages without WeasyPrint's rules for pseudo-elements that they cannot show: a twelfth of the time of a document.

Its style sheet gives every element a list's marker, the calls of footnotes and of notes, and theirs: six computed
styles beside its own, of which nothing is drawn unless some element is an item of a list or a note.
"""

import re
from functools import cache
from typing import Final

from weasyprint import CSS, HTML  # type: ignore[import-untyped]
from weasyprint.css.counters import CounterStyle  # type: ignore[import-untyped]
from weasyprint.html import UA  # type: ignore[import-untyped]

_RULES: Final = re.compile(
    r"^::(?:marker|footnote-call|footnote-marker|note-call|note-marker|note-callback) \{[^{}]*\}$", re.MULTILINE
)
"""The rules that are left out, as WeasyPrint 70 writes them."""

_MARKUP: Final = re.compile(r"<(?:li|summary|style|svg)\b|\bstyle\s*=", re.IGNORECASE)
"""Tags that are items of lists by WeasyPrint's sheet, and whatever may say so itself; in a text they are escaped."""

_STYLE: Final = re.compile(r"list-item|note|marker|attr|\\", re.IGNORECASE)
"""How a style sheet makes such an item, or what could spell it in another way."""


def page_of(html: str, css: str) -> type[HTML]:
    """What reads this HTML so that it looks as by `HTML`: lean if neither it nor a store's style has lists or notes."""
    if _lean_sheet() is None or _MARKUP.search(html) or _STYLE.search(css):
        return HTML  # type: ignore[no-any-return]
    return LeanHTML


class LeanHTML(HTML):  # type: ignore[misc]
    """HTML that has no list and no note. WeasyPrint's own tests put other sheets in this way."""

    def _ua_stylesheets(self, forms: object = False) -> list[CSS]:
        return [_lean_sheet()]


@cache
def _lean_sheet() -> CSS | None:
    """WeasyPrint's style sheet without these rules; None if it has not all six of them where they are looked for."""
    text, left_out = _RULES.subn("", UA)
    return CSS(string=text, counter_style=CounterStyle()) if left_out == 6 else None
