"""`sheaf store template …`: the store's own layout of a type of document, on a running server."""

from pathlib import Path
from typing import Annotated

import typer

from app.cli.answering import Json, put
from app.cli.connecting import DEFAULT_URL, Timeout, TokenFileOption, UrlOption, connected
from app.cli.documents import PATIENCE
from app.cli.failing import Exit, Refused
from app.cli.receiving import Force, require_free
from app.cli.saving import save
from app.cli.stores import IfVersion
from app.cli.templates import Style, StyleFile, TemplateFile, Type, text_of

app = typer.Typer()


@app.command()
def show(
    document_type: Type,
    style: Style = False,
    timeout: Timeout = None,
    as_json: Json = False,
    url: UrlOption = DEFAULT_URL,
    token_file: TokenFileOption = None,
) -> None:
    """Print the store's own template, or ours where it has none: something to begin with."""
    with connected(url, token_file, timeout) as client:
        found = client.get_template(document_type)
    template, css = found.template or found.ours, found.style or ""
    if as_json:
        put({"document_type": document_type, "template": template, "style": css})
    else:
        typer.echo(css if style else template, nl=False)


@app.command("set")
def set_(
    document_type: Type,
    template: TemplateFile = None,
    style: StyleFile = None,
    preview: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Change nothing: save the sample order's document, laid out so."),
    ] = None,
    force: Force = False,
    version: IfVersion = None,
    timeout: Timeout = None,
    as_json: Json = False,
    url: UrlOption = DEFAULT_URL,
    token_file: TokenFileOption = None,
) -> None:
    """Try a template and a style on a sample order and, if a document comes of it, keep them as a new version."""
    if template is None and style is None:
        raise Refused("Nothing to set: name a --template, a --style, or both.", exit_code=Exit.USAGE)
    if preview is not None:
        require_free(preview, force=force)
    html, css = text_of(template), text_of(style)
    with connected(url, token_file, PATIENCE if timeout is None else timeout) as client:
        if preview is None:
            settings = client.set_template(document_type, template=html, style=css, version=version)
            _tell(document_type, settings.version, as_json=as_json)
            return
        document = client.preview_template(document_type, template=html, style=css)
    save(document, preview, force=force, as_json=as_json)


@app.command()
def reset(
    document_type: Type,
    timeout: Timeout = None,
    as_json: Json = False,
    url: UrlOption = DEFAULT_URL,
    token_file: TokenFileOption = None,
) -> None:
    """Go back to our template and our style, as a new version."""
    with connected(url, token_file, timeout) as client:
        client.reset_template(document_type)
        _tell(document_type, client.get_store().version, as_json=as_json)


def _tell(document_type: str, version: int, *, as_json: bool) -> None:
    if as_json:
        put({"document_type": document_type, "changed": True, "version": version})
    else:
        typer.echo(f"The store's settings are at version {version}.", err=True)
