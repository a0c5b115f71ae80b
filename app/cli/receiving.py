"""A bar for a download, on terminals."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from app.client.downloading import OnBytes


@contextmanager
def receiving(target: Path) -> Iterator["OnBytes | None"]:
    """Whom to tell of the bytes that come; nobody if standard error is no terminal."""
    if not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TransferSpeedColumn

    columns = (TextColumn("  {task.description}"), BarColumn(bar_width=32), DownloadColumn(), TransferSpeedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task(target.name, total=None)
        yield lambda done, total: progress.update(task, completed=done, total=total)
