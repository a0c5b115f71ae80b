"""`sheaf export …`: an owner's exports on a running server."""

import secrets
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from app.cli.answering import Json, JsonLines, put
from app.cli.choosing import (
    CustomerId,
    DocumentType,
    FilenamePattern,
    From,
    LayoutOption,
    Number,
    OrderId,
    PdfOption,
    SortOption,
    Status,
    TimeZone,
    To,
    chosen,
)
from app.cli.connecting import DEFAULT_URL, Timeout, TokenFileOption, UrlOption, connected, noted
from app.cli.detaching import interruptible
from app.cli.failing import Exit
from app.cli.following import Wanted, fetch, give_up_at, go_with, stopped, to_its_end
from app.cli.items import failures, manifest
from app.cli.naming import ActiveId, Id
from app.cli.previewing import preview
from app.cli.receiving import Force, Saving, require_free
from app.cli.reporting import report, saved_as, summary, until
from app.domain.lifecycle import JobState

if TYPE_CHECKING:
    from collections.abc import Callable

    from app.client import Export

app = typer.Typer()

Key = Annotated[
    str | None, typer.Option(help="Idempotency key: the same key finds the same export again. Else a new one.")
]
Wait = Annotated[bool, typer.Option("--wait", help="Follow it to its end.")]
Output = Annotated[
    Path | None, typer.Option(help="Save the archive here; implies --wait. What is there is gone on with.")
]
WholeTimeout = Annotated[
    float | None,
    typer.Option(
        "--timeout",
        min=0,
        metavar="SECONDS",
        help="How long the server may take to create it, all attempts together (8 unless given); with --wait also "
        "when to stop waiting (exit 6): the export goes on.",
        show_default=False,
    ),
]


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
    pdf: PdfOption = None,
    sort: SortOption = None,
    filename_pattern: FilenamePattern = None,
    key: Key = None,
    wait_: Wait = False,
    output: Output = None,
    force: Force = False,
    timeout: WholeTimeout = None,
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
    wanted = _wanted(wait_=wait_, output=output, force=force, timeout=timeout, as_json=as_json)
    with connected(url, token_file, timeout) as client:
        export = _created(
            key,
            lambda used: client.create_export(
                selection,
                document_type=document_type,
                layout=None if layout is None else layout.value,
                pdf=None if pdf is None else pdf.value,
                sort=None if sort is None else sort.value,
                filename_pattern=filename_pattern,
                key=used,
            ),
        )
        code = go_with(client, export, wanted)
    raise typer.Exit(code)


app.command()(preview)


@app.command()
def retry(
    export_id: Id,
    key: Key = None,
    wait_: Wait = False,
    output: Output = None,
    force: Force = False,
    timeout: WholeTimeout = None,
    as_json: Json = False,
    url: UrlOption = DEFAULT_URL,
    token_file: TokenFileOption = None,
) -> None:
    """Try again what an ended export has no document of, as an export of its own.

    Of a completed export that is what failed; of a failed one, which has no archive, all but what was skipped.
    Prints the new export's id. With --wait it prints how that ended instead, with --output it also saves the archive.
    """
    wanted = _wanted(wait_=wait_, output=output, force=force, timeout=timeout, as_json=as_json)
    with connected(url, token_file, timeout, export_id=export_id) as client:
        export = _created(key, lambda used: client.retry_export(export_id, key=used))
        code = go_with(client, export, wanted)
    raise typer.Exit(code)


@app.command()
def wait(
    export_id: ActiveId,
    timeout: Annotated[
        float | None, typer.Option(min=0, metavar="SECONDS", help="Stop waiting then (exit 6); the export goes on.")
    ] = None,
    output: Annotated[Path | None, typer.Option(help="Then save the archive here.")] = None,
    force: Force = False,
    as_json: Json = False,
    url: UrlOption = DEFAULT_URL,
    token_file: TokenFileOption = None,
) -> None:
    """Follow an export to its end, from any terminal. Ctrl-C asks whether to cancel it or only to leave it."""
    wanted = _wanted(wait_=True, output=output, force=force, timeout=timeout, as_json=as_json)
    with connected(url, token_file, export_id=export_id) as client:
        code = to_its_end(client, export_id, wanted)
    raise typer.Exit(code)


@app.command()
def status(
    export_id: Id,
    timeout: Timeout = None,
    as_json: Json = False,
    url: UrlOption = DEFAULT_URL,
    token_file: TokenFileOption = None,
) -> None:
    """Show how an export stands. Exits 0 whatever its state; `wait --timeout 0` tells by its exit code."""
    with connected(url, token_file, timeout, export_id=export_id) as client:
        export = client.get_export(export_id)
        if as_json:
            put(export.document)
            return
        report(client, export)
        for line in (f"It retries {export.retry_of}" if export.retry_of else "", until(export)):
            if line:
                typer.echo(f"  {line}")


@app.command("list")
def list_(
    state: Annotated[JobState | None, typer.Option(help="Only exports in this state.")] = None,
    limit: Annotated[int, typer.Option(min=1, help="The newest so many.")] = 20,
    timeout: Timeout = None,
    as_json: JsonLines = False,
    url: UrlOption = DEFAULT_URL,
    token_file: TokenFileOption = None,
) -> None:
    """List the owner's exports, newest first."""
    with connected(url, token_file, timeout) as client:
        for export in islice(client.list_exports(state=state), limit):
            counts = export.counts
            if as_json:
                put(export.document)
                continue
            typer.echo(
                f"{export.id}  {export.created_at:%Y-%m-%d %H:%M:%SZ}  {export.state:<10}  "
                f"{counts.rendered} of {counts.requested}  {until(export)}".rstrip()
            )


@app.command()
def cancel(
    export_id: ActiveId,
    timeout: Timeout = None,
    as_json: Json = False,
    url: UrlOption = DEFAULT_URL,
    token_file: TokenFileOption = None,
) -> None:
    """Cancel an export, and wait until it has stopped."""
    with connected(url, token_file, timeout, export_id=export_id) as client:
        client.cancel(export_id)
        export = stopped(client, export_id)
        if as_json:
            put(export.document)
        else:
            typer.echo(summary(export))
    raise typer.Exit(Exit.OK if export.state is JobState.CANCELLED else Exit.RUNNING)


@app.command()
def delete(
    export_id: Id,
    timeout: Timeout = None,
    as_json: Json = False,
    url: UrlOption = DEFAULT_URL,
    token_file: TokenFileOption = None,
) -> None:
    """Delete an export that has ended: its record, its items and its archive."""
    with connected(url, token_file, timeout, export_id=export_id) as client:
        client.delete_export(export_id)
    if as_json:
        put({"id": str(export_id), "deleted": True})
    else:
        typer.echo(f"Export {export_id} is deleted.")


@app.command()
def download(
    export_id: Id,
    output: Annotated[
        Path | None, typer.Option(help="Where to save it; by default the server's name for it, here.")
    ] = None,
    force: Force = False,
    timeout: Timeout = None,
    as_json: Json = False,
    url: UrlOption = DEFAULT_URL,
    token_file: TokenFileOption = None,
) -> None:
    """Download an archive, check it, and print its path. What was cut goes on where it stood."""
    with connected(url, token_file, timeout, export_id=export_id) as client:
        archive = client.describe_archive(export_id)
        target = output or Path(archive.name)
        require_free(target, force=force)
        fetch(client, export_id, Saving(target, is_forced=force))
    if as_json:
        put(saved_as(target, archive))
    else:
        typer.echo(str(target))


app.command()(failures)
app.command()(manifest)


def _created(key: str | None, create_it: "Callable[[str], Export]") -> "Export":
    """What was created with this key, or with one of our own that an error then tells."""
    used = key or secrets.token_urlsafe(16)
    perhaps = f"It may have been created all the same. Asking again with --key {used} is safe and makes no second one."
    with interruptible(perhaps), noted(perhaps):
        return create_it(used)


def _wanted(*, wait_: bool, output: Path | None, force: bool, timeout: float | None, as_json: bool) -> Wanted:
    """How far to go; raises `Refused` before anything is created if the archive could not be saved then."""
    if output is not None:
        require_free(output, force=force)
    saving = None if output is None else Saving(output, is_forced=force)
    is_followed = wait_ or saving is not None
    return Wanted(is_followed, saving, as_json=as_json, give_up_at=give_up_at(timeout) if is_followed else None)
