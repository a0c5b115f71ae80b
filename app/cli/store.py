"""`sheaf store …`: the settings of the token's store, on a running server."""

from pathlib import Path
from typing import Annotated, Any

import typer

from app.cli.answering import Json, put
from app.cli.choosing import DocumentType
from app.cli.connecting import DEFAULT_URL, Timeout, TokenFileOption, UrlOption, connected
from app.cli.documents import PATIENCE
from app.cli.failing import Exit, Refused
from app.cli.later import later
from app.cli.receiving import Force, require_free
from app.cli.saving import save
from app.cli.stores import (
    Accent,
    AddressLine,
    BankLine,
    Country,
    FooterLine,
    IfVersion,
    Locale,
    Logo,
    MissingGlyphs,
    Name,
    NoLogo,
    NumberKey,
    Paper,
    TaxIds,
    TimeZone,
    UnitKey,
    Untaxed,
    VatKey,
    shown_lines,
)

app = typer.Typer()
app.add_typer(later("app.cli.store_template"), name="template", help="The store's own layout of a type of document.")


@app.command()
def show(
    timeout: Timeout = None, as_json: Json = False, url: UrlOption = DEFAULT_URL, token_file: TokenFileOption = None
) -> None:
    """Show what stands on every document of the store."""
    with connected(url, token_file, timeout) as client:
        _put(client.get_store().document, as_json=as_json)


@app.command("set")
def set_(
    name: Name = None,
    address: AddressLine = None,
    tax_id: TaxIds = None,
    bank_line: BankLine = None,
    footer: FooterLine = None,
    accent: Accent = None,
    logo: Logo = None,
    no_logo: NoLogo = False,
    paper: Paper = None,
    locale: Locale = None,
    time_zone: TimeZone = None,
    number_key: NumberKey = None,
    missing_glyphs: MissingGlyphs = None,
    country: Country = None,
    vat_key: VatKey = None,
    unit_key: UnitKey = None,
    untaxed: Untaxed = None,
    version: IfVersion = None,
    preview: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Change nothing: save a document as these settings would make it."),
    ] = None,
    document_type: DocumentType = "invoice",
    order: Annotated[
        int | None, typer.Option(help="The order of the preview, by the shop's id; without it an invented one.")
    ] = None,
    force: Force = False,
    timeout: Timeout = None,
    as_json: Json = False,
    url: UrlOption = DEFAULT_URL,
    token_file: TokenFileOption = None,
) -> None:
    """Change the settings, which makes a new version of them. Exports that are planned keep what they froze."""
    if logo is not None and no_logo:
        raise Refused("--logo and --no-logo exclude each other.", exit_code=Exit.USAGE)
    if preview is not None and (logo is not None or no_logo):
        raise Refused("A logo is no part of a preview: put it with --logo first.", exit_code=Exit.USAGE)
    changes = _patch(
        name=name, address=address, tax_ids=tax_id, bank_lines=bank_line, footer=footer, accent=accent, paper=paper,
        locale=locale, time_zone=time_zone, number_keys=number_key, missing_glyphs=missing_glyphs,
        country=country, vat_keys=vat_key, unit_keys=unit_key, untaxed=untaxed,
    )  # fmt: skip
    if not (changes or logo or no_logo):
        raise Refused("Nothing to set. See: sheaf store set --help", exit_code=Exit.USAGE)
    if preview is not None:
        require_free(preview, force=force)
        with connected(url, token_file, PATIENCE if timeout is None else timeout) as client:
            document = client.preview_document(order, document_type=document_type, settings=changes)
        save(document, preview, force=force, as_json=as_json)
        return
    with connected(url, token_file, timeout) as client:
        if changes:
            version = client.change_store(changes, version=version).version
        if logo is not None:
            client.set_logo(logo.read_bytes(), version=version)
        elif no_logo:
            client.remove_logo()
        _put(client.get_store().document, as_json=as_json)


def _patch(**given: Any) -> dict[str, Any]:
    """What was given as a JSON merge patch; an option that is given once and empty takes away."""
    patch = {field: value for field, value in given.items() if value is not None}
    for field, value in patch.items():
        if isinstance(value, list):
            lines = [line for line in value if line.strip()]
            patch[field] = [_tax_id(line) for line in lines] if field == "tax_ids" else lines
        elif field in ("accent", "country", "untaxed") and not value.strip():
            patch[field] = None
    return patch


def _tax_id(text: str) -> dict[str, str]:
    label, has_label, number = text.partition("=")
    return {"label": label, "number": number} if has_label else {"number": text}


def _put(document: dict[str, Any], *, as_json: bool) -> None:
    if as_json:
        put(document)
        return
    logo = document["logo"]
    shown = {name: value for name, value in document.items() if name != "links"}
    for line in shown_lines(shown | {"logo": logo and f"{logo['media_type']}, {logo['bytes']} bytes"}):
        typer.echo(line)
