"""Ctrl-C while an export goes on: on a terminal the question whether it shall end too; else we only leave it."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import typer

from app.cli.answering import put, wants_json
from app.cli.failing import Exit, Refused

if TYPE_CHECKING:
    from uuid import UUID


def is_to_be_cancelled(export_id: "UUID") -> bool:
    """Ask; a second Ctrl-C, no answer, or nobody who could be asked means no."""
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        return False
    try:
        typer.echo(err=True)
        return typer.confirm(f"Cancel export {export_id}? Otherwise it goes on without you", err=True)
    except typer.Abort:
        return False


@contextmanager
def interruptible(text: str) -> Iterator[None]:
    """Ctrl-C inside ends the command, with what is true of the export and how to go on."""
    try:
        yield
    except KeyboardInterrupt:
        # as a shell counts a program that Ctrl-C ended
        if wants_json(sys.argv[1:]):
            put(Refused(text, exit_code=Exit.INTERRUPTED).document, err=True)
        else:
            typer.echo(f"\n{text}", err=True)
        sys.exit(Exit.INTERRUPTED)
