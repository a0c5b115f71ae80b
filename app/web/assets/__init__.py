"""The console's own style and script: read once, addressed by what is in them, kept by browsers for ever."""

from dataclasses import dataclass
from hashlib import sha256
from importlib.resources import files
from typing import Final

_KINDS: Final = {"console.css": "text/css", "console.js": "text/javascript", "icon.svg": "image/svg+xml"}


@dataclass(frozen=True, slots=True)
class Asset:
    """One file, as it is sent."""

    path: str
    """Behind the root path, with a part that changes whenever the file does."""
    content: bytes
    media_type: str


def load_assets() -> dict[str, Asset]:
    """Every asset by its name."""
    found = {}
    for name, kind in _KINDS.items():
        content = files(__package__).joinpath(name).read_bytes()
        media_type = f"{kind}; charset=utf-8"
        found[name] = Asset(f"/assets/{sha256(content).hexdigest()[:16]}/{name}", content, media_type)
    return found
