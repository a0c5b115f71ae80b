"""File names that every system takes, made from whatever an order number may contain.

A stem is one path part without extension: valid on Windows, macOS and Linux, in a ZIP and in a
URL. A key is what a file system may compare instead of the stem: NTFS and APFS ignore case,
APFS also ignores normalisation. Two stems with different keys never meet in one folder.
"""

import re
import unicodedata
from typing import Final

MAX_STEM_BYTES: Final = 100
"""UTF-8 bytes of a stem; leaves room for a document type, `~2`, an extension and a folder in 255."""

# Windows refuses these, `/` would make a folder, and `~` is ours: `~2` tells duplicates apart.
_SEPARATORS: Final = re.compile(r'[\s<>:"/\\|?*~]+')
_DEVICES: Final = frozenset(
    {"CON", "PRN", "AUX", "NUL", "CONIN$", "CONOUT$"}
    | {f"{port}{digit}" for port in ("COM", "LPT") for digit in "0123456789¹²³"}
)
_EDGES: Final = " .-"
_PLAIN: Final = re.compile(r"[0-9A-Za-z_][0-9A-Za-z_-]{4,}[0-9A-Za-z_]")
"""Most numbers and dates: nothing in them would change. Longer than a device's name, and without an ending."""


def stem(text: str, fallback: str) -> str:
    """A portable stem for a text, else for the fallback.

    NFC; separators and white space become one `-`; control, format (bidi), private and
    unassigned characters and halves of surrogate pairs go; no dot, dash or mark at the edges; a
    device name gets a `_` in front; at most `MAX_STEM_BYTES`, cut between characters.
    """
    return portable(text, MAX_STEM_BYTES) or portable(fallback, MAX_STEM_BYTES) or "unnamed"


def key(name: str) -> str:
    """What a stem is compared by: equal for all that some file system takes for the same name.

    The case-folded upper case of the decomposed text, composed again: NTFS maps to upper case
    (ı meets I), APFS folds and normalises. The compatibility forms (NFKD, NFKC) merge more than
    they do (① and 1), which costs a suffix and never a file.
    """
    if name.isascii():  # none of that but the case
        return name.lower()
    decomposed = unicodedata.normalize("NFKD", name)
    return unicodedata.normalize("NFKC", decomposed.upper().casefold())


def word(document_type: str) -> str:
    """A document type as it stands in names: `packing-slip`."""
    return document_type.replace("_", "-")


def prefix(document_type: str) -> str:
    """What every name of a document of this type begins with."""
    return f"{word(document_type)}-"


def portable(text: str, most: int) -> str:
    """The text as one portable part of a path of at most that many bytes; empty if nothing is left of it."""
    if len(text) <= most and _PLAIN.fullmatch(text):
        return text
    separated = _SEPARATORS.sub("-", unicodedata.normalize("NFC", text))
    if not separated.isprintable():  # or there is nothing of category C in it
        separated = "".join(char for char in separated if not unicodedata.category(char).startswith("C"))
    whole = _without_edges(unicodedata.normalize("NFC", separated))
    name = _without_edges(_cut(whole, most))
    if name.split(".")[0].rstrip().upper() in _DEVICES:
        name = _without_edges(_cut(f"_{name}", most))
    return name


def _without_edges(name: str) -> str:
    name = name.strip(_EDGES)
    # A mark without its letter would join whatever is put in front of the stem.
    while name and unicodedata.category(name[0]).startswith("M"):
        name = name[1:].lstrip(_EDGES)
    return name


def _cut(name: str, most: int) -> str:
    """At most that many bytes, without tearing a letter from its marks if that leaves anything."""
    encoded = name.encode()
    if len(encoded) <= most:
        return name
    length = len(encoded[:most].decode(errors="ignore"))
    whole = length
    while whole and unicodedata.category(name[whole]).startswith("M"):
        whole -= 1
    return name[: whole or length]
