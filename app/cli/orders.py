"""`sheaf orders …`: filling a store, and erasing what was in it."""

import zlib
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated
from zoneinfo import ZoneInfo

import typer

from app.cli.answering import JsonLines
from app.cli.checking import check
from app.cli.erasing import erase
from app.cli.failing import Exit
from app.cli.files import pieces
from app.cli.holdings import list_, summary, upload
from app.cli.imports import print_report
from app.cli.stores import store_or_new
from app.cli.targets import DataOption, target_database

if TYPE_CHECKING:
    from app.database.transactions import Database
    from app.orders.importing import Batch, Import, ImportReport

app = typer.Typer()
app.command()(erase)
app.command()(upload)
app.command()(check)
app.command("list")(list_)
app.command()(summary)


@app.command("import")
def import_(
    files: Annotated[list[Path], typer.Argument(help="JSON or NDJSON files, plain or gzip; `-` is standard input.")],
    store: Annotated[str, typer.Option(help="The store's key; an unknown one is made.")],
    as_json: JsonLines = False,
    data: DataOption = None,
) -> None:
    """Import WooCommerce orders. Importing a file again changes nothing.

    Exits 1 if a file is broken; what stood before the fault is kept. Entries that are rejected are
    named, and exit 3.
    """
    worst = Exit.OK
    with target_database(data) as database:
        with database.transaction() as tx:
            row = store_or_new(tx, store)
            store_id, time_zone = row.id, ZoneInfo(row.time_zone)
        for file in files:
            report, fault = _import_file(database, store_id, time_zone, file)
            print_report(file, asdict(report), fault, as_json=as_json)
            if fault is not None:
                worst = Exit.ERROR
            elif report.rejected and worst is Exit.OK:
                worst = Exit.INCOMPLETE
    raise typer.Exit(worst)


def _import_file(
    database: "Database", store_id: int, time_zone: ZoneInfo, file: Path
) -> "tuple[ImportReport, str | None]":
    from app.orders.broken import BrokenUpload
    from app.orders.importing import Import

    work = Import(time_zone)
    fault = None
    try:
        for piece in pieces(file):
            _store(database, store_id, work, work.feed(piece))
        _store(database, store_id, work, work.finish())
    except BrokenUpload as broken:
        fault = str(broken)
    except (OSError, zlib.error) as error:
        fault = f"cannot be read: {error.strerror if isinstance(error, OSError) and error.strerror else error}"
    if fault is not None:
        _store(database, store_id, work, work.rest())
    return work.report, fault


def _store(database: "Database", store_id: int, work: "Import", batches: "Iterator[Batch]") -> None:
    for batch in batches:
        with database.transaction() as tx:
            outcome = batch.store(tx, store_id)
        work.note(batch, outcome)
