"""What `sheaf jobs` shows: a table on a terminal, lines elsewhere, JSON for programs."""

from collections.abc import Iterator, Sequence
from datetime import datetime
from io import StringIO
from shutil import get_terminal_size
from typing import Any

from app.cli.amounts import plural, size, span
from app.exports.surveying import Examined, Surveyed


def table(found: Sequence[Surveyed], *, is_terminal: bool) -> Iterator[str]:
    """A row each: what it is, how far, how old, and what keeps it."""
    rows = [
        (
            str(one.job.id),
            f"{one.store}/{one.job.owner}",
            str(one.job.phase or one.job.state),
            f"{_settled(one)}/{one.job.requested}" if one.job.requested else "",
            span(_age(one)),
            " ".join(finding.sentence for finding in one.findings)
            or ("It goes on." if one.job.state.is_active else ""),
        )
        for one in found
    ]
    if is_terminal:
        yield from _rich(rows)
        return
    for row in rows:
        yield "  ".join(cell for cell in row if cell)


def _rich(rows: Sequence[tuple[str, ...]]) -> Iterator[str]:
    from rich.console import Console
    from rich.table import Table

    shown = Table("export", "store/owner", "state", "items", "age", "why", box=None, pad_edge=False)
    for row in rows:
        shown.add_row(*row)
    text = StringIO()
    Console(file=text, width=get_terminal_size().columns).print(shown)
    yield from text.getvalue().splitlines()


def report(found: Examined) -> Iterator[str]:
    """All of one export, in lines."""
    one, job = found.surveyed, found.surveyed.job
    yield f"Export {job.id} of {one.store}/{job.owner} is {job.state}{f', {job.phase}' if job.phase else ''}."
    yield (
        f"  {job.document_type}, {job.layout}; {plural(job.requested, 'document')}: {job.rendered} rendered, "
        f"{job.failed} failed, {job.skipped} skipped ({one.view.percent} %)"
    )
    for name, instant in _instants(one).items():
        yield f"  {name.removesuffix('_at').replace('_', ' ')} {instant}"
    for name, states in _counts(one).items():
        yield f"  {name} steps: " + ", ".join(f"{count} {state}" for state, count in states.items())
    for step in one.steps.held:
        yield (
            f"  step {step.step_id} ({step.kind}) is held by {step.host}, attempt {step.attempt}, "
            f"{plural(step.lapses, 'lapse')}, lease {_left(step.lease_left)}"
        )
    for item in found.struck:
        yield f"  item {item.ordinal} (order {item.number}) has {plural(item.strikes, 'strike')}, {item.outcome}"
    yield f"  artifacts: {plural(found.stored, 'step')} stored, " + (
        "no archive" if job.archive_bytes is None else f"archive of {size(job.archive_bytes)} at {job.archive_key}"
    )
    if job.failure_code is not None:
        yield f"It failed: {job.failure_code}{f': {job.failure_note}' if job.failure_note else ''}."
    if job.state.is_active and not one.findings:
        yield "It goes on; nothing is to be done."
    for finding in one.findings:
        yield f"{finding.sentence}\n  → {finding.advice}"


def as_document(one: Surveyed) -> dict[str, Any]:
    """One export of the list, for programs."""
    job = one.job
    return {
        "id": str(job.id),
        "store": one.store,
        "owner": job.owner,
        "state": job.state,
        "phase": job.phase,
        "counts": {"requested": job.requested, "rendered": job.rendered, "failed": job.failed, "skipped": job.skipped},
        "percent": one.view.percent,
        "age_seconds": round(_age(one)),
        "queue_position": one.view.queue_position,
        "starts_in_seconds": one.view.starts_in_seconds,
        "waiting_for": one.view.waiting_for,
        "failure": None if job.failure_code is None else {"code": job.failure_code, "note": job.failure_note},
        "is_stuck": one.is_stuck,
        "findings": [
            {
                "code": finding.trouble,
                "sentence": finding.sentence,
                "advice": finding.advice,
                "is_stuck": finding.is_stuck,
            }
            for finding in one.findings
        ],
        "steps": _counts(one),
        "held": [
            {
                "step": step.step_id,
                "kind": step.kind,
                "host": step.host,
                "is_host_alive": step.is_host_alive,
                "attempt": step.attempt,
                "lapses": step.lapses,
                "claimed_at": _text(step.claimed_at),
                "lease_left_seconds": round(step.lease_left, 1),
            }
            for step in one.steps.held
        ],
        **_instants(one),
    }


def examined_document(found: Examined) -> dict[str, Any]:
    """One export with all that its rows tell, for programs."""
    job = found.surveyed.job
    return {
        **as_document(found.surveyed),
        "document_type": job.document_type,
        "layout": job.layout,
        "pdf": job.pdf,
        "revision": job.revision,
        "struck": [
            {"ordinal": item.ordinal, "number": item.number, "strikes": item.strikes, "outcome": item.outcome}
            for item in found.struck
        ],
        "stored_steps": found.stored,
        "archive": None
        if job.archive_key is None
        else {"key": job.archive_key, "bytes": job.archive_bytes, "sha256": job.archive_sha256},
    }


def _counts(one: Surveyed) -> dict[str, dict[str, int]]:
    counts: dict[str, dict[str, int]] = {}
    for (kind, state), count in sorted(one.steps.counts.items()):
        counts.setdefault(str(kind), {})[str(state)] = count
    return counts


def _instants(one: Surveyed) -> dict[str, str]:
    job = one.job
    known = {
        "created_at": job.created_at,
        "started_at": job.started_at,
        "planned_at": job.planned_at,
        "progressed_at": job.progressed_at,
        "cancel_requested_at": job.cancel_requested_at,
        "finished_at": job.finished_at,
        "expires_at": job.expires_at,
    }
    return {name: _text(instant) for name, instant in known.items() if instant is not None}


def _text(instant: datetime) -> str:
    return instant.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _settled(one: Surveyed) -> int:
    return one.job.rendered + one.job.failed + one.job.skipped


def _age(one: Surveyed) -> float:
    return (one.at - one.job.created_at).total_seconds()


def _left(seconds: float) -> str:
    return f"{seconds:.0f} s left" if seconds >= 0 else f"ran out {span(-seconds)} ago"
