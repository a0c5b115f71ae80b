"""Where what is downloaded goes, and a bar on terminals for what comes and goes."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from app.cli.failing import Exit, Refused

if TYPE_CHECKING:
    from app.client.uploading import OnBytes

Force = Annotated[bool, typer.Option("--force", help="Replace a file that is in the way.")]


@dataclass(frozen=True, slots=True)
class Saving:
    """Where an archive goes; `is_forced` if it may replace a file."""

    target: Path
    is_forced: bool


def require_free(path: Path, *, force: bool) -> None:
    """Raise `Refused` unless a file can be saved here."""
    if path.is_dir():
        raise Refused(f"{path} is a folder; --output takes a file.", exit_code=Exit.USAGE)
    if path.exists() and not force:
        raise Refused(f"{path} exists. Name another file with --output, or replace it with --force.")


@contextmanager
def receiving(target: Path) -> Iterator["OnBytes | None"]:
    """Whom to tell of the bytes of this file; nobody if standard error is no terminal."""
    if not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TransferSpeedColumn

    columns = (TextColumn("  {task.description}"), BarColumn(bar_width=32), DownloadColumn(), TransferSpeedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task(target.name, total=None)
        yield lambda done, total: progress.update(task, completed=done, total=total)
