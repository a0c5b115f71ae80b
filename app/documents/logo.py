"""Checking a logo before it is stored: an image that every document will decode."""

import io
from typing import Final

from PIL import Image, UnidentifiedImageError

MAX_BYTES: Final = 2 * 1024 * 1024
MAX_SIDE: Final = 4000
"""Pixels; beyond print quality at any size that a logo is set."""


class LogoRefused(ValueError):
    """The file cannot be a logo; the text says why."""


def media_type(logo: bytes) -> str:
    """The media type of a checked logo, by how it begins."""
    return "image/png" if logo.startswith(b"\x89PNG") else "image/jpeg"


def checked_logo(data: bytes) -> bytes:
    """The bytes, if they are one whole PNG or JPEG of sensible size; raises `LogoRefused`."""
    if len(data) > MAX_BYTES:
        raise LogoRefused(f"larger than {MAX_BYTES // 1024 // 1024} MiB")
    try:
        # the size stands at the beginning, and a picture is not unfolded before it is looked at
        with Image.open(io.BytesIO(data), formats=("PNG", "JPEG")) as image:
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
