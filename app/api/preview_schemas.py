"""What a preview of an export answers."""

from typing import Annotated, Any

from pydantic import BaseModel, Field

from app.domain.codes import PreviewWarning
from app.domain.layouts import Layout
from app.domain.lifecycle import Outcome
from app.domain.pdf_variants import PdfVariant
from app.domain.progress import PaceBasis
from app.domain.selection import Sort


class PreviewCounts(BaseModel):
    """The items that planning would make, all of them counted."""

    requested: int
    to_render: Annotated[
        int,
        Field(
            description=(
                "Left to be rendered. Rendering may still skip some: what only the order itself tells (`not_paid`, "
                "`order_empty`, `nothing_to_pack`) is known of those in `first` alone."
            )
        ),
    ]
    skipped: int
    failed: int


class PreviewDocument(BaseModel):
    """One of the first documents to be rendered, as far as it is known without laying it out."""

    ordinal: int
    order_id: int | None
    refund_id: int | None
    number: str
    date: Annotated[str | None, Field(description="As printed, `YYYY-MM-DD`; null if unknown.")]
    customer: str
    currency: str
    total: Annotated[str | None, Field(description="Decimal text as printed; null if unknown, or none is printed.")]
    file_name: Annotated[
        str | None,
        Field(
            description=(
                "What its file would be called. Null if a pattern asks for the names of more than a thousand items "
                "that stand before it."
            )
        ),
    ]
    expected: Annotated[
        Outcome | None,
        Field(
            description=(
                "`rendered` unless the layout fails; `skipped` or `failed` with `code` and `reason` as the export's "
                "item would end. Null for an order of more than 256 KiB, which is not read here."
            )
        ),
    ]
    code: str | None
    reason: str | None
    warnings: Annotated[
        list[str],
        Field(
            description=(
                "Every warning that the export's item would have: figures that do not add up, fields that were left "
                "out, a language without texts. None of the orders that are not in `first`."
            )
        ),
    ]


class PreviewItem(BaseModel):
    """An item that gets no document."""

    ordinal: int
    order_id: int | None
    refund_id: int | None
    number: str
    reason: str


class PreviewGroup(BaseModel):
    """The items that planning would skip, or fail, for one reason: all are counted, the first ten shown."""

    code: str
    count: int
    first: list[PreviewItem]


class PreviewEstimate(BaseModel):
    """How long the export would take from its planning on; what waits before it in the queue comes on top."""

    seconds: int
    documents_per_second: float
    basis: Annotated[
        PaceBasis,
        Field(
            description=(
                "`recent_exports`: the pace of those of your last twenty exports that completed. `default`: five "
                "documents a second for each slot of the workers that are alive, while yours have not rendered "
                "twenty documents."
            )
        ),
    ]


class PreviewWarningBody(BaseModel):
    """Why the export, though it could be created, would not be what is expected."""

    code: PreviewWarning
    detail: str


class ExportPreview(BaseModel):
    """What an export with this body would be planned as, at this moment."""

    document_type: str
    layout: Layout
    pdf: PdfVariant
    sort: Sort
    filename_pattern: str
    selection: dict[str, Any]
    counts: PreviewCounts
    undated_orders: Annotated[int, Field(description="Orders without a date, which no range matches.")]
    first: list[PreviewDocument]
    skipped: list[PreviewGroup]
    failed: list[PreviewGroup]
    estimate: PreviewEstimate
    warnings: Annotated[
        list[PreviewWarningBody],
        Field(
            description=(
                "`nothing_rendered`: no item is left to be rendered, so the export would fail. `undated_orders`: some "
                "orders have no date and match no range. `active_export_exists`: a create would be refused while the "
                "owner's other export, in `active_export`, goes on."
            )
        ),
    ]
    active_export: Annotated[str | None, Field(description="The owner's active export, path-absolute.")]
