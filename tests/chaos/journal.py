"""What happened, in order: written by everybody who takes part, read when something went wrong."""

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

VIOLATED: Final = "VIOLATED"
"""Who writes that a promise was broken."""


@dataclass(frozen=True, slots=True, order=True)
class Note:
    """One thing that happened, at a moment of this machine's clock (which the private database shares)."""

    at: float
    who: str
    what: str
    job: str = ""
    """The export that it is about; empty if it is about all of them."""


@dataclass(frozen=True, slots=True)
class Signalled:
    """A signal that the run sent to a process."""

    at: float
    target: str
    pid: int
    signal: str


@dataclass(slots=True)
class Journal:
    """Notes and signals; any thread may write."""

    tell: Callable[[str], None] | None = None
    """Is given every line that is not about one job, as it is written."""
    began_at: float = field(default_factory=time.time)
    notes: list[Note] = field(default_factory=list)
    signals: list[Signalled] = field(default_factory=list)
    violations: list[str] = field(default_factory=list)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def note(self, who: str, what: str, *, job: str = "") -> None:
        """Write down what happened just now."""
        with self._lock:
            self.notes.append(Note(time.time(), who, what, job))
            if self.tell is not None and (not job or who == VIOLATED):
                self.tell(self.told(self.notes[-1:]))

    def signalled(self, target: str, pid: int, signal: str) -> None:
        """Write down a signal that is about to be sent."""
        with self._lock:
            self.signals.append(Signalled(time.time(), target, pid, signal))
        self.note("storm", f"{signal} to {target} {pid}")

    def violated(self, what: str, *, job: str = "") -> None:
        """Write down that a promise was broken."""
        with self._lock:
            self.violations.append(f"{what} [{job}]" if job else what)
        self.note(VIOLATED, what, job=job)

    def told(self, notes: list[Note]) -> str:
        """Notes as lines, each with its second of the run."""
        return "\n".join(
            f"{note.at - self.began_at:9.3f} s  {note.who:12} {note.what} {note.job[:8]}".rstrip()
            for note in sorted(notes)
        )
