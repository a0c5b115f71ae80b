"""`sheaf demo`: the main job, once through, with the real things and nothing to set up."""

import json
import shutil
import signal
import sys
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn
from zipfile import ZipFile

import typer

from app.cli.amounts import plural, size
from app.cli.failing import Exit, Refused
from app.cli.ownserver import own_server
from app.cli.reporting import exit_of, report
from app.cli.targets import target_database
from app.cli.watching import display_for, follow
from app.domain.lifecycle import JobState

if TYPE_CHECKING:
    from app.client import Export, SheafClient

_STORE = "demo"
_OWNER = "demo"
_SELLER = {
    "name": "Lindenhof Keramik & Tee",
    "address": "Lindengasse 14\n1070 Wien\nAustria",
    "tax_id": "ATU00000000",
    "locale": "en",
    "time_zone": "Europe/Vienna",
}
_FEW = 20
_SHOWN = 25


def show(data: Path, *, few: bool) -> NoReturn:
    """Make an export of the sample orders, or of a few of them, in this folder, and exit as it ended."""
    # whoever ends us, the server ends too
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.default_int_handler)
    try:
        export = _run(data, orders=_sample_orders()[: _FEW if few else None])
    except KeyboardInterrupt:
        typer.echo("\nStopped. The server has ended; `sheaf demo` begins again.", err=True)
        sys.exit(Exit.INTERRUPTED)
    # whatever was skipped is part of the show: the counts were checked
    raise typer.Exit(Exit.OK if export.state is JobState.COMPLETED else exit_of(export))


def _run(folder: Path, *, orders: list[object]) -> "Export":
    from app.client import Existing, SheafClient

    _say(f"Starting a server of its own, with its data in {folder} …")
    with own_server(folder) as url:
        _say(f"It serves {url}.")
        token = _store_and_token(folder)
        with SheafClient(url, token) as client:
            _import(client, folder, orders)
            created = _create(client)
            export = follow(client, created.id, display_for(as_json=False), timeout=None)
            report(client, export)
            if export.state is not JobState.COMPLETED:
                return export
            archive = client.download(export.id, folder / "invoices.zip", existing=Existing.REPLACE)
    _list(archive)
    _account(export, archive)
    _next_steps(folder, archive)
    return export


def _sample_orders() -> list[object]:
    here = Path(__file__).resolve().parents[1]
    # a wheel carries them inside the package, a checkout beside it
    for file in (here / "samples" / "orders.json", here.parent / "samples" / "orders.json"):
        if file.is_file():
            orders: list[object] = json.loads(file.read_text(encoding="utf-8"))
            return orders
    raise Refused("The sample orders are missing: this installation is not whole.")


def _store_and_token(folder: Path) -> str:
    from app.database.stores import create_store, create_token, find_store
    from app.domain.principal import Right

    with target_database(folder) as database, database.transaction() as tx:
        store = find_store(tx, _STORE) or create_store(tx, key=_STORE, **_SELLER)
        minted = create_token(
            tx,
            store_id=store.id,
            owner=_OWNER,
            rights=frozenset({Right.EXPORTS, Right.ORDERS}),
            expires_at=datetime.now(UTC) + timedelta(hours=1),
        )
    return minted.text


def _import(client: "SheafClient", folder: Path, orders: list[object]) -> None:
    file = folder / "orders.json"
    file.write_text(json.dumps(orders, ensure_ascii=False, indent=1), encoding="utf-8")
    found = client.import_orders(file)
    known = found.unchanged + found.stale
    _say(f"Imported {plural(len(orders), 'sample order')} from {file}: {found.new} new, {known} known already.")


def _create(client: "SheafClient") -> "Export":
    from app.client import RequestRefused

    newest = next(client.list_exports(), None)
    if newest is not None and newest.is_active:
        # an owner has one active export at a time
        _say(f"Cancelling export {newest.id}, which an earlier run has left.")
        # refused if it has just ended by itself
        with suppress(RequestRefused):
            client.cancel(newest.id)
        *_, _ended = client.wait(newest.id, timeout=30)
    created = client.create_export()
    _say(f"Created export {created.id}: an invoice for each order.")
    return created


def _list(archive: Path) -> None:
    with ZipFile(archive) as opened:
        pages = {item["file"]: item["pages"] for item in json.loads(opened.read("manifest.json"))["items"]}
        members = opened.infolist()
    typer.echo(f"\n{archive} ({size(archive.stat().st_size)}) holds {plural(len(members), 'file')}:")
    width = max(len(member.filename) for member in members)
    for member in members[:_SHOWN]:
        count = pages.get(member.filename)
        length = "" if count is None else plural(count, "page")
        typer.echo(f"  {member.filename:<{width}}  {length:>8}  {size(member.file_size):>9}")
    if len(members) > _SHOWN:
        typer.echo(f"  … and {len(members) - _SHOWN} more")


def _account(export: "Export", archive: Path) -> None:
    counts = export.counts
    with ZipFile(archive) as opened:
        documents = sum(name.endswith(".pdf") for name in opened.namelist())
    sums = (
        f"{counts.requested} requested = {counts.rendered} rendered + {counts.failed} failed + {counts.skipped} skipped"
    )
    if not counts.is_complete or documents != counts.rendered:
        raise Refused(f"The counts do not agree: {sums}; the archive holds {plural(documents, 'PDF')}.")
    typer.echo(f"\nEvery order is accounted for: {sums}; {plural(documents, 'PDF')} in the archive, SHA-256 verified.")


def _next_steps(folder: Path, archive: Path) -> None:
    sheaf = _command()
    typer.echo(
        f"""
Next: open {archive}. Then serve these orders and exports yourself (the API's documentation is at /docs):
  {sheaf} serve --data {folder}
and, in another terminal, do the same by hand:
  export SHEAF_TOKEN=$({sheaf} tokens create --owner {_OWNER} --store {_STORE} --data {folder})
  {sheaf} export create --output all.zip
The README goes on from there."""
    )


def _command() -> str:
    """How the reader can call us: `make demo` runs a `sheaf` that is not on the PATH."""
    called = Path(sys.argv[0])
    found = shutil.which("sheaf")
    if called.name != "sheaf" or (found is not None and Path(found).samefile(called)):
        return "sheaf"
    return str(called)


def _say(text: str) -> None:
    typer.echo(text, err=True)
