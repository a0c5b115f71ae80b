"""The fonts that documents are set in: which they are, where they lie, and whether they are there."""

import os
from pathlib import Path
from typing import Final

CONFIGURATION: Final = Path(__file__).with_name("fonts") / "fonts.conf"


def use_declared_fonts() -> None:
    """Make fontconfig read our configuration; call before WeasyPrint is imported in a process."""
    os.environ["FONTCONFIG_FILE"] = str(CONFIGURATION)
