"""What an import did, for people and for programs."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import typer

from app.cli.answering import put

_COUNTED: Final = ("new", "changed", "unchanged", "stale", "rejected")
_SHOWN_WARNINGS: Final = 10


def print_report(file: Path, report: Mapping[str, Any], fault: str | None, *, as_json: bool) -> None:
    """Tell what one file brought, and where it is broken if it is."""
    if as_json:
        put({"file": str(file), "fault": fault, **report})
        return
    typer.echo(f"{file}: {', '.join(f'{report[name]} {name}' for name in _COUNTED)}")
    for problem in report["errors"]:
        which = f" (id {problem['id']})" if problem["id"] else ""
        typer.echo(f"  line {problem['line']}{which}: {problem['code']}: {problem['reason']}", err=True)
    if report["errors_truncated"]:
        typer.echo("  … and more", err=True)
    warnings = report["warnings"]
    for problem in warnings[:_SHOWN_WARNINGS]:
        typer.echo(f"  line {problem['line']} (id {problem['id']}): note: {problem['reason']}", err=True)
    if len(warnings) > _SHOWN_WARNINGS:
        typer.echo(f"  … and {len(warnings) - _SHOWN_WARNINGS} more notes; --json shows them", err=True)
    if fault is None:
        return
    typer.echo(f"  {file}: {fault}", err=True)
    committed = sum(report[name] for name in _COUNTED[:-1])
    if committed:
        typer.echo(f"  {committed} before it are in the store; mend the file and import it again.", err=True)
