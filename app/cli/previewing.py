"""`sheaf export preview`: what an export would hold, before there is one."""

import json
from typing import TYPE_CHECKING

import typer

from app.cli.amounts import plural, span
from app.cli.answering import Json
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
from app.cli.connecting import DEFAULT_URL, Timeout, TokenFileOption, UrlOption, connected

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from app.client import ExportPreview
    from app.client.previews import PreviewDocument, PreviewGroup

_NAME = 40
"""Cells of a terminal that a customer's name may take."""

_SHOWN = 3
"""Items of each reason that are shown; --json shows ten."""


def preview(
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
    timeout: Timeout = None,
    as_json: Json = False,
    url: UrlOption = DEFAULT_URL,
    token_file: TokenFileOption = None,
) -> None:
    """Show what an export with these options would hold, skip and fail. Nothing is created."""
    selection = chosen(
        created_from=created_from,
        created_to=created_to,
        time_zone=time_zone,
        status=status,
        order_id=order_id,
        number=number,
        customer_id=customer_id,
    )
    with connected(url, token_file, timeout) as client:
        found = client.preview_export(
            selection,
            document_type=document_type,
            layout=None if layout is None else layout.value,
            pdf=None if pdf is None else pdf.value,
            sort=None if sort is None else sort.value,
            filename_pattern=filename_pattern,
        )
    for line in [json.dumps(found.document, ensure_ascii=False)] if as_json else _lines(found):
        typer.echo(line)


def _lines(found: "ExportPreview") -> "Iterator[str]":
    counts, estimate = found.counts, found.estimate
    parts = [f"{counts.to_render} to render"]
    parts += [f"{count} {name}" for name, count in (("skipped", counts.skipped), ("failed", counts.failed)) if count]
    basis = "at the pace of your last exports" if estimate.basis == "recent_exports" else "by default"
    yield (
        f"{plural(counts.requested, 'document')}: {', '.join(parts)}; about {span(estimate.seconds)} "
        f"({estimate.documents_per_second:g}/s, {basis})."
    )
    yield from (f"Note: {warning.detail}" for warning in found.warnings)
    if found.first:
        yield ""
        yield from _table(found.first)
        if counts.to_render > len(found.first):
            yield f"… and {counts.to_render - len(found.first)} more"
    for what, groups in (("skipped", found.skipped), ("failed", found.failed)):
        for group in groups:
            yield ""
            yield from _group(what, group)


def _table(documents: "Sequence[PreviewDocument]") -> "Iterator[str]":
    """Columns as wide as what stands in them; what is odd about a document stands beneath its line."""
    from rich.cells import cell_len

    head = ("number", "date", "customer", "total", "file")
    rows = [
        (
            one.number,
            one.date or "",
            _cropped(one.customer),
            f"{one.total} {one.currency}".strip() if one.total else "",
            one.file_name or "",
        )
        for one in documents
    ]
    widths = [max(map(cell_len, column)) for column in zip(head, *rows, strict=True)]
    yield _row(head, widths)
    for one, row in zip(documents, rows, strict=True):
        yield _row(row, widths)
        if one.code is not None:
            yield f"    would be {one.expected}: {one.code}: {one.reason}"
        yield from (f"    {warning}" for warning in one.warnings)


def _cropped(name: str) -> str:
    from rich.cells import cell_len, set_cell_size

    return name if cell_len(name) <= _NAME else f"{set_cell_size(name, _NAME - 1).rstrip()}…"


def _row(cells: "Sequence[str]", widths: "Sequence[int]") -> str:
    from rich.cells import cell_len

    # letters of some scripts take two cells of a terminal, marks take none
    room = [" " * (width - cell_len(cell)) for cell, width in zip(cells, widths, strict=True)]
    number, date, customer, total, file = cells
    return f"  {number}{room[0]}  {date}{room[1]}  {customer}{room[2]}  {room[3]}{total}  {file}"


def _group(what: str, group: "PreviewGroup") -> "Iterator[str]":
    yield f"{group.count} {what}: {group.code}"
    yield from (f"  {_which(one.number, one.order_id)}: {one.reason}" for one in group.first[:_SHOWN])
    if group.count > _SHOWN:
        yield f"  … and {group.count - _SHOWN} more"


def _which(number: str, order_id: int | None) -> str:
    return number or ("?" if order_id is None else str(order_id))
