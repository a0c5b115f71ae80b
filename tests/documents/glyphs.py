"""Which glyphs stand where in a PDF: a mirrored number, or a box, passes a test that reads text alone."""

import io
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from fontTools.ttLib import TTFont
from pypdf import PdfReader
from pypdf.generic import ContentStream

Matrix = tuple[float, float, float, float, float, float]


@dataclass(frozen=True)
class Glyph:
    """One glyph as it is drawn: its number in the font, and what copying it gives."""

    page: int
    font: str
    id: int
    text: str
    """Empty for a part of a ligature, of several letters for a whole one."""
    left: float
    """Points from the left edge of the page."""
    top: float
    """Points from the upper edge of the page to the line that the letters stand on; for marks above it too."""
    is_box: bool
    """Whether the font has no such glyph: WeasyPrint numbers what is missing behind a font's last glyph."""


def glyphs_of(pdf: bytes) -> list[Glyph]:
    """All glyphs of a document, in the order in which they are drawn."""
    reader = PdfReader(io.BytesIO(pdf))
    return [glyph for number, page in enumerate(reader.pages, 1) for glyph in _of_page(page, number, reader)]


def boxes_in(pdf: bytes) -> list[Glyph]:
    """The glyphs that stand for what a font has not."""
    return [glyph for glyph in glyphs_of(pdf) if glyph.is_box]


def lines_of(glyphs: Sequence[Glyph]) -> list[str]:
    """What stands on each line from the left to the right, whatever order it was drawn in."""
    lines: dict[tuple[int, float], list[Glyph]] = {}
    for glyph in glyphs:
        lines.setdefault((glyph.page, round(glyph.top, 1)), []).append(glyph)
    return ["".join(one.text for one in sorted(line, key=lambda one: one.left)) for _, line in sorted(lines.items())]


class _Font:
    """A font as a page refers to it: glyph numbers are the codes."""

    def __init__(self, entry: Any) -> None:
        descendant = entry["/DescendantFonts"][0].get_object()
        self.name: str = entry["/BaseFont"].partition("+")[2]
        self.widths = dict(_widths(descendant["/W"]))
        self.texts = dict(_texts(entry["/ToUnicode"].get_object().get_data().decode()))
        described = descendant["/FontDescriptor"]
        embedded = described["/FontFile2" if "/FontFile2" in described else "/FontFile3"].get_data()
        self.count: int = TTFont(io.BytesIO(embedded), lazy=True)["maxp"].numGlyphs


def _of_page(page: Any, page_number: int, reader: PdfReader) -> Iterator[Glyph]:
    height = float(page.mediabox.height)
    fonts = {name: _Font(font.get_object()) for name, font in page["/Resources"]["/Font"].items()}
    place: Matrix = (1, 0, 0, 1, 0, 0)
    kept: list[Matrix] = []
    font, size = next(iter(fonts.values())), 1.0
    line: Matrix = place
    for operands, operator in ContentStream(page.get_contents(), reader).operations:
        match operator:
            case b"q":
                kept.append(place)
            case b"Q":
                place = kept.pop()
            case b"cm":
                place = _product(_matrix(operands), place)
            case b"Tm":
                line = _matrix(operands)
            case b"Tf":
                font, size = fonts[operands[0]], float(operands[1])
            case b"TJ" | b"Tj":
                along = 0.0
                for part in operands[0] if operator == b"TJ" else operands:
                    if not hasattr(part, "original_bytes"):
                        along -= float(part) / 1000 * size
                        continue
                    codes = part.original_bytes
                    for index in range(0, len(codes), 2):
                        number = int.from_bytes(codes[index : index + 2], "big")
                        at = _product((1, 0, 0, 1, along, 0), _product(line, place))
                        text, is_box = font.texts.get(number, ""), not 0 < number < font.count
                        yield Glyph(page_number, font.name, number, text, at[4], height - at[5], is_box)
                        along += font.widths.get(number, 0) / 1000 * size
                line = _product((1, 0, 0, 1, along, 0), line)


def _matrix(operands: Sequence[Any]) -> Matrix:
    a, b, c, d, e, f = (float(operand) for operand in operands)
    return a, b, c, d, e, f


def _product(one: Matrix, other: Matrix) -> Matrix:
    a, b, c, d, e, f = one
    g, h, i, j, k, m = other
    return a * g + b * i, a * h + b * j, c * g + d * i, c * h + d * j, e * g + f * i + k, e * h + f * j + m


def _widths(entry: Sequence[Any]) -> Iterator[tuple[int, float]]:
    """`/W`: a first code and the widths from there on, in turns."""
    for first, widths in zip(entry[::2], entry[1::2], strict=True):
        for code, width in enumerate(widths, int(first)):
            yield code, float(width)


def _texts(cmap: str) -> Iterator[tuple[int, str]]:
    """`/ToUnicode` in the form that WeasyPrint writes: one glyph a line."""
    for code, unicode in re.findall(r"^<([0-9a-f]{4})> <([0-9a-f]*)>$", cmap, re.MULTILINE):
        yield int(code, 16), bytes.fromhex(unicode).decode("utf-16-be")
