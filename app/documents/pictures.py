"""The first pages of a document as pictures, for those who look at it where no PDF is shown: in a page, on a phone."""

import io
from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from pypdfium2 import PdfPage

PAGES: Final = 3
"""Pages that are drawn; who wants the others opens the PDF."""

RESOLUTION: Final = 100
"""Dots per inch: every word of an A4 page can be read, and the page has some 100 kB."""

TIME_LIMIT: Final = timedelta(seconds=5)
"""For all of them; they take a twentieth of a second each."""


@dataclass(frozen=True, slots=True)
class Picture:
    """One page."""

    png: bytes
    width: int
    """Pixels."""
    height: int


def drawn(pdf: bytes) -> tuple[Picture, ...]:
    """The first `PAGES` pages of a PDF. To be called in a child: PDFium is C++ and takes one thread at a time."""
    import pypdfium2  # noqa: PLC0415 a parent has no use for it

    with pypdfium2.PdfDocument(pdf) as document:
        return tuple(_picture(document[number]) for number in range(min(PAGES, len(document))))


def _picture(page: "PdfPage") -> Picture:
    image = page.render(scale=RESOLUTION / 72).to_pil()
    png = io.BytesIO()
    image.save(png, "PNG")
    return Picture(png.getvalue(), image.width, image.height)
