"""A logo is an image that every document decodes: one that would be a bomb gets in nowhere."""

import struct
import zlib
from dataclasses import replace

import pytest
from PIL import ImageFile
from shop_orders import STORE, order, rendered

from app.documents.logo import LogoRefused, checked_logo


def png(side: int) -> bytes:
    """A black picture of one bit a pixel: a few kilobytes that say they are as large as anybody likes."""
    row = b"\0" * (1 + (side + 7) // 8)
    packer = zlib.compressobj(9)
    pixels = b"".join(packer.compress(row) for _ in range(side)) + packer.flush()
    header = struct.pack(">IIBBBBB", side, side, 1, 0, 0, 0, 0)
    chunks = ((b"IHDR", header), (b"IDAT", pixels), (b"IEND", b""))
    framed = (
        struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data)) for name, data in chunks
    )
    return b"\x89PNG\r\n\x1a\n" + b"".join(framed)


BOMB = png(20_000)
"""50 kB that unfold to 400 million pixels."""


@pytest.mark.parametrize("bomb", [BOMB, png(11_000), png(4001)], ids=["error", "warning", "large"])
def test_a_bomb_is_refused_before_it_is_unfolded(bomb):
    assert len(bomb) < 100_000
    assert checked_logo(png(100))

    with pytest.raises(LogoRefused, match="4000 pixels"):
        checked_logo(bomb)


SVG = b'<svg xmlns="http://www.w3.org/2000/svg"><image href="http://127.0.0.1:9/x"/></svg>'


@pytest.mark.parametrize(
    "data", [b"", b"GIF89a", SVG, b"%PDF-1.7", png(100)[:-40], png(3000)[:500], png(100)[:60] + bytes(80)]
)
def test_what_is_no_whole_png_or_jpeg_is_refused(data, monkeypatch):
    # as WeasyPrint does when it is imported
    monkeypatch.setattr(ImageFile, "LOAD_TRUNCATED_IMAGES", True)

    with pytest.raises(LogoRefused, match=r"neither PNG nor JPEG|damaged"):
        checked_logo(data)


def test_a_bomb_that_lies_in_the_database_is_left_out_of_the_document():
    document = rendered(order(), store=replace(STORE, logo=BOMB))

    assert document.pages == 1
    assert b"/Image" not in document.pdf
