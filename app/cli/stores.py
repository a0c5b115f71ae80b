"""`sheaf stores …`: the shops of an installation."""

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NoReturn
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import typer

from app.cli.failing import Refused
from app.cli.targets import DataOption, target_database

if TYPE_CHECKING:
    from sqlalchemy.orm import Session

    from app.database.tables import StoreRow

app = typer.Typer(no_args_is_help=True, help="The shops of an installation.")

Key = Annotated[str, typer.Argument(help="The store's key.")]
Name = Annotated[str | None, typer.Option(help="Name, as printed on documents.")]
AddressLine = Annotated[list[str] | None, typer.Option("--address", help="A line of the address; repeat it.")]
TaxId = Annotated[str | None, typer.Option(help="Tax number, as printed.")]
Locale = Annotated[str | None, typer.Option(help="Language and region, such as en-GB or de-AT.")]
TimeZone = Annotated[str | None, typer.Option(help="IANA time zone, such as Europe/Vienna.")]
Paper = Annotated[str | None, typer.Option(help="A4 or Letter.")]
Logo = Annotated[Path | None, typer.Option(exists=True, dir_okay=False, help="PNG or JPEG file.")]

KEY_CHARACTERS = "abcdefghijklmnopqrstuvwxyz0123456789-_."


@app.command()
def create(
    key: Key,
    name: Name = None,
    address: AddressLine = None,
    tax_id: TaxId = None,
    locale: Locale = None,
    time_zone: TimeZone = None,
    paper: Paper = None,
    logo: Logo = None,
    data: DataOption = None,
) -> None:
    """Create a store."""
    from app.database.stores import create_store, find_store

    settings = _settings(name, address, tax_id, locale, time_zone, paper, logo)
    with target_database(data) as database, database.transaction() as tx:
        if find_store(tx, check_key(key)) is not None:
            raise Refused(f"Store `{key}` exists. Change it with: sheaf stores set {key} …")
        _show(create_store(tx, key=key, **settings))


@app.command("set")
def set_(
    key: Key,
    name: Name = None,
    address: AddressLine = None,
    tax_id: TaxId = None,
    locale: Locale = None,
    time_zone: TimeZone = None,
    paper: Paper = None,
    logo: Logo = None,
    data: DataOption = None,
) -> None:
    """Change a store. Exports that are planned keep what they froze."""
    from app.database.stores import set_store

    settings = _settings(name, address, tax_id, locale, time_zone, paper, logo)
    if not settings:
        raise Refused("Nothing to set. See: sheaf stores set --help")
    with target_database(data) as database, database.transaction() as tx:
        store = set_store(tx, key, settings)
        if store is None:
            raise unknown_store(key)
        _show(store)


@app.command()
def show(key: Key, data: DataOption = None) -> None:
    """Show a store."""
    from app.database.stores import find_store

    with target_database(data) as database, database.reading() as tx:
        store = find_store(tx, key)
        if store is None:
            raise unknown_store(key)
        _show(store)


@app.command("list")
def list_(data: DataOption = None) -> None:
    """List the stores' keys."""
    from app.database.stores import list_stores

    with target_database(data) as database, database.reading() as tx:
        for store in list_stores(tx):
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


def unknown_store(key: str) -> Refused:
    """The error for a key that no store has."""
    return Refused(f"There is no store `{key}`. Create it with: sheaf stores create {key}")


def _settings(
    name: str | None,
    address: list[str] | None,
    tax_id: str | None,
    locale: str | None,
    time_zone: str | None,
    paper: str | None,
    logo: Path | None,
) -> dict[str, Any]:
    given: dict[str, Any] = {
        "name": None if name is None else _line("--name", name) or _missing_name(),
        "address": None if address is None else "\n".join(_line("--address", line) for line in address),
        "tax_id": None if tax_id is None else _line("--tax-id", tax_id),
        "locale": None if locale is None else _locale(locale),
        "time_zone": None if time_zone is None else _time_zone(time_zone),
        "paper": None if paper is None else _paper(paper),
        "logo": None if logo is None else _logo(logo),
    }
    return {key: value for key, value in given.items() if value is not None}


def _line(option: str, text: str) -> str:
    if len(text) > 200 or not text.isprintable():
        raise Refused(f"{option} takes one line of at most 200 printable characters.")
    return text.strip()


def _missing_name() -> NoReturn:
    raise Refused("--name is printed on every document: it cannot be empty.")


def _locale(text: str) -> str:
    from babel import Locale as BabelLocale
    from babel import UnknownLocaleError

    try:
        BabelLocale.parse(text.replace("-", "_"))
    except (UnknownLocaleError, ValueError):
        raise Refused(f"`{text}` is no locale that is known. Examples: en, en-GB, de-AT.") from None
    return text


def _time_zone(text: str) -> str:
    try:
        return ZoneInfo(text).key
    except (ZoneInfoNotFoundError, ValueError, OSError):
        raise Refused(f"`{text}` is no IANA time zone. Examples: UTC, Europe/Vienna.") from None


def _paper(text: str) -> str:
    for paper in ("A4", "Letter"):
        if text.lower() == paper.lower():
            return paper
    raise Refused(f"`{text}` is no paper that we print on: A4 or Letter.")


def _logo(path: Path) -> bytes:
    from app.documents.logo import LogoRefused, checked_logo

    try:
        return checked_logo(path.read_bytes())
    except LogoRefused as refused:
        raise Refused(f"{path}: {refused}") from None


def _show(store: "StoreRow") -> None:
    shown = {
        "key": store.key,
        "name": store.name,
        "address": store.address.splitlines(),
        "tax_id": store.tax_id,
        "locale": store.locale,
        "time_zone": store.time_zone,
        "paper": store.paper,
        "logo_bytes": 0 if store.logo is None else len(store.logo),
    }
    typer.echo(json.dumps(shown, indent=2, ensure_ascii=False))
