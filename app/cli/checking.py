"""`sheaf orders check`: what orders lack before e-invoices can be made of them."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final
from zoneinfo import ZoneInfo

import typer

from app.cli.answering import JsonLines
from app.cli.check_summary import Page, Summary, put_each
from app.cli.choosing import CustomerId, From, Number, OrderId, Status, TimeZone, To, chosen
from app.cli.connecting import DEFAULT_URL, Timeout, TokenFileOption, UrlOption, connected
from app.cli.failing import Exit, Refused
from app.cli.files import pieces
from app.cli.targets import DataOption, target_database

if TYPE_CHECKING:
    from app.client import Selection
    from app.domain.store_settings import StoreSettings

_PAGE: Final = 100
"""Orders that are read in one transaction."""


def check(
    file: Annotated[
        Path | None,
        typer.Argument(help="Orders before their import: JSON or NDJSON, plain or gzip; `-` is standard input."),
    ] = None,
    store: Annotated[
        str | None,
        typer.Option(help="The store, by its key, on an installation's database: its orders, or the seller of FILE."),
    ] = None,
    created_from: From = None,
    created_to: To = None,
    time_zone: TimeZone = None,
    status: Status = None,
    order_id: OrderId = None,
    number: Number = None,
    customer_id: CustomerId = None,
    each: Annotated[
        bool, typer.Option("--each", help="Name each document that is not ready, with its findings.")
    ] = False,
    timeout: Timeout = None,
    as_json: JsonLines = False,
    url: UrlOption = DEFAULT_URL,
    token_file: TokenFileOption = None,
    data: DataOption = None,
) -> None:
    """Say what orders lack for e-invoices of EN 16931 (Factur-X, XRechnung, Peppol), rule by rule.

    Looks at the orders of the token's store on a running server, of --store on an installation's database, or of FILE.
    Exits 0 if every document is ready, 3 if something is missing, in doubt or does not add up.
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
    if file is not None:
        pages = _of_file(file, selection, _settings(store, data))
    elif store is not None:
        pages = _of_database(store, selection, data)
    else:
        pages = _of_server(selection, url, token_file, timeout)
    summary = Summary()
    for page in pages:
        summary.add(page)
        if each:
            put_each(page, as_json=as_json)
    summary.put(as_json=as_json, is_seller_known=file is None or store is not None)
    raise typer.Exit(Exit.OK if summary.is_ready else Exit.INCOMPLETE)


def _of_server(selection: "Selection", url: str, token_file: Path | None, timeout: float | None) -> Iterator[Page]:
    with connected(url, token_file, timeout) as client:
        for page in client.check_orders(selection):
            yield page.document


def _of_database(store: str, selection: "Selection", data: Path | None) -> Iterator[Page]:
    from app.cli.stores import known_store
    from app.documents.einvoices.telling import told_of
    from app.exports.checking import page_to_check

    after: int | None = 0
    with target_database(data) as database:
        while after is not None:
            with database.reading() as tx:
                row = known_store(tx, store)
                page = page_to_check(tx, row.id, _read(selection, row.time_zone), after=after, limit=_PAGE)
            yield {**told_of(page.texts, page.store_settings), "skipped": page.skipped, "not_found": page.not_found}
            after = page.next_after


def _read(selection: "Selection", time_zone: str) -> Any:
    """The selection as the database takes it; raises `Refused`."""
    from app.domain import selection as domain

    since = until = None
    if selection.created_from is not None and selection.created_to is not None:
        try:
            since, until = domain.created_range(
                selection.created_from, selection.created_to, selection.time_zone, default_zone=time_zone
            )
        except domain.SelectionRefused as refused:
            raise Refused(f"{refused.field}: {refused.reason}.", exit_code=Exit.USAGE) from None
    return domain.Selection(
        since, until, selection.statuses, selection.order_ids, selection.numbers, selection.customer_id
    )


def _settings(store: str | None, data: Path | None) -> "StoreSettings":
    """The seller's settings; those of nobody without a store."""
    from app.domain.store_settings import StoreSettings

    if store is None:
        return StoreSettings("", (), "", "en", "UTC", "A4")
    from app.cli.stores import known_store
    from app.database.settings import settings_of

    with target_database(data) as database, database.reading() as tx:
        return settings_of(known_store(tx, store))


def _of_file(file: Path, selection: "Selection", settings: "StoreSettings") -> Iterator[Page]:
    import zlib

    from app.orders.broken import BrokenUpload
    from app.orders.stream import UploadReader

    if selection.created_from is not None or selection.customer_id is not None:
        raise Refused("Of a file only --status, --order-id and --number choose.", exit_code=Exit.USAGE)
    reader = UploadReader()
    try:
        for piece in pieces(file):
            for entry in reader.feed(piece):
                yield _of_entry(entry.value, entry.envelope, selection, settings)
        for entry in reader.finish():
            yield _of_entry(entry.value, entry.envelope, selection, settings)
    except BrokenUpload as broken:
        raise Refused(f"{file}: {broken}") from None
    except (OSError, zlib.error) as error:
        raise Refused(f"{file} cannot be read: {error}") from None


def _of_entry(value: object, envelope: str, selection: "Selection", settings: "StoreSettings") -> Page:
    from app.documents.einvoices.check import checked
    from app.documents.einvoices.telling import told
    from app.domain.document_type import NO_SALE
    from app.orders.intake import IncomingOrder, IncomingRefund, classify

    nothing = {"checked": 0, "ready": 0, "rules": [], "documents": [], "skipped": 0, "refunds": 0}
    match classify(value, ZoneInfo(settings.time_zone), envelope=envelope):
        case IncomingOrder() as order if isinstance(value, Mapping):
            is_named = order.id in selection.order_ids or order.number in selection.numbers
            if (selection.order_ids or selection.numbers) and not is_named:
                return nothing
            if selection.statuses and order.status not in selection.statuses:
                return nothing
            if order.status in NO_SALE and not (selection.statuses or is_named):
                return {**nothing, "skipped": 1}
            return {**told(checked(value, (), settings)), "skipped": 0}
        case IncomingRefund():
            return {**nothing, "refunds": 1}
        case _:
            return {**nothing, "rejected": 1}
