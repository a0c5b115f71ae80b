"""A document's first pages as pictures: as many as are shown, in the shape of their paper, with its colours."""

import io

import pytest
from PIL import Image
from pypdf import PdfWriter

from app.documents.pictures import PAGES, RESOLUTION, drawn


def pdf_of(pages: int, *, width: float, height: float) -> bytes:
    writer, file = PdfWriter(), io.BytesIO()
    for _ in range(pages):
        writer.add_blank_page(width, height)
    writer.write(file)
    return file.getvalue()


@pytest.mark.parametrize("pages", [1, PAGES + 1])
def test_the_first_pages_are_drawn_in_the_shape_of_their_paper(pages):
    found = drawn(pdf_of(pages, width=612, height=792))

    assert len(found) == min(pages, PAGES)
    for picture in found:
        image = Image.open(io.BytesIO(picture.png), formats=("PNG",))
        assert image.size == (picture.width, picture.height) == (8.5 * RESOLUTION, 11 * RESOLUTION)
        assert image.getextrema() == ((255, 255),) * 3
