"""`sheaf export …`: an owner's exports on a running server."""

import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Annotated
from uuid import UUID

import typer

from app.cli.choosing import (
    CustomerId,
    DocumentType,
    FilenamePattern,
    From,
    LayoutOption,
    Number,
    OrderId,
    SortOption,
    Status,
    TimeZone,
    To,
    chosen,
)
from app.cli.connecting import DEFAULT_URL, TokenFileOption, UrlOption, connected
from app.cli.failing import Exit
from app.cli.previewing import preview
from app.cli.receiving import Force, receiving, require_free
from app.cli.reporting import exit_of, failure_line, report, saved, summary, until
from app.cli.watching import display_for, follow
from app.domain.lifecycle import JobState

if TYPE_CHECKING:
    from app.client import Existing, Export, SheafClient

app = typer.Typer(
    no_args_is_help=True,
    help=(
        "Exports on a running server, with the token in SHEAF_TOKEN. Exit codes: 0 all rendered, 1 error, 2 usage, "
        "3 completed with failures or skips, 4 failed, 5 cancelled, 6 still running, 7 refused by the server."
    ),
)


def _id(text: str) -> UUID:
    try:
        return UUID(text)
    except ValueError:
        raise typer.BadParameter(f"`{text}` is no export's id. See: sheaf export list") from None


_PERHAPS = "It may have been created all the same. See: sheaf export list"

Id = Annotated[UUID, typer.Argument(parser=_id, metavar="ID", help="The export's id.")]
Json = Annotated[bool, typer.Option("--json", help="JSON on standard output, one object a line.")]
Key = Annotated[str | None, typer.Option(help="Idempotency key: the same key finds the same export again.")]
Wait = Annotated[bool, typer.Option("--wait", help="Follow it to its end.")]
Output = Annotated[Path | None, typer.Option(help="Save the archive here; implies --wait.")]


@app.command()
def create(
    document_type: DocumentType = "invoice",
    created_from: From = None,
    created_to: To = None,
    time_zone: TimeZone = None,
    status: Status = None,
    order_id: OrderId = None,
    number: Number = None,
    customer_id: CustomerId = None,
    layout: LayoutOption = None,
    sort: SortOption = None,
    filename_pattern: FilenamePattern = None,
    key: Key = None,
    wait_: Wait = False,
    output: Output = None,
    force: Force = False,
    as_json: Json = False,
    url: UrlOption = DEFAULT_URL,
    token_file: TokenFileOption = None,
) -> None:
    """Create an export of the orders that match; without filters, of all in the store.

    Prints its id. With --wait it prints how the export ended instead, with --output it also saves the archive.
    """
    selection = chosen(
        created_from=created_from,
        created_to=created_to,
        time_zone=time_zone,
        status=status,
        order_id=order_id,
        number=number,
        customer_id=customer_id,
    )
    if output is not None:
        require_free(output, force=force)
    with connected(url, token_file) as client:
        with _interruptible(_PERHAPS):
            export = client.create_export(
                selection,
                document_type=document_type,
                layout=None if layout is None else layout.value,
                sort=None if sort is None else sort.value,
                filename_pattern=filename_pattern,
                key=key,
            )
        ended = _to_its_end(client, export, wait_for_end=wait_, output=output, force=force, as_json=as_json)
    raise typer.Exit(Exit.OK if ended is None else exit_of(ended))


app.command()(preview)


@app.command()
def retry(
    export_id: Id,
    key: Key = None,
    wait_: Wait = False,
    output: Output = None,
    force: Force = False,
    as_json: Json = False,
    url: UrlOption = DEFAULT_URL,
    token_file: TokenFileOption = None,
) -> None:
    """Try again what an ended export has no document of, as an export of its own.

    Of a completed export that is what failed; of a failed one, which has no archive, all but what was skipped.
    Prints the new export's id. With --wait it prints how that ended instead, with --output it also saves the archive.
    """
    if output is not None:
        require_free(output, force=force)
    with connected(url, token_file) as client:
        with _interruptible(_PERHAPS):
            export = client.retry_export(export_id, key=key)
        ended = _to_its_end(client, export, wait_for_end=wait_, output=output, force=force, as_json=as_json)
    raise typer.Exit(Exit.OK if ended is None else exit_of(ended))


@app.command()
def wait(
    export_id: Id,
    timeout: Annotated[
        float | None, typer.Option(min=0, metavar="SECONDS", help="Stop waiting then (exit 6); the export goes on.")
    ] = None,
    as_json: Json = False,
    url: UrlOption = DEFAULT_URL,
    token_file: TokenFileOption = None,
) -> None:
    """Follow an export to its end."""
    with connected(url, token_file) as client:
        export = _followed(client, export_id, timeout=timeout, as_json=as_json)
    raise typer.Exit(exit_of(export))


@app.command()
def status(
    export_id: Id, as_json: Json = False, url: UrlOption = DEFAULT_URL, token_file: TokenFileOption = None
) -> None:
    """Show how an export stands. Exits 0 whatever its state; `wait --timeout 0` tells by its exit code."""
    with connected(url, token_file) as client:
        export = client.get_export(export_id)
        if as_json:
            typer.echo(json.dumps(export.document, ensure_ascii=False))
        else:
            report(client, export)
            for line in (f"It retries {export.retry_of}" if export.retry_of else "", until(export)):
                if line:
                    typer.echo(f"  {line}")


@app.command("list")
def list_(
    state: Annotated[JobState | None, typer.Option(help="Only exports in this state.")] = None,
    limit: Annotated[int, typer.Option(min=1, help="The newest so many.")] = 20,
    as_json: Json = False,
    url: UrlOption = DEFAULT_URL,
    token_file: TokenFileOption = None,
) -> None:
    """List the owner's exports, newest first."""
    with connected(url, token_file) as client:
        for export in islice(client.list_exports(state=state), limit):
            counts = export.counts
            line = (
                f"{export.id}  {export.created_at:%Y-%m-%d %H:%M:%SZ}  {export.state:<10}  "
                f"{counts.rendered} of {counts.requested}  {until(export)}".rstrip()
            )
            typer.echo(json.dumps(export.document, ensure_ascii=False) if as_json else line)


@app.command()
def cancel(
    export_id: Id, as_json: Json = False, url: UrlOption = DEFAULT_URL, token_file: TokenFileOption = None
) -> None:
    """Cancel an export, and wait until it has stopped."""
    with connected(url, token_file) as client:
        client.cancel(export_id)
        *_, export = client.wait(export_id, timeout=30)
        typer.echo(json.dumps(export.document, ensure_ascii=False) if as_json else summary(export))
    raise typer.Exit(Exit.OK if export.state is JobState.CANCELLED else Exit.RUNNING)


@app.command()
def delete(export_id: Id, url: UrlOption = DEFAULT_URL, token_file: TokenFileOption = None) -> None:
    """Delete an export that has ended: its record, its items and its archive."""
    with connected(url, token_file) as client:
        client.delete_export(export_id)
    typer.echo(f"Export {export_id} is deleted.")


@app.command()
def download(
    export_id: Id,
    output: Annotated[
        Path | None, typer.Option(help="Where to save it; by default the server's name for it, here.")
    ] = None,
    force: Force = False,
    url: UrlOption = DEFAULT_URL,
    token_file: TokenFileOption = None,
) -> None:
    """Download an archive, check it, and print its path. What was cut goes on where it stood."""
    with connected(url, token_file) as client:
        target = output or Path(client.describe_archive(export_id).name)
        require_free(target, force=force)
        _fetch(client, export_id, target, force=force)
    typer.echo(str(target))


@app.command()
def failures(
    export_id: Id, as_json: Json = False, url: UrlOption = DEFAULT_URL, token_file: TokenFileOption = None
) -> None:
    """List every item that failed or was skipped, with its reason."""
    from dataclasses import asdict

    with connected(url, token_file) as client:
        for failure in client.failures(export_id, page=1000):
            typer.echo(json.dumps(asdict(failure), ensure_ascii=False) if as_json else failure_line(failure))


def _to_its_end(
    client: "SheafClient", export: "Export", *, wait_for_end: bool, output: Path | None, force: bool, as_json: bool
) -> "Export | None":
    """Follow a new export as far as was asked for; None if it was only to be created."""
    if not (wait_for_end or output is not None):
        typer.echo(json.dumps(export.document, ensure_ascii=False) if as_json else str(export.id))
        typer.echo(f"Export {export.id} is {export.state}. Follow it: sheaf export wait {export.id}", err=True)
        return None
    typer.echo(f"Export {export.id} is {export.state}.", err=True)
    ended = _followed(client, export.id, timeout=None, as_json=as_json, output=output)
    if output is not None and ended.state is JobState.COMPLETED:
        _fetch(client, ended.id, output, force=force)
        typer.echo(saved(ended, output), err=as_json)
    return ended


def _followed(
    client: "SheafClient", export_id: UUID, *, timeout: float | None, as_json: bool, output: Path | None = None
) -> "Export":
    go_on = f"The export goes on. Follow it again with: sheaf export wait {export_id}"
    if output is not None:
        go_on += f"\nThen save it with: sheaf export download {export_id} --output {output}"
    with _interruptible(go_on):
        export = follow(client, export_id, display_for(as_json=as_json), timeout=timeout)
        report(client, export, err=as_json)
        return export


def _fetch(client: "SheafClient", export_id: UUID, target: Path, *, force: bool) -> None:
    go_on = f"What came so far is kept. Go on with: sheaf export download {export_id} --output {target}"
    with _interruptible(go_on), receiving(target) as on_bytes:
        client.download(export_id, target, existing=_existing(force=force), on_bytes=on_bytes)


@contextmanager
def _interruptible(text: str) -> Iterator[None]:
    try:
        yield
    except KeyboardInterrupt:
        typer.echo(f"\n{text}", err=True)
        # as a shell counts a program that Ctrl-C ended
        sys.exit(Exit.INTERRUPTED)


def _existing(*, force: bool) -> "Existing":
    from app.client import Existing

    return Existing.REPLACE if force else Existing.KEEP
