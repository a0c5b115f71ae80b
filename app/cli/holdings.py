"""`sheaf orders list`, `summary` and `upload`: the orders of the token's store, on a running server."""

from dataclasses import asdict
from itertools import islice
from pathlib import Path
from typing import Annotated, Any

import typer

from app.cli.amounts import plural
from app.cli.answering import Json, JsonLines, put
from app.cli.connecting import DEFAULT_URL, LONG_PATIENCE, Timeout, TokenFileOption, UrlOption, connected
from app.cli.failing import Exit, Refused
from app.cli.imports import print_report
from app.cli.receiving import receiving


def list_(
    status: Annotated[list[str] | None, typer.Option(help="Only this status; may be repeated.")] = None,
    limit: Annotated[int, typer.Option(min=1, help="The newest so many.")] = 20,
    timeout: Timeout = None,
    as_json: JsonLines = False,
    url: UrlOption = DEFAULT_URL,
    token_file: TokenFileOption = None,
) -> None:
    """List the store's orders, newest first, on a running server."""
    with connected(url, token_file, timeout) as client:
        for order in islice(client.list_orders(statuses=status or ()), limit):
            if as_json:
                put(order.document)
                continue
            day = "no date   " if order.created_at is None else f"{order.created_at:%Y-%m-%d}"
            parts = (f"{order.order_id:>8}", f"{order.number:<12}", day, f"{order.status:<12}", order.customer)
            typer.echo("  ".join(parts).rstrip())


def summary(
    timeout: Timeout = None, as_json: Json = False, url: UrlOption = DEFAULT_URL, token_file: TokenFileOption = None
) -> None:
    """Count the store's orders by status, on a running server."""
    with connected(url, token_file, timeout) as client:
        found = client.summarize_orders()
    if as_json:
        put(found.document)
        return
    typer.echo(f"{plural(found.orders, 'order')}, {plural(found.refunds, 'refund')}")
    for one in found.statuses:
        typer.echo(f"  {one.orders:>8}  {one.status}")
    if found.first_at is not None and found.last_at is not None:
        typer.echo(f"From {found.first_at:%Y-%m-%d} to {found.last_at:%Y-%m-%d}")
    if found.undated:
        typer.echo(f"{plural(found.undated, 'order')} without a date, which no range matches")


def upload(
    files: Annotated[
        list[Path], typer.Argument(exists=True, dir_okay=False, help="JSON or NDJSON files, plain or gzip.")
    ],
    as_json: JsonLines = False,
    url: UrlOption = DEFAULT_URL,
    token_file: TokenFileOption = None,
) -> None:
    """Import WooCommerce orders into the token's store on a running server. Sending a file again changes nothing.

    Exits 1 if a file is broken; what stood before the fault is kept. Entries that are rejected are named, and exit 3.
    """
    from app.client import RequestRefused

    worst = Exit.OK
    with connected(url, token_file, LONG_PATIENCE) as client:
        for file in files:
            fault = None
            try:
                with receiving(file) as on_bytes:
                    report = asdict(client.import_orders(file, on_bytes=on_bytes))
            except RequestRefused as refused:
                if "report" not in refused.extra:
                    raise
                report, fault = _kept(refused.extra["report"]), refused.detail
            print_report(file, report, fault, as_json=as_json)
            if fault is not None:
                worst = Exit.ERROR
            elif report["rejected"] and worst is Exit.OK:
                worst = Exit.INCOMPLETE
    raise typer.Exit(worst)


def _kept(found: Any) -> dict[str, Any]:
    if not isinstance(found, dict):
        raise Refused("The server does not say what it has kept of the file.")
    return found
