"""Errors that a user can mend: one line on standard error, and an exit code that scripts can read."""

from enum import IntEnum


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
    """The command cannot do what was asked; the text says why and what to do instead."""

    def __init__(self, text: str, *, exit_code: Exit = Exit.ERROR) -> None:
        super().__init__(text)
        self.exit_code = exit_code
