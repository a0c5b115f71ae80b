"""`sheaf documents …`: single documents of a running server."""

import json
from pathlib import Path
from typing import Annotated

import typer

from app.cli.amounts import size
from app.cli.answering import Json
from app.cli.choosing import DocumentType
from app.cli.connecting import DEFAULT_URL, Timeout, TokenFileOption, UrlOption, connected
from app.cli.receiving import Force, require_free

_PATIENCE = 30.0
"""Seconds: the server's renderer starts with the first document, and others may come before it."""

app = typer.Typer(no_args_is_help=True, help="Single documents of a running server, with the token in SHEAF_TOKEN.")


@app.callback()
def documents() -> None:
    """Single documents of a running server, with the token in SHEAF_TOKEN."""


@app.command()
def preview(
    order: Annotated[int, typer.Argument(metavar="ORDER", help="The shop's id of the order.")],
    document_type: DocumentType = "invoice",
    refund_id: Annotated[
        int | None, typer.Option("--refund", metavar="ID", help="For a credit note: the shop's id of the refund.")
    ] = None,
    output: Annotated[
        Path | None, typer.Option(help="Where to save it; by default the server's name for it, here.")
    ] = None,
    force: Force = False,
    timeout: Timeout = None,
    as_json: Json = False,
    url: UrlOption = DEFAULT_URL,
    token_file: TokenFileOption = None,
) -> None:
    """Render one order's document as an export would now, and save the PDF."""
    if output is not None:
        require_free(output, force=force)
    with connected(url, token_file, _PATIENCE if timeout is None else timeout) as client:
        document = client.preview_document(order, document_type=document_type, refund_id=refund_id)
    target = output or Path(document.name)
    require_free(target, force=force)
    # whole or not at all: what is there already may be what somebody wants to compare with
    unfinished = target.with_name(f"{target.name}.part")
    unfinished.write_bytes(document.pdf)
    unfinished.replace(target)
    told = {"file": str(target), "bytes": len(document.pdf)}
    typer.echo(json.dumps(told, ensure_ascii=False) if as_json else f"Saved {target} ({size(len(document.pdf))}).")
