"""Errors that a user can mend: lines or JSON on standard error, and an exit code that scripts can read."""

from collections.abc import Mapping
from enum import IntEnum
from typing import Any


class Exit(IntEnum):
    """The exit codes of every command."""

    OK = 0
    ERROR = 1
    USAGE = 2
    INCOMPLETE = 3
    """Completed with failures or skips."""
    FAILED = 4
    CANCELLED = 5
    RUNNING = 6
    """Still running when the wait ended."""
    REFUSED = 7
    """The server refused the request (a 4xx problem)."""
    INTERRUPTED = 130
    """Ctrl-C: 128 and the signal's number, as shells count."""


class Refused(Exception):
    """The command cannot do what was asked; the text says why and what to do instead.

    `problem` holds the members of the server's own problem (RFC 9457), if it was the server that refused.
    """

    def __init__(self, text: str, *, exit_code: Exit = Exit.ERROR, problem: Mapping[str, Any] | None = None) -> None:
        super().__init__(text)
        self.exit_code = exit_code
        self._problem = problem

    @property
    def document(self) -> dict[str, Any]:
        """The same for programs: a problem, with the exit code and the lines that people read."""
        text = str(self)
        title = text.splitlines()[0] if text else "The command cannot do this"
        own = {"type": "about:blank", "code": self.exit_code.name.lower(), "title": title}
        return {**(self._problem or own), "text": text, "exit_code": int(self.exit_code)}
