"""What looking through orders for e-invoices takes and answers."""

from typing import Annotated

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from app.api.schemas import SelectionBody, whole
from app.documents.einvoices.rules import Severity
from app.domain.document_type import DocumentType

MOST_ORDERS = 500
"""Of one page."""


class CheckBody(BaseModel):
    """Which orders to look at."""

    model_config = ConfigDict(extra="forbid")

    selection: SelectionBody = SelectionBody()
    limit: Annotated[
        int, Field(ge=1, le=MOST_ORDERS, strict=True, description="Orders on one page."), BeforeValidator(whole)
    ] = 100
    cursor: Annotated[
        str | None, Field(max_length=500, description="The `next` of the page before, with the same selection.")
    ] = None


class FindingModel(BaseModel):
    """One rule that a document breaks."""

    rule: Annotated[str, Field(description="Of EN 16931-1, such as `BR-11`; `order_unreadable` is none of it.")]
    severity: Severity
    where: Annotated[str, Field(description="Lines, settings or parts of the order; the first five if they are many.")]
    detail: str


class CheckedDocument(BaseModel):
    """An invoice or credit note that no e-invoice can be made of yet."""

    order_id: int
    number: str
    document_type: Annotated[DocumentType, Field(description="`invoice`, or `credit_note` with its `refund_id`.")]
    refund_id: int | None
    findings: list[FindingModel]


class RuleCountModel(BaseModel):
    """How many documents of the page break one rule."""

    rule: str
    terms: Annotated[str, Field(description="The terms of the standard that it speaks of.")]
    severity: Severity
    title: str
    remedy: Annotated[str, Field(description="What to do.")]
    documents: int
    examples: Annotated[list[str], Field(description="The numbers of the first of them.")]
    details: Annotated[list[str], Field(description="The first of the different ways in which they break it.")]


class OrdersCheck(BaseModel):
    """One page of the check, by the shop's ids of the orders."""

    checked: Annotated[int, Field(description="Invoices and credit notes that were looked at.")]
    ready: Annotated[int, Field(description="Those that nothing is missing of.")]
    skipped: Annotated[int, Field(description="Orders of which no invoice is owed.")]
    not_found: Annotated[list[str], Field(description="Ids and numbers that were named and no order has.")]
    rules: Annotated[list[RuleCountModel], Field(description="The most frequent first.")]
    documents: Annotated[list[CheckedDocument], Field(description="Those that are not ready.")]
    next: Annotated[str | None, Field(description="The `cursor` of the next page; null on the last one.")]
