"""A new export, or one that is found again: followed to its end, reported, and saved."""

import time
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING
from uuid import UUID

import typer

from app.cli.answering import put
from app.cli.connecting import LONG_PATIENCE, noted
from app.cli.detaching import interruptible, is_to_be_cancelled
from app.cli.failing import Exit
from app.cli.receiving import Saving, receiving
from app.cli.reporting import exit_of, report, saved
from app.cli.watching import display_for, follow
from app.domain.lifecycle import JobState

if TYPE_CHECKING:
    from app.client import Existing, Export, SheafClient

_TO_STOP = 30.0
"""Seconds in which a cancelled export ends; two are promised while a worker runs."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """How far to go with an export. `give_up_at` is on the monotonic clock; None waits for as long as it takes."""

    is_followed: bool
    saving: Saving | None
    as_json: bool
    give_up_at: float | None = None

    @property
    def left(self) -> float | None:
        """Seconds left to wait."""
        return None if self.give_up_at is None else max(0.0, self.give_up_at - time.monotonic())


def go_with(client: "SheafClient", export: "Export", wanted: Wanted) -> Exit:
    """Follow a new export as far as was asked for; the exit code."""
    if not wanted.is_followed:
        if wanted.as_json:
            put(export.document)
        else:
            typer.echo(str(export.id))
            typer.echo(f"Export {export.id} is {export.state}. Follow it: sheaf export wait {export.id}", err=True)
        return Exit.OK
    if not wanted.as_json:
        typer.echo(f"Export {export.id} is {export.state}.", err=True)
    return to_its_end(client, export.id, wanted)


def to_its_end(client: "SheafClient", export_id: UUID, wanted: Wanted) -> Exit:
    """Follow an export, report how it ended, and save its archive; the exit code."""
    again = f"sheaf export wait {export_id}"
    if wanted.saving is not None:
        again += f" --output {wanted.saving.target}"
    with interruptible(f"The export goes on. Follow it again with: {again}"), noted(f"Follow it again with: {again}"):
        export = _followed(client, export_id, wanted)
    if not wanted.as_json:
        report(client, export)
    if wanted.saving is not None and export.state is JobState.COMPLETED:
        fetch(client, export_id, wanted.saving)
        if not wanted.as_json:
            typer.echo(saved(export, wanted.saving.target))
    if wanted.as_json:
        put(export.document)
    return exit_of(export)


def _followed(client: "SheafClient", export_id: UUID, wanted: Wanted) -> "Export":
    display = display_for(as_json=wanted.as_json)
    patience = LONG_PATIENCE if wanted.left is None else min(LONG_PATIENCE, wanted.left + 1.0)
    try:
        return follow(client, export_id, display, timeout=wanted.left, patience=patience)
    except KeyboardInterrupt:
        if not is_to_be_cancelled(export_id):
            raise
    return cancelled(client, export_id)


def cancelled(client: "SheafClient", export_id: UUID) -> "Export":
    """The export once it has stopped; or as it ended, if it was faster."""
    from app.client import RequestRefused

    # completed or failed in this moment: that is told as any end is
    with suppress(RequestRefused):
        client.cancel(export_id)
    return stopped(client, export_id)


def stopped(client: "SheafClient", export_id: UUID) -> "Export":
    """The export once it has ended, or as it stands after the time in which a cancelled one ends."""
    *_, export = client.wait(export_id, timeout=_TO_STOP)
    return export


def fetch(client: "SheafClient", export_id: UUID, saving: Saving) -> None:
    """Save the archive, or the rest of it."""
    go_on = f"What came so far is kept. Go on with: sheaf export download {export_id} --output {saving.target}"
    with interruptible(go_on), noted(go_on), receiving(saving.target) as on_bytes:
        client.download(export_id, saving.target, existing=_existing(saving), on_bytes=on_bytes, patience=LONG_PATIENCE)


def _existing(saving: Saving) -> "Existing":
    from app.client import Existing

    return Existing.REPLACE if saving.is_forced else Existing.KEEP


def give_up_at(timeout: float | None) -> float | None:
    """When a wait of so many seconds ends."""
    return None if timeout is None else time.monotonic() + timeout
