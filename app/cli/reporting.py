"""How an export ended: a few lines for people, an exit code for scripts."""

from itertools import islice
from typing import TYPE_CHECKING

import typer

from app.cli.amounts import plural, size, span
from app.cli.failing import Exit
from app.cli.watching import beginning, doing
from app.domain.lifecycle import JobState

if TYPE_CHECKING:
    from pathlib import Path

    from app.client import Export, Failure, SheafClient
    from app.client.downloading import RemoteArchive

_FIRST_FEW = 5


def exit_of(export: "Export") -> Exit:
    """The exit code that says how an export stands."""
    match export.state:
        case JobState.COMPLETED:
            return Exit.OK if export.counts.rendered == export.counts.requested else Exit.INCOMPLETE
        case JobState.FAILED:
            return Exit.FAILED
        case JobState.CANCELLED:
            return Exit.CANCELLED
        case _:
            return Exit.RUNNING


def report(client: "SheafClient", export: "Export", *, err: bool = False) -> None:
    """Say how it stands, why it failed, and the first of what has no document."""
    typer.echo(summary(export), err=err)
    if export.is_active:
        typer.echo(f"It goes on. Follow it with: sheaf export wait {export.id}", err=True)
        return
    missing = export.counts.failed + export.counts.skipped
    if not missing or export.state is JobState.CANCELLED:
        return
    for failure in islice(client.failures(export.id, page=_FIRST_FEW), _FIRST_FEW):
        typer.echo(f"  {failure_line(failure)}", err=err)
    if missing > _FIRST_FEW:
        typer.echo(f"  … and {missing - _FIRST_FEW} more. All of them: sheaf export failures {export.id}", err=err)


def summary(export: "Export") -> str:
    """One sentence with the counts, or with the place in the queue."""
    if export.state is JobState.QUEUED:
        return f"Export {export.id} is {', '.join(filter(None, (doing(export), beginning(export))))}."
    counts = export.counts
    parts = [f"{counts.rendered} rendered"]
    parts += [f"{count} {name}" for name, count in (("failed", counts.failed), ("skipped", counts.skipped)) if count]
    verb = {JobState.CANCELLED: "was", JobState.COMPLETED: "has", JobState.FAILED: "has"}.get(export.state, "is")
    text = f"Export {export.id} {verb} {export.state}: {', '.join(parts)} of {plural(counts.requested, 'document')}"
    if export.started_at is not None and export.finished_at is not None:
        text += f" in {span((export.finished_at - export.started_at).total_seconds())}"
    return f"{text}. {export.failure.reason}" if export.failure else f"{text}."


def until(export: "Export") -> str:
    """Until when its archive can be downloaded; empty for an export without one."""
    if export.archive is None:
        return ""
    verb = "expired" if export.archive.is_expired else "until"
    return f"archive {verb} {export.archive.expires_at:%Y-%m-%d %H:%M:%SZ}"


def failure_line(failure: "Failure") -> str:
    """One item that has no document, and why."""
    which = failure.number or ("?" if failure.order_id is None else str(failure.order_id))
    kind = failure.type.replace("_", " ")
    named = f"{kind} {which}" if failure.refund_id is not None else f"{kind} of order {which}"
    return f"{failure.outcome} {named}: {failure.code}: {failure.reason}"


def saved(export: "Export", path: "Path") -> str:
    """What was written where."""
    archive = export.archive
    return f"Saved {path}" if archive is None else f"Saved {path} ({size(archive.bytes)}, SHA-256 {archive.sha256})."


def saved_as(path: "Path", archive: "RemoteArchive") -> dict[str, object]:
    """The same for programs."""
    return {"file": str(path), "bytes": archive.bytes, "sha256": archive.sha256}
