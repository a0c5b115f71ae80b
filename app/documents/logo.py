"""Checking a logo before it is stored: an image that every document will decode."""

import io
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from PIL import Image, ImageFile, UnidentifiedImageError

MAX_BYTES: Final = 2 * 1024 * 1024
MAX_SIDE: Final = 4000
"""Pixels; beyond print quality at any size that a logo is set."""


class LogoRefused(ValueError):
    """The file cannot be a logo; the text says why."""


def media_type(logo: bytes) -> str:
    """The media type of a checked logo, by how it begins."""
    return "image/png" if logo.startswith(b"\x89PNG") else "image/jpeg"


def in_rgb(logo: bytes | None) -> bytes | None:
    """A checked logo in the colours of screens, for documents whose colours are all defined so."""
    if logo is None:
        return None
    with Image.open(io.BytesIO(logo)) as image:
        if image.mode != "CMYK":
            return logo
        file = io.BytesIO()
        image.convert("RGB").save(file, "PNG")
    return file.getvalue()


def checked_logo(data: bytes) -> bytes:
    """The bytes, if they are one whole PNG or JPEG of sensible size; raises `LogoRefused`."""
    if len(data) > MAX_BYTES:
        raise LogoRefused(f"larger than {MAX_BYTES // 1024 // 1024} MiB")
    try:
        # the size stands at the beginning, and a picture is not unfolded before it is looked at
        with _whole_images_only(), Image.open(io.BytesIO(data), formats=("PNG", "JPEG")) as image:
            is_too_large = max(image.size) > MAX_SIDE
            if not is_too_large:
                image.load()
    except UnidentifiedImageError:
        raise LogoRefused("neither PNG nor JPEG") from None
    except (Image.DecompressionBombError, Image.DecompressionBombWarning):
        is_too_large = True
    except (OSError, SyntaxError, ValueError):
        raise LogoRefused("the image is damaged") from None
    if is_too_large:
        raise LogoRefused(f"wider or higher than {MAX_SIDE} pixels")
    return data


_checking: Final = threading.Lock()


@contextmanager
def _whole_images_only() -> Iterator[None]:
    """Have Pillow refuse images that are cut off, which WeasyPrint switches off for its whole process."""
    with _checking:
        before, ImageFile.LOAD_TRUNCATED_IMAGES = ImageFile.LOAD_TRUNCATED_IMAGES, False
        try:
            yield
        finally:
            ImageFile.LOAD_TRUNCATED_IMAGES = before
