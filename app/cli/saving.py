"""Single documents as files."""

import json
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from app.cli.amounts import size
from app.cli.receiving import require_free

if TYPE_CHECKING:
    from app.client import Document


def save(document: "Document", target: Path, *, force: bool, as_json: bool) -> None:
    """Save a document, and tell so; raises `Refused` for a file that is in the way."""
    require_free(target, force=force)
    # whole or not at all: what is there already may be what somebody wants to compare with
    unfinished = target.with_name(f"{target.name}.part")
    unfinished.write_bytes(document.pdf)
    unfinished.replace(target)
    told = {"file": str(target), "bytes": len(document.pdf)}
    typer.echo(json.dumps(told, ensure_ascii=False) if as_json else f"Saved {target} ({size(len(document.pdf))}).")
