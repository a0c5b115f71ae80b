"""Which documents are asked for: the options that creating and previewing an export share."""

from typing import TYPE_CHECKING, Annotated

import typer

from app.cli.completing import document_types
from app.cli.failing import Exit, Refused
from app.domain.layouts import Layout
from app.domain.pdf_variants import PdfVariant
from app.domain.selection import Sort

if TYPE_CHECKING:
    from app.client import Selection

DocumentType = Annotated[
    str,
    typer.Option("--type", help="invoice, packing_slip, credit_note or receipt.", autocompletion=document_types),
]
From = Annotated[str | None, typer.Option("--from", metavar="DATE", help="First day, or an instant with offset.")]
To = Annotated[str | None, typer.Option("--to", metavar="DATE", help="Last day (included), or an instant with offset.")]
TimeZone = Annotated[str | None, typer.Option(help="IANA zone of the days; the store's by default.")]
Status = Annotated[list[str] | None, typer.Option(help="Only this order status; may be repeated.")]
OrderId = Annotated[list[int] | None, typer.Option(help="This order, by the shop's id; may be repeated.")]
Number = Annotated[list[str] | None, typer.Option(help="This order, by its number; may be repeated.")]
CustomerId = Annotated[int | None, typer.Option(help="Only this customer's orders.")]
LayoutOption = Annotated[
    Layout | None, typer.Option("--layout", help="A file per document (the default), PDFs of many, or both.")
]
PdfOption = Annotated[
    PdfVariant | None,
    typer.Option("--pdf", help="The usual PDFs (the default), PDF/A-3b for keeping, or PDF/UA-1 for reading aloud."),
]
SortOption = Annotated[Sort | None, typer.Option("--sort", help="Order of the documents.")]
FilenamePattern = Annotated[
    str | None, typer.Option(help="What files are called: text with {type}, {number}, {date} and {customer}.")
]


def chosen(
    *,
    created_from: str | None,
    created_to: str | None,
    time_zone: str | None,
    status: list[str] | None,
    order_id: list[int] | None,
    number: list[str] | None,
    customer_id: int | None,
) -> "Selection":
    """The orders that these options choose; raises `Refused` for half of a range."""
    from app.client import Selection

    if (created_from is None) != (created_to is None):
        raise Refused("--from and --to go together.", exit_code=Exit.USAGE)
    return Selection(
        created_from=created_from,
        created_to=created_to,
        time_zone=time_zone,
        statuses=tuple(status or ()),
        order_ids=tuple(order_id or ()),
        numbers=tuple(number or ()),
        customer_id=customer_id,
    )
