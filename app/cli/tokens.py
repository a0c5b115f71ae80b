"""`sheaf tokens …`: who may use the API."""

import json
import re
from datetime import UTC, datetime, timedelta
from typing import Annotated

import typer

from app.cli.answering import Json, JsonLines, put
from app.cli.failing import Refused
from app.cli.stores import known_store, store_or_new
from app.cli.targets import DataOption, target_database

app = typer.Typer()

_UNITS = {"h": "hours", "d": "days", "w": "weeks"}


@app.command()
def create(
    owner: Annotated[str, typer.Option(help="Whose exports the token reaches.")],
    store: Annotated[str, typer.Option(help="The store's key; an unknown one is made.")],
    expires: Annotated[
        str | None, typer.Option(help="When it ends: a span such as 12h, 30d, 52w, or an instant with offset.")
    ] = None,
    exports_only: Annotated[bool, typer.Option("--exports-only", help="The token may not import orders.")] = False,
    settings: Annotated[
        bool, typer.Option("--settings", help="The token may also change the store's settings, bank lines included.")
    ] = False,
    as_json: Json = False,
    data: DataOption = None,
) -> None:
    """Print a new token, once and alone, on standard output."""
    from app.database.stores import create_token
    from app.domain.principal import Right

    if not 1 <= len(owner) <= 200 or not owner.isprintable():
        raise Refused("--owner takes 1 to 200 printable characters.")
    rights = {Right.EXPORTS} if exports_only else {Right.EXPORTS, Right.ORDERS}
    if settings:
        rights.add(Right.SETTINGS)
    expires_at = None if expires is None else _expiry(expires)
    with target_database(data) as database:
        with database.transaction() as tx:
            row = store_or_new(tx, store)
            minted = create_token(tx, store_id=row.id, owner=owner, rights=frozenset(rights), expires_at=expires_at)
        # printed only after the commit: a token that is shown is a token that works
        typer.echo(json.dumps({"token": minted.text, "owner": owner, "store": store}) if as_json else minted.text)


@app.command("list")
def list_(
    store: Annotated[str, typer.Option(help="The store's key.")],
    as_json: JsonLines = False,
    data: DataOption = None,
) -> None:
    """List a store's tokens; their texts are known to nobody."""
    from app.database.stores import list_tokens

    with target_database(data) as database, database.reading() as tx:
        for token in list_tokens(tx, known_store(tx, store).id):
            shown = {
                "id": token.id,
                "owner": token.owner,
                "begins": token.hint,
                "rights": token.rights.split(","),
                "created_at": token.created_at.isoformat(),
                "expires_at": None if token.expires_at is None else token.expires_at.isoformat(),
                "revoked_at": None if token.revoked_at is None else token.revoked_at.isoformat(),
            }
            line = "  ".join(f"{key}={value}" for key, value in shown.items() if value is not None)
            typer.echo(json.dumps(shown) if as_json else line)


@app.command()
def revoke(
    token_id: Annotated[int, typer.Argument(help="The id that `sheaf tokens list` shows.")],
    as_json: Json = False,
    data: DataOption = None,
) -> None:
    """End a token now."""
    from app.database.stores import revoke_token

    with target_database(data) as database:
        with database.transaction() as tx:
            token = revoke_token(tx, token_id)
        if token is None:
            raise Refused(f"There is no token {token_id}. See: sheaf tokens list --store …")
        if as_json:
            put({"id": token_id, "revoked": True})
        else:
            typer.echo(f"Token {token_id} ({token.hint}…) is revoked.", err=True)


def _expiry(text: str) -> datetime:
    span = re.fullmatch(r"(\d{1,5})([hdw])", text)
    if span is not None:
        return datetime.now(UTC) + timedelta(**{_UNITS[span[2]]: int(span[1])})
    try:
        instant = datetime.fromisoformat(text)
    except ValueError:
        instant = None
    if instant is None or instant.tzinfo is None:
        raise Refused("--expires takes a span such as 12h, 30d or 52w, or an instant with offset.")
    if instant <= datetime.now(UTC):
        raise Refused("--expires is in the past.")
    return instant
