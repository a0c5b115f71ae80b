"""`sheaf stores …`: the shops of an installation."""

import sys
from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from app.cli.answering import Json, JsonLines, put
from app.cli.failing import Refused
from app.cli.later import later
from app.cli.targets import DataOption, target_database

if TYPE_CHECKING:
    from sqlalchemy.orm import Session

    from app.database.settings import Version
    from app.database.tables import StoreRow
    from app.domain.store_settings import StoreSettings, TaxId

app = typer.Typer()
app.add_typer(later("app.cli.templates"), name="template", help="A store's own layout of a type of document.")

Key = Annotated[str, typer.Argument(help="The store's key.")]
Name = Annotated[str | None, typer.Option(help="Name, as printed on documents.")]
AddressLine = Annotated[
    list[str] | None, typer.Option("--address", help="A line of the address; repeat it. Once and empty: none.")
]
TaxIds = Annotated[
    list[str] | None,
    typer.Option("--tax-id", help="Tax number, or LABEL=NUMBER (“VAT no.=GB 123”); repeat it. Once and empty: none."),
]
BankLine = Annotated[
    list[str] | None, typer.Option("--bank-line", help="How to pay by transfer; repeat it. Once and empty: none.")
]
FooterLine = Annotated[
    list[str] | None,
    typer.Option("--footer", help="A line at the foot of each page; repeat it. Once and empty: none."),
]
Accent = Annotated[str | None, typer.Option(help="Colour of headings, such as #1a4d8f. Empty: black.")]
Locale = Annotated[str | None, typer.Option(help="Language and region, such as en-GB or de-AT.")]
TimeZone = Annotated[str | None, typer.Option(help="IANA time zone, such as Europe/Vienna.")]
Paper = Annotated[str | None, typer.Option(help="A4 or Letter.")]
NumberKey = Annotated[
    list[str] | None,
    typer.Option(
        "--number-key",
        help="Key of an order's metadata with its invoice number, such as _invoice_number; repeat it, the first that "
        "an order has counts. Once and empty: invoices have the order's number.",
    ),
]
MissingGlyphs = Annotated[
    str | None,
    typer.Option(
        help="`warn` or `fail`: what becomes of a document with a character that no font has, its code printed with "
        "a warning, or a failed item."
    ),
]
Country = Annotated[str | None, typer.Option(help="Country of the seller, such as DE, for e-invoices. Empty: none.")]
VatKey = Annotated[
    list[str] | None,
    typer.Option(
        "--vat-key",
        help="Key of an order's metadata with the customer's VAT number; repeat it. Once and empty: those of known "
        "plugins alone.",
    ),
]
UnitKey = Annotated[
    list[str] | None,
    typer.Option(
        "--unit-key", help="Key of a line's metadata with the unit of its quantity; repeat it. Once and empty: none."
    ),
]
Untaxed = Annotated[
    str | None,
    typer.Option(
        help="What is sold at home without tax, for e-invoices: Z (zero rated), “E=VAT exempt under …” or O (not "
        "subject to VAT). Empty: not told."
    ),
]
Logo = Annotated[Path | None, typer.Option(exists=True, dir_okay=False, help="PNG or JPEG file.")]
NoLogo = Annotated[bool, typer.Option("--no-logo", help="Take the logo away.")]
IfVersion = Annotated[
    int | None, typer.Option("--if-version", min=1, help="Change nothing unless the settings are at this version.")
]

KEY_CHARACTERS = "abcdefghijklmnopqrstuvwxyz0123456789-_."


@app.command()
def create(
    key: Key,
    name: Name = None,
    address: AddressLine = None,
    tax_id: TaxIds = None,
    bank_line: BankLine = None,
    footer: FooterLine = None,
    accent: Accent = None,
    logo: Logo = None,
    paper: Paper = None,
    locale: Locale = None,
    time_zone: TimeZone = None,
    number_key: NumberKey = None,
    missing_glyphs: MissingGlyphs = None,
    country: Country = None,
    vat_key: VatKey = None,
    unit_key: UnitKey = None,
    untaxed: Untaxed = None,
    as_json: Json = False,
    data: DataOption = None,
) -> None:
    """Create a store."""
    from app.database.settings import columns_of, current_version
    from app.database.stores import create_store, find_store
    from app.domain.store_settings import StoreSettings

    changes = _changes(
        name=name, address=address, tax_ids=tax_id, bank_lines=bank_line, footer=footer, accent=accent, logo=logo,
        paper=paper, locale=locale, time_zone=time_zone, number_keys=number_key,
        missing_glyphs=missing_glyphs, country=country, vat_keys=vat_key, unit_keys=unit_key, untaxed=untaxed,
    )  # fmt: skip
    with target_database(data) as database, database.transaction() as tx:
        if find_store(tx, check_key(key)) is not None:
            raise Refused(f"Store `{key}` exists. Change it with: sheaf stores set {key} …")
        settings = _changed(StoreSettings(key, (), "", "en", "UTC", "A4"), changes)
        made = current_version(tx, create_store(tx, key=key, **columns_of(settings)))
    _show(key, made, as_json=as_json)


@app.command("set")
def set_(
    key: Key,
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
    as_json: Json = False,
    data: DataOption = None,
) -> None:
    """Change a store, which makes a new version of it. Exports that are planned keep what they froze."""
    from app.database.settings import change_settings

    changes = _changes(
        name=name, address=address, tax_ids=tax_id, bank_lines=bank_line, footer=footer, accent=accent, logo=logo,
        paper=paper, locale=locale, time_zone=time_zone, number_keys=number_key,
        missing_glyphs=missing_glyphs, country=country, vat_keys=vat_key, unit_keys=unit_key, untaxed=untaxed,
    )  # fmt: skip
    if no_logo:
        if logo is not None:
            raise Refused("--logo and --no-logo exclude each other.")
        changes["logo"] = None
    if not changes:
        raise Refused("Nothing to set. See: sheaf stores set --help")
    with target_database(data) as database, database.transaction() as tx:
        store = known_store(tx, key)
        version = change_settings(tx, store.id, partial(_changed, changes=changes), changed_by=None)
    _show(key, version, as_json=as_json)


@app.command()
def show(
    key: Key,
    version: Annotated[
        int | None, typer.Option(min=1, max=2**31 - 1, help="An earlier version, such as an export tells.")
    ] = None,
    as_json: Json = False,
    data: DataOption = None,
) -> None:
    """Show a store's settings, with their version."""
    from app.database.settings import current_version, find_version

    with target_database(data) as database, database.reading() as tx:
        store = known_store(tx, key)
        found = current_version(tx, store) if version is None else find_version(tx, store, version)
    if found is None:
        raise Refused(f"Store `{key}` has no version {version}, or has it no more: no export refers to it.")
    _show(key, found, as_json=as_json)


@app.command("list")
def list_(as_json: JsonLines = False, data: DataOption = None) -> None:
    """List the stores' keys."""
    from app.database.stores import list_stores

    with target_database(data) as database, database.reading() as tx:
        for store in list_stores(tx):
            if as_json:
                put({"key": store.key, "name": store.name})
            else:
                typer.echo(store.key)


def check_key(key: str) -> str:
    """A store's key: short, and safe in every place it may stand."""
    if not 1 <= len(key) <= 64 or set(key) - set(KEY_CHARACTERS):
        raise Refused(f"`{key}` is no store key: 1 to 64 of a–z, 0–9, `-`, `_` and `.`.")
    return key


def store_or_new(tx: "Session", key: str) -> "StoreRow":
    """The store with this key; an unknown one is made with defaults, and standard error says so."""
    from app.database.stores import create_store, find_store

    found = find_store(tx, check_key(key))
    if found is not None:
        return found
    typer.echo(f"Store `{key}` is new: made with defaults. Complete it with: sheaf stores set {key} …", file=sys.stderr)
    return create_store(tx, key=key)


def known_store(tx: "Session", key: str) -> "StoreRow":
    """The store with this key; raises `Refused` if there is none."""
    from app.database.stores import find_store

    found = find_store(tx, key)
    if found is None:
        raise Refused(f"There is no store `{key}`. Create it with: sheaf stores create {key}")
    return found


def _changes(*, tax_ids: list[str] | None, logo: Path | None, **given: Any) -> dict[str, Any]:
    """What was given, by the names of settings."""
    if tax_ids is not None:
        given["tax_ids"] = [_tax_id(text) for text in tax_ids if text.strip()]
    if logo is not None:
        given["logo"] = logo.read_bytes()
    return {field: value for field, value in given.items() if value is not None}


def _tax_id(text: str) -> "TaxId":
    from app.domain.store_settings import TaxId

    label, has_label, number = text.partition("=")
    return TaxId(number, label) if has_label else TaxId(text)


def _changed(settings: "StoreSettings", changes: dict[str, Any]) -> "StoreSettings":
    from app.documents.settings import SettingRefused, changed

    try:
        return changed(settings, changes)
    except SettingRefused as refused:
        raise Refused(f"{refused.field.replace('_', ' ').capitalize()}: {refused.reason}.") from None


def _show(key: str, version: "Version", *, as_json: bool) -> None:
    shown = {"key": key, **_document(version)}
    if as_json:
        put(shown)
        return
    for line in shown_lines(shown):
        typer.echo(line)


def shown_lines(settings: Mapping[str, Any]) -> Iterator[str]:
    """Each setting by its name; what is many has a line each."""
    for field, value in settings.items():
        first, *more = list(_texts(value)) or ["–"]
        yield f"{field.replace('_', ' '):<16}{first}"
        yield from (f"{'':<16}{text}" for text in more)


def _document(version: "Version") -> dict[str, Any]:
    settings = version.settings
    return {
        "version": version.number,
        "changed_at": version.changed_at.isoformat(),
        "changed_by": version.changed_by,
        "name": settings.name,
        "address": settings.address,
        "tax_ids": [{"label": one.label, "number": one.number} for one in settings.tax_ids],
        "bank_lines": settings.bank_lines,
        "footer": settings.footer,
        "accent": settings.accent or None,
        "logo_bytes": 0 if settings.logo is None else len(settings.logo),
        "paper": settings.paper,
        "locale": settings.locale,
        "time_zone": settings.time_zone,
        "number_keys": settings.number_keys,
        "missing_glyphs": settings.missing_glyphs,
        "country": settings.country or None,
        "vat_keys": settings.vat_keys,
        "unit_keys": settings.unit_keys,
        "untaxed": settings.untaxed or None,
        "templates": [own.document_type.value for own in settings.templates],
    }


def _texts(value: Any) -> Iterator[str]:
    match value:
        case None:
            return
        case {"label": str(label), "number": str(number)}:
            yield f"{label} {number}".strip()
        case list() | tuple():
            for one in value:
                yield from _texts(one)
        case _:
            yield str(value)
