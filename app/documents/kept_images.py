"""A store's logo, taken apart for its first document and kept for all that follow.

WeasyPrint unfolds a PNG and folds it up again for every document, whatever its own cache of images has: 20 ms for a
logo of 1,200 × 400 pixels and more than a second for the largest that a store may have.
"""

import re
from collections.abc import Callable
from functools import cache, lru_cache
from typing import Any, Final

from pydyf import Dictionary, Stream  # type: ignore[import-untyped]
from weasyprint.images import RasterImage  # type: ignore[import-untyped]

_MARKUP: Final = re.compile(r"<(?:object|embed|style|svg)\b|\bstyle\s*=", re.IGNORECASE)
_STYLE: Final = re.compile(r"orientation|\\", re.IGNORECASE)
"""What may ask for the same picture turned, or as another kind of file: it would get what was kept for others."""


class _Kept(dict[str, Any]):
    """The `cache` that WeasyPrint takes: what it knows of the pictures of its documents, by address."""

    def __setitem__(self, key: str, value: Any) -> None:
        if value is None:  # an address that was refused, of which a document may have any number
            return
        if isinstance(value, RasterImage):
            value.get_x_object = _made_once(value.get_x_object)
        super().__setitem__(key, value)


def images_of(logo: bytes | None, html: str, css: str) -> dict[str, Any]:
    """What WeasyPrint may keep for a document with this HTML, its store's style and logo: the pictures of that logo."""
    if logo is None or _MARKUP.search(html) or _STYLE.search(css):
        return {}
    return _of(logo)


@lru_cache(maxsize=2)
def _of(logo: bytes) -> dict[str, Any]:
    """A logo has at most `MAX_BYTES`, and is kept three times: as it came, its colours, and where it is transparent."""
    return _Kept()


def _made_once(make: Callable[[bool, float], Stream]) -> Callable[[bool, float], Stream]:
    kept = cache(make)
    return lambda interpolate, ratio: _again(kept(interpolate, ratio))


def _again(made: Stream) -> Stream:
    """The same picture as an object that no PDF has numbered yet, with its mask."""
    extra = Dictionary(made.extra)
    if "SMask" in extra:
        extra["SMask"] = _again(extra["SMask"])
    return Stream(made.stream, extra, made.compress)
