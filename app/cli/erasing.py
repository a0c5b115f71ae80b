"""`sheaf orders erase`: for those who ask to be forgotten. Shows ids, and nothing of a customer."""

import json
import sys
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer

from app.cli.amounts import plural
from app.cli.answering import Json
from app.cli.failing import Exit, Refused
from app.cli.stores import known_store
from app.cli.targets import DataOption, settings_for, target_database

if TYPE_CHECKING:
    from app.orders.erasing import Erasure, Wanted

SHOWN = 20
"""Lines of a kind that people are shown; `--json` tells all."""


def erase(
    store: Annotated[str, typer.Option(help="The store's key.")],
    ids: Annotated[
        list[str] | None, typer.Option(metavar="ID,ID…", help="These orders, by the shop's ids; may be repeated.")
    ] = None,
    before: Annotated[
        str | None,
        typer.Option(metavar="DATE", help="All that were created before this day of the store's zone."),
    ] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only say what would be erased.")] = False,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
    as_json: Json = False,
    data: DataOption = None,
) -> None:
    """Erase orders for good: all their versions, and what the items of ended exports tell of their customers.

    Counts, amounts and ordinals stay. An order that an active export needs is left alone and named, and the command
    exits 3. Archives that still hold the orders are listed: delete those exports, or wait for their end.
    """
    from app.orders.erasing import erase as erase_orders
    from app.orders.erasing import rehearse

    grace = settings_for(data).archive_grace_seconds
    with target_database(data) as database:
        with database.reading() as tx:
            found = known_store(tx, store)
        wanted = _wanted(ids, before, time_zone=found.time_zone)
        if not dry_run and not yes:
            _ask(store, rehearse(database, found.id, wanted, archive_grace=grace))
        act = rehearse if dry_run else erase_orders
        result = act(database, found.id, wanted, archive_grace=grace)
    if as_json:
        typer.echo(json.dumps({"store": store, "dry_run": dry_run, **_document(result)}))
    else:
        _print(store, result, verb="would be erased" if dry_run else "erased")
    raise typer.Exit(Exit.INCOMPLETE if result.needed else Exit.OK)


def _wanted(ids: list[str] | None, before: str | None, *, time_zone: str) -> "Wanted":
    from app.domain.selection import SelectionRefused, start_of_day
    from app.orders.erasing import Wanted

    if (ids is None) == (before is None):
        raise Refused("Which orders? Name them with --ids, or a day with --before.", exit_code=Exit.USAGE)
    try:
        if before is not None:
            return Wanted(before=start_of_day(before, time_zone=time_zone))
        return Wanted(shop_ids=tuple(dict.fromkeys(_id(part) for word in ids or () for part in word.split(","))))
    except SelectionRefused as refused:
        raise Refused(f"--before: {refused.reason}.", exit_code=Exit.USAGE) from None


def _id(text: str) -> int:
    if not text.strip().isdecimal() or int(text) >= 2**63:
        raise Refused(f"--ids takes the shop's ids with commas between them; `{text}` is none.", exit_code=Exit.USAGE)
    return int(text)


def _ask(store: str, expected: "Erasure") -> None:
    if not sys.stdin.isatty():
        raise Refused("Nobody is there to ask: say --yes, or --dry-run to see what it would do.", exit_code=Exit.USAGE)
    question = f"Erase {plural(expected.orders, 'order')} of store {store} for good?"
    if not typer.confirm(question, err=True):
        raise Refused("Nothing is erased.")


def _document(result: "Erasure") -> dict[str, object]:
    return {
        "orders": result.orders,
        "items": result.items,
        "needed": [{**asdict(one), "export_id": str(one.export_id)} for one in result.needed],
        "archives": [
            {"export_id": str(one.export_id), "owner": one.owner, "expires_at": one.expires_at.isoformat()}
            for one in result.archives.values()
        ],
        "absent": result.absent,
    }


def _print(store: str, result: "Erasure", *, verb: str) -> None:
    typer.echo(
        f"Store {store}: {plural(result.orders, 'order')} {verb}, with what {plural(result.items, 'item')} of ended "
        "exports told of customers."
    )
    _list(
        "Left alone, since an active export needs them. Wait for it or cancel it, and erase again:",
        [f"order {one.order_id}: export {one.export_id} of {one.owner}" for one in result.needed],
    )
    _list(
        "Archives that still hold them. Each goes when its owner deletes the export (sheaf export delete ID), "
        "or by itself:",
        [
            f"export {one.export_id} of {one.owner}, until {one.expires_at:%Y-%m-%d %H:%M:%SZ}"
            for one in result.archives.values()
        ],
    )
    _list("Not in the store, or erased before:", [f"order {shop_id}" for shop_id in result.absent])


def _list(head: str, lines: list[str]) -> None:
    if not lines:
        return
    typer.echo(head)
    for line in lines[:SHOWN]:
        typer.echo(f"  {line}")
    if len(lines) > SHOWN:
        typer.echo(f"  … and {len(lines) - SHOWN} more; --json tells all")
