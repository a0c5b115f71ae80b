"""What an engine is: a document in words in, its PDF out. `pages.py` is the one that there is.

docs/engines.md says what another one would have to bring.
"""

from dataclasses import dataclass
from typing import Protocol

from app.documents.contract import RenderRequest
from app.documents.viewing import Viewed


@dataclass(frozen=True, slots=True)
class Printed:
    """A PDF that nobody has read back yet, and what else is to be said of it."""

    pdf: bytes
    warnings: tuple[str, ...] = ()


class Unprintable(Exception):
    """A store's own template cannot be laid out as asked: a fact about the template, with the code of its item."""

    def __init__(self, code: str, reason: str) -> None:
        super().__init__(reason)
        self.code = code
        self.reason = reason


class Engine(Protocol):
    """Lays out documents, in a child that may be killed: it need not bound its own time and memory.

    The same request gives the same bytes in every process. It reads no file but its own and fonts, and no network.
    """

    def prepare(self) -> None:
        """Load what every document needs, once per process."""

    def print(self, found: Viewed, request: RenderRequest) -> Printed:
        """Lay out the view as the request's store wants it; raises `GlyphsMissing` and `Unprintable`."""
