"""`sheaf export failures` and `manifest`: the items of an export, as lines, CSV or JSON."""

from collections.abc import Iterable, Iterator
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer

from app.cli.answering import JsonLines, put
from app.cli.connecting import DEFAULT_URL, Timeout, TokenFileOption, UrlOption, connected
from app.cli.failing import Exit, Refused
from app.cli.naming import Id
from app.cli.reporting import failure_line
from app.domain.lifecycle import Outcome
from app.domain.manifest import COLUMNS, COMBINED_COLUMNS, CombinedItem, failures_csv, manifest_csv

if TYPE_CHECKING:
    from app.client import ManifestItem

Csv = Annotated[bool, typer.Option("--csv", help="CSV as in the archive, for spreadsheets; redirect it to a file.")]


def failures(
    export_id: Id,
    outcome: Annotated[Outcome | None, typer.Option(help="Only what failed, or only what was skipped.")] = None,
    code: Annotated[str | None, typer.Option(help="Only items with this code.")] = None,
    as_csv: Csv = False,
    timeout: Timeout = None,
    as_json: JsonLines = False,
    url: UrlOption = DEFAULT_URL,
    token_file: TokenFileOption = None,
) -> None:
    """List every item that failed or was skipped, with its reason."""
    _one_form(as_csv=as_csv, as_json=as_json)
    with connected(url, token_file, timeout, export_id=export_id) as client:
        found = (
            one
            for one in client.failures(export_id, page=1000)
            if outcome in (None, one.outcome) and code in (None, one.code)
        )
        if as_csv:
            _put_csv(failures_csv(found))
            return
        for one in found:
            if as_json:
                put(asdict(one))
            else:
                typer.echo(failure_line(one))


def manifest(
    export_id: Id,
    as_csv: Csv = False,
    timeout: Timeout = None,
    as_json: JsonLines = False,
    url: UrlOption = DEFAULT_URL,
    token_file: TokenFileOption = None,
) -> None:
    """List every item with its outcome and its file."""
    _one_form(as_csv=as_csv, as_json=as_json)
    with connected(url, token_file, timeout, export_id=export_id) as client:
        found = client.manifest(export_id)
        if as_csv:
            # what the rows are is known from the first of them
            first = next(found, None)
            columns = COMBINED_COLUMNS if isinstance(first, CombinedItem) else COLUMNS
            _put_csv(manifest_csv(_with(first, found), columns))
            return
        for one in found:
            if as_json:
                put(asdict(one))
            else:
                typer.echo(_line(one))


def _with(first: "ManifestItem | None", rest: "Iterable[ManifestItem]") -> "Iterator[ManifestItem]":
    if first is not None:
        yield first
    yield from rest


def _line(item: "ManifestItem") -> str:
    place = item.file or (f"{item.combined_file}, page {item.combined_page}" if isinstance(item, CombinedItem) else "")
    amount = f"{item.total} {item.currency}".strip() if item.total else ""
    return "  ".join(filter(None, (f"{item.ordinal:>6}", item.outcome, item.number, amount, item.code or place)))


def _put_csv(lines: Iterable[str]) -> None:
    for line in lines:
        typer.echo(line, nl=False)


def _one_form(*, as_csv: bool, as_json: bool) -> None:
    if as_csv and as_json:
        raise Refused("--csv and --json exclude each other.", exit_code=Exit.USAGE)
