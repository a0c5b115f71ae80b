"""Which characters the declared fonts have: fontconfig's list, which it reads from the fonts' own tables.

It is the list by which Pango chooses a font for each character, and it lies in fontconfig's cache: asking for it
takes milliseconds, reading the tables of 350 fonts again would take many seconds.
"""

import ctypes
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Final
from unicodedata import category

from app.documents import fonts

_LIBRARY: Final = "libfontconfig.so.1"
"""The one that WeasyPrint loads too."""

_WORDS: Final = 8
"""Numbers of 32 bits in a page of fontconfig's list: one bit for each of 256 characters."""

_NEVER_DRAWN: Final = frozenset({"Cc", "Zs", "Zl", "Zp"})
"""Categories that take room or break lines at most; Pango asks no font for them."""

_IGNORABLE: Final = (
    (0x00AD, 0x00AD),
    (0x034F, 0x034F),
    (0x061C, 0x061C),
    (0x17B4, 0x17B5),
    (0x180B, 0x180E),
    (0x200B, 0x200F),
    (0x202A, 0x202E),
    (0x2060, 0x206F),
    (0xFE00, 0xFE0F),
    (0xFEFF, 0xFEFF),
    (0xFFF0, 0xFFF8),
    (0x1D173, 0x1D17A),
    (0xE0000, 0xE0FFF),
)
"""What HarfBuzz draws nothing for (`hb-unicode.hh`, `is_default_ignorable`): joiners, marks of direction, selectors."""


def lacking(text: str) -> frozenset[str]:
    """The characters of a text that would come out as boxes; none where the fonts themselves are not installed."""
    if text.isascii():
        return frozenset()
    pages = _pages()
    return frozenset(char for char in set(text) if not _is_drawn(char, pages)) if pages else frozenset()


def _is_drawn(char: str, pages: Mapping[int, int]) -> bool:
    code, kind = ord(char), category(char)
    if kind != "Cf" and pages.get(code >> 8, 0) >> (code & 0xFF) & 1:
        return True
    # What is left of Cf are signs such as U+0600, which spans the digits behind it. Pango takes them from the font of
    # the letter before, whatever that is, so on their own they are boxes, fonts or no fonts.
    return kind in _NEVER_DRAWN or any(first <= code <= last for first, last in _IGNORABLE)


@cache
def _pages() -> Mapping[int, int]:
    """For each 256 characters the bits of those that a font has; empty where fonts are missing."""
    if fonts.missing_families():
        return {}
    fonts.use_declared_fonts()
    return dict(_read(_loaded()))


def _loaded() -> ctypes.CDLL:
    library = ctypes.CDLL(_LIBRARY)
    pointer, number, flag = ctypes.c_void_p, ctypes.c_uint32, ctypes.c_int
    for name, result, arguments in (
        ("FcInitLoadConfigAndFonts", pointer, []),
        ("FcConfigDestroy", None, [pointer]),
        ("FcConfigGetFonts", ctypes.POINTER(_FontSet), [pointer, flag]),
        ("FcPatternGetCharSet", flag, [pointer, ctypes.c_char_p, flag, ctypes.POINTER(pointer)]),
        ("FcCharSetCreate", pointer, []),
        ("FcCharSetDestroy", None, [pointer]),
        ("FcCharSetMerge", flag, [pointer, pointer, pointer]),
        ("FcCharSetFirstPage", number, [pointer, ctypes.POINTER(number), ctypes.POINTER(number)]),
        ("FcCharSetNextPage", number, [pointer, ctypes.POINTER(number), ctypes.POINTER(number)]),
    ):
        function = getattr(library, name)
        function.restype, function.argtypes = result, arguments
    return library


class _FontSet(ctypes.Structure):
    """`FcFontSet` of `fontconfig.h`."""

    _fields_ = (("nfont", ctypes.c_int), ("sfont", ctypes.c_int), ("fonts", ctypes.POINTER(ctypes.c_void_p)))


def _read(library: ctypes.CDLL) -> Iterator[tuple[int, int]]:
    configuration, union = library.FcInitLoadConfigAndFonts(), library.FcCharSetCreate()
    try:
        found = library.FcConfigGetFonts(configuration, 0).contents
        one = ctypes.c_void_p()
        for index in range(found.nfont):
            if library.FcPatternGetCharSet(found.fonts[index], b"charset", 0, ctypes.byref(one)) == 0:
                library.FcCharSetMerge(union, one, None)
        yield from _pages_of(library, union)
    finally:
        library.FcCharSetDestroy(union)
        library.FcConfigDestroy(configuration)


def _pages_of(library: ctypes.CDLL, charset: int) -> Iterator[tuple[int, int]]:
    words, following = (ctypes.c_uint32 * _WORDS)(), ctypes.c_uint32()
    first = library.FcCharSetFirstPage(charset, words, ctypes.byref(following))
    while first != 0xFFFFFFFF:
        yield first >> 8, sum(word << 32 * place for place, word in enumerate(words))
        first = library.FcCharSetNextPage(charset, words, ctypes.byref(following))
