"""The fonts that documents are set in: which, in which order, and whether this machine has them."""

import os
import tempfile
from pathlib import Path
from typing import Final

CONFIGURATION: Final = Path(__file__).with_name("fonts") / "fonts.conf"

_NOTO: Final = Path("/usr/share/fonts/truetype/noto")
_CJK: Final = Path("/usr/share/fonts/opentype/noto/NotoSansCJK-Regular.ttc")

HAN: Final = ("SC", "TC", "HK", "JP", "KR")
"""Regional forms of the Chinese characters; `Sheaf JP` is our font stack with Japan's."""

_SCRIPTS: Final = [
    "Arabic",
    "Hebrew",
    "Devanagari",
    "Bengali",
    "Gurmukhi",
    "Gujarati",
    "Oriya",
    "Tamil",
    "Telugu",
    "Kannada",
    "Malayalam",
    "Sinhala",
    "Thai",
    "Lao",
    "Khmer",
    "Myanmar",
    "Georgian",
    "Armenian",
    "Ethiopic",
    "Symbols",
    "Symbols2",
    "Math",
]

FILES: Final = {
    "Noto Sans": _NOTO / "NotoSans-Regular.ttf",
    **{f"Noto Sans {script}": _NOTO / f"NotoSans{script}-Regular.ttf" for script in _SCRIPTS},
    **{f"Noto Sans CJK {form}": _CJK for form in HAN},
    "Noto Color Emoji": _NOTO / "NotoColorEmoji.ttf",
}
"""Every family that `fonts.conf` names, and the file that has it, as Debian's packages lay them."""


def missing_families() -> tuple[str, ...]:
    """The declared families that this machine lacks: text in their scripts would come out as boxes."""
    return tuple(family for family, file in FILES.items() if not file.is_file())


def use_declared_fonts() -> None:
    """Make fontconfig read our configuration; call before WeasyPrint is imported in a process.

    fontconfig keeps a cache of what it scanned in the user's cache folder. Without one that can
    be written, as in many containers, each process would scan 100 MB of fonts again.
    """
    os.environ["FONTCONFIG_FILE"] = str(CONFIGURATION)
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path("~/.cache").expanduser())
    if not _can_write(cache):
        os.environ["XDG_CACHE_HOME"] = tempfile.mkdtemp(prefix="sheaf-fonts-")


def _can_write(folder: Path) -> bool:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError:
        return False
    return os.access(folder, os.W_OK)
