"""What copying a document gives: the text as it was written, where its glyphs alone would not tell it.

WeasyPrint notes for each glyph the text of the first cluster that it was part of. Where letters change
places or share a glyph, copying would give vowels before their consonants, and a letter that was first
met with a mark would have that mark everywhere: Hindi `कमल` was copied as `किमल`, Thai `ชา` as `ช้ำ`.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final
from unicodedata import normalize

from weasyprint.formatting_structure.boxes import TextBox  # type: ignore[import-untyped]

# Devanagari to Tibetan in one row, Thai and Lao among them; Myanmar; Khmer.
_INVOLVED: Final = re.compile("[\u0900-\u0fff\u1000-\u109f\u1780-\u17ff]")
"""Letters of scripts whose glyphs stand in another order than their text, or are shared by several letters."""

_FROM_RIGHT: Final = re.compile("[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufeff]")
"""Readers turn such text around by themselves, and would turn the one that is given here too."""

_LIGATURES: Final = {
    f"<{letters.encode('utf-16-be').hex()}>": f"<{code:04x}>"
    for code in (*range(0xFEFC, 0xFE6F, -1), *range(0xFDFB, 0xFB4F, -1))
    if len(letters := normalize("NFKC", chr(code))) > 1 and letters.isalpha()
}
"""Letters of Arabic that are one glyph, such as lam and alef in `لا`, lam and alef maksura in `على`: named as one
character, which NFKC takes apart again, they are not turned around. Of several forms the first counts."""


def finisher_of(html: str) -> Callable[[Any, Any], None] | None:
    """What WeasyPrint calls before it writes the PDF (`finisher` of `write_pdf`), None if nothing needs it."""
    if _INVOLVED.search(html) or "\u0644" in html:
        return _finish
    return None


def _finish(document: Any, pdf: Any) -> None:
    entries = [entry for entry in pdf.objects if isinstance(entry, dict) and entry.get("Type") == "/Page"]
    for page, entry in zip(document.pages, entries, strict=True):
        texts = dict(_involved_texts(page))
        if texts:
            content = pdf.objects[int(entry["Contents"].split()[0])].stream
            content[:] = _told(content, texts)
    for one in pdf.objects:
        lines: list[Any] = getattr(one, "stream", [])
        if b"begincmap" in lines:
            lines[:] = [_one_character(line) for line in lines]


def _involved_texts(page: Any) -> Iterator[tuple[tuple[float, float], str]]:
    """The pieces of lines that have such letters, by the place at which each is drawn."""
    for box in page._page_box.descendants():
        if isinstance(box, TextBox) and _INVOLVED.search(box.text) and not _FROM_RIGHT.search(box.text):
            yield _place(box.position_x, box.position_y + box.baseline), box.text


def _told(content: list[Any], texts: Mapping[tuple[float, float], str]) -> Iterator[Any]:
    """The content of a page in which each of these pieces says what it is (ISO 32000-2, 14.9.4)."""
    is_open = False
    for operation in content:
        moves = isinstance(operation, bytes) and operation.endswith(b" Tm")
        if is_open and (moves or operation == b"ET"):
            yield b"EMC"
            is_open = False
        text = texts.get(_place(*map(float, operation.split()[4:6]))) if moves else None
        if text is not None:
            yield b"/Span <</ActualText <feff%s>>> BDC" % text.encode("utf-16-be").hex().encode()
            is_open = True
        yield operation


def _place(x: float, y: float) -> tuple[float, float]:
    """A place in CSS pixels, as exactly as a PDF has it and no more."""
    return round(x, 3), round(y, 3)


def _one_character(line: bytes) -> bytes:
    glyph, space, text = line.decode().partition(" ")
    return f"{glyph}{space}{_LIGATURES.get(text, text)}".encode()
