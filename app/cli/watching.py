"""Following an export: a bar on a terminal, plain lines elsewhere."""

import sys
import time
from types import TracebackType
from typing import TYPE_CHECKING, Any, Protocol, Self

import typer

from app.cli.amounts import span
from app.domain.lifecycle import JobState, Phase

if TYPE_CHECKING:
    from uuid import UUID

    from app.client import Export, SheafClient

_LINE_EVERY = 2.0
"""Seconds between plain lines that only differ in their numbers."""


class Display(Protocol):
    """Shows the snapshots of one export while it is entered."""

    def __enter__(self) -> Self: ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None: ...

    def show(self, export: "Export") -> None:
        """Take the next snapshot."""


def display_for(*, as_json: bool) -> Display:
    """What suits standard error, where progress goes; a program that reads JSON is told the end alone."""
    if sys.stderr.isatty():
        return TerminalBar()
    return Silent() if as_json else PlainLines()


def follow(
    client: "SheafClient", export_id: "UUID", display: Display, *, timeout: float | None, patience: float = 60.0
) -> "Export":
    """Show an export until it ends or `timeout` seconds are over; the last snapshot.

    `patience` is how many seconds the server may be away in between.
    """
    with display:
        for export in client.wait(export_id, timeout=timeout, patience=patience):
            display.show(export)
    return export


class Pace:
    """Documents per second as seen from here, and what follows for the rest."""

    def __init__(self) -> None:
        self._began: tuple[float, int] | None = None
        self._rate: float | None = None

    def note(self, export: "Export") -> None:
        """Take the next snapshot."""
        if export.phase is not Phase.RENDERING:
            return
        at, settled = time.monotonic(), export.counts.settled
        if self._began is None:
            # what was settled before we looked, or by planning, says nothing about the pace
            self._began = (at, settled)
        elif settled > self._began[1]:
            self._rate = (settled - self._began[1]) / (at - self._began[0])

    @property
    def rate(self) -> float | None:
        """Documents per second; None before the first one."""
        return self._rate

    def seconds_left(self, export: "Export") -> float | None:
        """The rest at this pace, else the server's estimate."""
        if export.phase is not Phase.RENDERING:
            return None
        if self._rate is None:
            # what planning settled at once would make a rest of hours look like seconds
            return export.seconds_left if export.counts.rendered else None
        return (export.counts.requested - export.counts.settled) / self._rate


def doing(export: "Export") -> str:
    """What the export does now, in a word or a few."""
    match export.state:
        case JobState.QUEUED if export.queue_position not in (None, 1):
            return f"queued at place {export.queue_position}"
        case JobState.PROCESSING:
            return str(export.phase or export.state)
        case _:
            return str(export.state)


def sentence(export: "Export", pace: Pace) -> str:
    """One plain line, such as `rendering 120 of 1000 (11 %), 9.8/s, 90 s left`."""
    parts = [doing(export)]
    if export.state is JobState.PROCESSING and export.phase is Phase.RENDERING:
        parts[0] += f" {export.counts.settled} of {export.counts.requested} ({export.percent} %)"
        if pace.rate is not None:
            parts.append(f"{pace.rate:.1f}/s")
        left = pace.seconds_left(export)
        if left is not None:
            parts.append(_left(left))
    begins = beginning(export)
    if begins:
        parts.append(begins)
    if export.waiting_for:
        parts.append(f"waiting for {export.waiting_for}")
    return ", ".join(parts)


class _Shown:
    """A display that needs nothing at its end."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        return


class Silent(_Shown):
    """Shows nothing."""

    def show(self, export: "Export") -> None:
        """Take no notice of it."""


class PlainLines(_Shown):
    """Lines for logs: each change of what it does, and its numbers every two seconds."""

    def __init__(self) -> None:
        self._pace = Pace()
        self._news: tuple[str, str | None] | None = None
        self._line = ""
        self._next_at = 0.0

    def show(self, export: "Export") -> None:
        """Print it if it is news."""
        self._pace.note(export)
        now = time.monotonic()
        line = sentence(export, self._pace)
        news = (doing(export), export.waiting_for)
        if line == self._line or (news == self._news and now < self._next_at):
            return
        self._news, self._line, self._next_at = news, line, now + _LINE_EVERY
        typer.echo(line, err=True)


class TerminalBar:
    """A bar with done and total, rate and time left."""

    def __init__(self) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn

        self._pace = Pace()
        self._progress = Progress(
            SpinnerColumn(finished_text=" "),
            TextColumn("{task.description}"),
            BarColumn(bar_width=32),
            TextColumn("{task.fields[done]}"),
            TextColumn("{task.fields[rate]}", style="cyan"),
            TextColumn("{task.fields[left]}", style="dim"),
            console=Console(stderr=True),
        )
        self._task = self._progress.add_task("queued", total=None, done="", rate="", left="")

    def __enter__(self) -> Self:
        self._progress.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._progress.stop()

    def show(self, export: "Export") -> None:
        """Move the bar."""
        self._pace.note(export)
        counts, left = export.counts, self._pace.seconds_left(export)
        fields: dict[str, Any] = {
            "done": f"{counts.settled}/{counts.requested}" if counts.requested else "",
            "rate": "" if self._pace.rate is None else f"{self._pace.rate:.1f}/s",
            "left": f"waiting for {export.waiting_for}" if export.waiting_for else _left(left) or beginning(export),
        }
        self._progress.update(
            self._task,
            description=doing(export),
            total=counts.requested or None,
            completed=counts.settled,
            **fields,
        )


def beginning(export: "Export") -> str:
    """When a queued export begins, as the server guesses; empty if it does at once or nobody knows."""
    return f"begins in about {span(export.starts_in_seconds)}" if export.starts_in_seconds else ""


def _left(seconds: float | None) -> str:
    return "" if seconds is None else f"{span(seconds)} left"
