"""Checking a logo before it is stored: an image that every document will decode."""

import io
import warnings
from typing import Final

from PIL import Image, UnidentifiedImageError

MAX_BYTES: Final = 2 * 1024 * 1024
MAX_SIDE: Final = 4000
"""Pixels; beyond print quality at any size that a logo is set."""


class LogoRefused(ValueError):
    """The file cannot be a logo; the text says why."""


def checked_logo(data: bytes) -> bytes:
    """The bytes, if they are one whole PNG or JPEG of sensible size; raises `LogoRefused`."""
    if len(data) > MAX_BYTES:
        raise LogoRefused(f"larger than {MAX_BYTES // 1024 // 1024} MiB")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")  # a decompression bomb is a warning to Pillow
            with Image.open(io.BytesIO(data), formats=("PNG", "JPEG")) as image:
                is_too_large = max(image.size) > MAX_SIDE
                if not is_too_large:
                    image.load()
    except UnidentifiedImageError:
        raise LogoRefused("neither PNG nor JPEG") from None
    except (Image.DecompressionBombError, Image.DecompressionBombWarning):
        is_too_large = True
    except (OSError, SyntaxError, ValueError, Warning):
        raise LogoRefused("the image is damaged") from None
    if is_too_large:
        raise LogoRefused(f"wider or higher than {MAX_SIDE} pixels")
    return data
