"""Commands that talk to a running server: its address, the token, and errors in plain lines."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from app.cli.advising import next_commands
from app.cli.answering import wants_json
from app.cli.failing import Exit, Refused

if TYPE_CHECKING:
    from uuid import UUID

    from app.client import Problem, SheafClient, SheafError, Unreachable

UrlOption = Annotated[
    str, typer.Option("--url", envvar="SHEAF_URL", metavar="URL", help="The server's address.", show_default=True)
]
DEFAULT_URL = "http://127.0.0.1:8080"

TokenFileOption = Annotated[
    Path | None,
    typer.Option(
        "--token-file",
        metavar="FILE",
        help="File that holds the token. Without it: SHEAF_TOKEN. Never an argument: other users can read those.",
        show_default=False,
    ),
]

Timeout = Annotated[
    float | None,
    typer.Option(
        "--timeout",
        min=0,
        metavar="SECONDS",
        help="How long the server may take to answer, all attempts together; it is told.  [default: 8]",
        show_default=False,
    ),
]

PATIENCE: Final = 8.0
"""Seconds until a person is told that nobody answers."""
LONG_PATIENCE: Final = 60.0
"""Seconds that a server may be away while it is waited for or downloaded from, as it is when it is restarted."""


@contextmanager
def connected(
    url: str, token_file: Path | None, timeout: float | None = None, *, export_id: "UUID | None" = None
) -> Iterator["SheafClient"]:
    """A client; whatever it raises inside becomes a `Refused` with the exit code that scripts know.

    `export_id` is what the command is about: errors then name the command that helps.
    """
    from app.client import Problem, RequestRefused, SheafClient, SheafError, Unreachable

    patience = PATIENCE if timeout is None else timeout
    try:
        client = SheafClient(url, _token(token_file), patience=patience, on_retry=_Retries())
    except ValueError as wrong:
        raise Refused(str(wrong), exit_code=Exit.USAGE) from None
    try:
        with client:
            yield client
    except Problem as problem:
        exit_code = Exit.REFUSED if isinstance(problem, RequestRefused) else Exit.ERROR
        text = _with_notes(problem_text(problem, export_id), problem)
        raise Refused(text, exit_code=exit_code, problem=problem.document) from None
    except Unreachable as unreachable:
        raise Refused(_with_notes(_unreachable_text(unreachable), unreachable)) from None
    except SheafError as error:
        raise Refused(_with_notes(str(error), error)) from None


@contextmanager
def noted(text: str) -> Iterator[None]:
    """A server that cannot be reached, or cannot, inside of this says so too: what is true all the same."""
    from app.client import ServerFault, Unreachable

    try:
        yield
    except (ServerFault, Unreachable) as error:
        error.add_note(text)
        raise


def _with_notes(text: str, error: Exception) -> str:
    return "\n".join([text, *getattr(error, "__notes__", [])])


def problem_text(problem: "Problem", export_id: "UUID | None" = None) -> str:
    """A problem in plain lines: what, which fields, what to do."""
    codes = ": ".join(filter(None, (problem.code, str(problem.extra.get("item_code") or ""))))
    lines = [f"{problem.title} ({codes})."]
    if problem.detail.rstrip(".") != problem.title.rstrip("."):
        lines.append(problem.detail)
    lines += [f"  {error.field}: {error.reason}" for error in problem.errors]
    commands = next_commands(problem, export_id)
    if commands:
        lines += commands
    elif problem.hint:
        lines.append(problem.hint)
    return "\n".join(lines)


def _unreachable_text(error: "Unreachable") -> str:
    return (
        f"{error.url} does not answer: {error.reason}.\n"
        "Is a server running there? `sheaf serve` starts one; SHEAF_URL or --url names another address."
    )


def _token(file: Path | None) -> str:
    if file is None:
        token = os.environ.get("SHEAF_TOKEN", "").strip()
        if not token:
            raise Refused(
                "Whose exports? Set SHEAF_TOKEN, or name a file with --token-file.\n"
                "A token is made with: sheaf tokens create --owner NAME --store KEY",
                exit_code=Exit.USAGE,
            )
        return token
    try:
        return file.read_text().strip()
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not text"
        raise Refused(f"{file} cannot be read: {reason}.", exit_code=Exit.USAGE) from None


class _Retries:
    """Says once per kind of trouble that it is being tried again."""

    def __init__(self) -> None:
        self._said = ""
        # a program that reads our errors reads nothing else
        self._is_silent = wants_json(sys.argv[1:])

    def __call__(self, error: "SheafError", _seconds: float) -> None:
        if str(error) != self._said:
            self._said = str(error)
            if not self._is_silent:
                typer.echo(f"{error}; trying again.", err=True)
