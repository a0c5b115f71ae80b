"""`sheaf documents …`: single documents of a running server."""

from pathlib import Path
from typing import Annotated

import typer

from app.cli.answering import Json
from app.cli.choosing import DocumentType, PdfOption
from app.cli.connecting import DEFAULT_URL, Timeout, TokenFileOption, UrlOption, connected
from app.cli.receiving import Force, require_free
from app.cli.saving import save

PATIENCE = 30.0
"""Seconds: the server's renderer starts with the first document, and others may come before it."""

app = typer.Typer()


@app.command()
def preview(
    order: Annotated[int, typer.Argument(metavar="ORDER", help="The shop's id of the order.")],
    document_type: DocumentType = "invoice",
    refund_id: Annotated[
        int | None, typer.Option("--refund", metavar="ID", help="For a credit note: the shop's id of the refund.")
    ] = None,
    pdf: PdfOption = None,
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
    with connected(url, token_file, PATIENCE if timeout is None else timeout) as client:
        document = client.preview_document(
            order, document_type=document_type, refund_id=refund_id, pdf=None if pdf is None else pdf.value
        )
    save(document, output or Path(document.name), force=force, as_json=as_json)
