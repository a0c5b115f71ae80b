"""Commands that talk to a running server: its address, the token, and errors in plain lines."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from app.cli.failing import Exit, Refused

if TYPE_CHECKING:
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

_PATIENCE = 8.0
"""Seconds until a person is told that nobody answers; more than the server may take to answer."""


@contextmanager
def connected(url: str, token_file: Path | None, *, patience: float = _PATIENCE) -> Iterator["SheafClient"]:
    """A client; whatever it raises inside becomes a `Refused` with the exit code that scripts know."""
    from app.client import Problem, RequestRefused, SheafClient, SheafError, Unreachable

    try:
        client = SheafClient(url, _token(token_file), patience=patience, on_retry=_Retries())
    except ValueError as wrong:
        raise Refused(str(wrong), exit_code=Exit.USAGE) from None
    try:
        with client:
            yield client
    except RequestRefused as refused:
        raise Refused(problem_text(refused), exit_code=Exit.REFUSED) from None
    except Problem as fault:
        raise Refused(problem_text(fault)) from None
    except Unreachable as unreachable:
        raise Refused(_unreachable_text(unreachable)) from None
    except SheafError as error:
        raise Refused(str(error)) from None


def problem_text(problem: "Problem") -> str:
    """A problem in plain lines: what, which fields, what to do."""
    codes = ": ".join(filter(None, (problem.code, str(problem.extra.get("item_code") or ""))))
    lines = [f"{problem.title} ({codes})."]
    if problem.detail.rstrip(".") != problem.title.rstrip("."):
        lines.append(problem.detail)
    lines += [f"  {error.field}: {error.reason}" for error in problem.errors]
    active = str(problem.extra.get("export") or "").rpartition("/")[2]
    if problem.code == "active_export_exists" and active:
        lines.append(f"It is {active}. Follow it with: sheaf export wait {active}")
        lines.append(f"Or end it with: sheaf export cancel {active}")
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

    def __call__(self, error: "SheafError", _seconds: float) -> None:
        if str(error) != self._said:
            self._said = str(error)
            typer.echo(f"{error}; trying again.", err=True)
