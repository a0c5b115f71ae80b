"""The shapes of version 1, as OpenAPI shows them."""

from datetime import datetime
from typing import Annotated, Any
from uuid import UUID

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, FailFast, Field

from app.api.store_schemas import StoreChange
from app.domain.document_type import DocumentType
from app.domain.filename_patterns import DEFAULT_PATTERN, MAX_PATTERN, PATTERN_SHAPE
from app.domain.layouts import Layout
from app.domain.lifecycle import JobState, Phase
from app.domain.manifest import CombinedItem, Failure, ManifestItem
from app.domain.pdf_variants import PdfVariant
from app.domain.selection import Sort

MAX_INTEGER = 2**63 - 1


def _storable(text: str) -> str:
    if "\x00" in text or any("\ud800" <= letter <= "\udfff" for letter in text):
        raise ValueError("holds a NUL or half of a surrogate pair")
    return text


def whole(value: Any) -> Any:
    """JSON has numbers only: 7.0 is 7, and some languages write it so. Beyond 2^53 it may have been another number."""
    return int(value) if isinstance(value, float) and value.is_integer() and abs(value) <= 2**53 else value


Text = Annotated[
    str,
    AfterValidator(_storable),
    # halves of surrogate pairs cannot be told in a pattern
    Field(min_length=1, max_length=200, json_schema_extra={"pattern": "^[^\\u0000]*$"}),
]
Integer = Annotated[int, Field(ge=0, le=MAX_INTEGER, strict=True), BeforeValidator(whole)]
_DayOrInstant = Annotated[
    str, Field(max_length=64, json_schema_extra={"anyOf": [{"format": "date"}, {"format": "date-time"}]})
]


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid")


class CreatedRange(_Strict):
    """Two dates (whole days, both included) or two instants with offset (half-open)."""

    since: Annotated[_DayOrInstant, Field(alias="from", examples=["2026-11-01"])]
    until: Annotated[_DayOrInstant, Field(alias="to", examples=["2026-11-30"])]
    time_zone: Annotated[
        str | None, Field(max_length=64, description="IANA zone in which dates are read; the store's by default.")
    ] = None


class SelectionBody(_Strict):
    """Which orders; `{}` is all of the store. Fields combine with AND, values in a list with OR."""

    created: CreatedRange | None = None
    statuses: Annotated[list[Text], Field(max_length=100, examples=[["completed", "processing"]])] = []
    # the first bad one ends the check: a hundred thousand errors would take seconds to make
    order_ids: Annotated[
        list[Integer], FailFast(), Field(description="The shop's ids. One that does not exist is a failed item.")
    ] = []
    numbers: Annotated[list[Text], FailFast(), Field(description="Order numbers as printed.")] = []
    customer_id: Integer | None = None


PdfOption = Annotated[
    PdfVariant,
    Field(
        description=(
            "What kind of PDF. `standard`: the usual one. `pdf_a_3b`: for keeping, by ISO 19005-3 level B (PDF/A-3b), "
            "with its colours defined and what it says of itself in XMP. `pdf_ua_1`: for being read out, by "
            "ISO 14289-1 (PDF/UA-1), with every heading, table, list and picture tagged. Combined PDFs are of the "
            "same kind. All look alike."
        )
    ),
]


class ExportBody(_Strict):
    """An export to create."""

    document_type: Annotated[
        DocumentType,
        Field(
            description=(
                "`credit_note` makes one document per refund of the selected orders, and `created` is then the range "
                "of the refunds' dates; `receipt` one per order with a date of payment."
            )
        ),
    ]
    layout: Annotated[
        Layout,
        Field(
            description=(
                "`separate`: a file per document. `combined`: PDFs of many documents in the order of `sort`, with a "
                "bookmark for each. `both`: all of these."
            )
        ),
    ] = Layout.SEPARATE
    pdf: PdfOption = PdfVariant.STANDARD
    selection: SelectionBody = SelectionBody()
    sort: Annotated[
        Sort | None,
        Field(description="Default `created`; `given` if orders are named. Ties go by order id, nulls last."),
    ] = None
    filename_pattern: Annotated[
        str,
        Field(
            description=(
                "What each document's file is called, without `.pdf`: text with `{type}`, `{number}`, `{date}` (of the "
                "order or refund, in the store's time zone) and `{customer}`, each at most once. What not every "
                "system takes in a file name is left out of the values; what is the same but for case gets `~2`."
            ),
            examples=["{date} {customer} {number}"],
            json_schema_extra={"minLength": 1, "maxLength": MAX_PATTERN, "pattern": PATTERN_SHAPE},
        ),
    ] = DEFAULT_PATTERN


class DocumentBody(_Strict):
    """One document to look at."""

    document_type: DocumentType
    order_id: Annotated[
        Integer | None,
        Field(description="The shop's id of the order; null for an invented one that has something in every part."),
    ]
    refund_id: Annotated[
        Integer | None,
        Field(
            description=(
                "The shop's id of the refund that a credit note is for; other types, and the invented order, have none."
            )
        ),
    ] = None
    pdf: PdfOption = PdfVariant.STANDARD
    settings: Annotated[
        StoreChange | None,
        Field(
            description=(
                "What the store's settings would be changed by, as `PATCH /v1/store` takes it; nothing is kept. Needs "
                "the right `settings`."
            )
        ),
    ] = None


class Counts(BaseModel):
    """The items of the export by outcome."""

    requested: int
    rendered: int
    failed: int
    skipped: int


class JobFailureBody(BaseModel):
    """Why a whole export failed."""

    code: str
    reason: str


class ArchiveBody(BaseModel):
    """The finished archive."""

    bytes: int
    sha256: str
    expires_at: datetime
    is_expired: bool


class Links(BaseModel):
    """Where to go on; path-absolute."""

    self: str
    cancel: str
    retry: str
    retries: Annotated[str, Field(description="The list of the exports that retry this one.")]
    failures: str
    manifest: str
    archive: str


class ExportModel(BaseModel):
    """An export as its owner sees it."""

    id: UUID
    state: JobState
    phase: Phase | None
    document_type: str
    layout: str
    pdf: PdfVariant
    sort: Sort
    filename_pattern: str
    selection: dict[str, Any]
    counts: Counts
    percent: Annotated[int, Field(ge=0, le=100, description="100 only when the archive can be downloaded.")]
    seconds_left: Annotated[int | None, Field(description="Estimate while rendering.")]
    queue_position: Annotated[int | None, Field(description="1 is next; null unless queued.")]
    starts_in_seconds: Annotated[
        int | None,
        Field(
            description=(
                "Estimate for a queued export: 0 while a worker has a free slot for it, else what is ahead of it at "
                "the rate at which the running exports end steps. Null when nothing tells the rate, or unless queued."
            )
        ),
    ]
    waiting_for: Annotated[str | None, Field(description="What keeps an active export from going on.")]
    store_version: Annotated[
        int | None,
        Field(description="The version of the store's settings that stands on its documents; null until planning."),
    ]
    undated_orders: Annotated[int, Field(description="Orders without a date, which no range matches.")]
    failure: JobFailureBody | None
    archive: ArchiveBody | None
    idempotency_key: str
    trace_parent: Annotated[
        str | None, Field(description="The W3C `traceparent` of the request that created it, if it sent a valid one.")
    ]
    retry_of: Annotated[
        UUID | None, Field(description="The export that this one retries; it may have been deleted since.")
    ]
    created_at: datetime
    started_at: datetime | None
    planned_at: datetime | None
    cancel_requested_at: datetime | None
    finished_at: datetime | None
    revision: int
    links: Links


class ExportList(BaseModel):
    """The owner's exports, newest first."""

    items: list[ExportModel]
    next: str | None


class FailureList(BaseModel):
    """The items that failed or were skipped, in ordinal order."""

    items: list[Failure]
    next: str | None


class ManifestList(BaseModel):
    """Every item of the export, in ordinal order."""

    items: Annotated[
        list[CombinedItem] | list[ManifestItem],
        Field(
            description=(
                "The rows of the archive's manifest. In the layouts `combined` and `both` each has `combined_file` and "
                "`combined_page`, the page on which it begins; empty and null until the export is completed."
            )
        ),
    ]
    next: str | None


class ImportErrorModel(BaseModel):
    """One entry that was not taken."""

    line: int
    id: str | None
    code: str
    reason: str


class ImportReportModel(BaseModel):
    """What an import did; orders and refunds are counted alike."""

    new: int
    changed: int
    unchanged: int
    stale: Annotated[int, Field(description="Older than what the store has; not taken.")]
    rejected: int
    errors: Annotated[list[ImportErrorModel], Field(max_length=100)]
    errors_truncated: bool
    warnings: Annotated[list[ImportErrorModel], Field(max_length=100, description="Entries that were taken, but odd.")]


class FieldError(BaseModel):
    """One thing that is wrong with a request."""

    field: str
    reason: str


class ProblemModel(BaseModel):
    """An RFC 9457 problem. Some codes add members of their own."""

    model_config = ConfigDict(extra="allow")

    type: str
    code: str
    title: str
    status: int
    detail: str
    hint: str
    errors: list[FieldError] | None = None
