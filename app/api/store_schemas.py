"""A store's settings, as version 1 shows and takes them."""

from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from app.documents.settings import (
    MAX_ADDRESS_LINES,
    MAX_FOOT_LINE,
    MAX_FOOT_LINES,
    MAX_LABEL,
    MAX_LINE,
    MAX_LOCALE,
    MAX_NUMBER_KEYS,
    MAX_TAX_IDS,
)
from app.documents.trial import MAX_TEXT
from app.domain.contrast import READABLE
from app.domain.document_type import DocumentType
from app.domain.store_settings import MissingGlyphs

Paper = Literal["A4", "Letter"]
_Line = Annotated[str, Field(max_length=MAX_LINE)]
_FootLine = Annotated[str, Field(max_length=MAX_FOOT_LINE)]


class TaxIdBody(BaseModel):
    """A number under which a tax office knows the store."""

    model_config = ConfigDict(extra="forbid")

    number: Annotated[str, Field(min_length=1, max_length=MAX_LINE, examples=["GB 123 4567 89"])]
    label: Annotated[
        str,
        Field(max_length=MAX_LABEL, examples=["VAT no."], description="Empty: documents call it tax id."),
    ] = ""


class LogoBody(BaseModel):
    """The logo that `links.logo` gives."""

    media_type: str
    bytes: int
    sha256: str


class TemplateModel(BaseModel):
    """A store's own layout of one type of document, and ours."""

    document_type: DocumentType
    template: Annotated[str | None, Field(description="The store's own; null: ours.")]
    style: Annotated[str | None, Field(description="The store's own rules, which come after ours; null: none.")]
    ours: Annotated[str, Field(description="Our template, to begin with.")]


class TemplateBody(BaseModel):
    """What a type is to be laid out by; at least one of both."""

    model_config = ConfigDict(extra="forbid")

    template: Annotated[
        str | None, Field(max_length=MAX_TEXT, description="Jinja, filled in a sandbox; null: ours.")
    ] = None
    style: Annotated[
        str | None,
        Field(max_length=MAX_TEXT, description="CSS that loads nothing; its rules come after ours. Null: none."),
    ] = None


class StoreLinks(BaseModel):
    """Where to go on; path-absolute."""

    self: str
    logo: str


class StoreModel(BaseModel):
    """What stands on every document of the store."""

    key: str
    version: Annotated[int, Field(description="Grows by one with each change; exports tell the one that they froze.")]
    changed_at: datetime
    changed_by: Annotated[str | None, Field(description="The owner who made this version; null for an operator.")]
    name: str
    address: list[str]
    tax_ids: list[TaxIdBody]
    bank_lines: list[str]
    footer: list[str]
    accent: str | None
    logo: LogoBody | None
    paper: str
    locale: str
    time_zone: str
    number_keys: list[str]
    missing_glyphs: MissingGlyphs
    country: str | None
    vat_keys: list[str]
    unit_keys: list[str]
    untaxed: str | None
    templates: Annotated[
        list[DocumentType],
        Field(description="Types with a template or style of the store's own: `/v1/store/templates/{type}`."),
    ]
    links: StoreLinks


def _without_defaults(schema: dict[str, Any]) -> None:
    """What a merge patch does not name stays as it is: it has no defaults."""
    for shape in schema["properties"].values():
        shape.pop("default", None)


class StoreChange(BaseModel):
    """A JSON merge patch (RFC 7396): what is named is changed, null takes it away, lists are replaced whole."""

    model_config = ConfigDict(extra="forbid", json_schema_extra=_without_defaults)

    name: Annotated[str, Field(min_length=1, max_length=MAX_LINE)] = ""
    address: Annotated[list[_Line], Field(max_length=MAX_ADDRESS_LINES)] | None = None
    tax_ids: Annotated[list[TaxIdBody], Field(max_length=MAX_TAX_IDS)] | None = None
    bank_lines: Annotated[list[_FootLine], Field(max_length=MAX_FOOT_LINES)] | None = None
    footer: Annotated[list[_FootLine], Field(max_length=MAX_FOOT_LINES)] | None = None
    accent: Annotated[
        str | None,
        Field(
            pattern="^#[0-9a-fA-F]{6}$",
            description=f"Of headings; its contrast against white must be at least {READABLE:g} to 1 (WCAG 2.2).",
        ),
    ] = None
    paper: Paper | None = None
    locale: Annotated[str | None, Field(max_length=MAX_LOCALE, description="BCP 47, such as `de-AT`.")] = None
    time_zone: Annotated[str | None, Field(max_length=64, description="IANA, such as `Europe/Vienna`.")] = None
    number_keys: Annotated[
        list[_Line] | None,
        Field(
            max_length=MAX_NUMBER_KEYS,
            description=(
                "Keys of an order's `meta_data` that hold the number of its invoice, such as `_invoice_number`; the "
                "first that an order has counts. One that has none keeps its own number, with a warning."
            ),
        ),
    ] = None
    missing_glyphs: Annotated[
        MissingGlyphs | None,
        Field(
            description=(
                "What becomes of a document with a character that no font has: `warn` prints its code, such as "
                "`[U+E000]`, with a warning on the item; `fail` fails the item with `missing_glyphs`."
            ),
        ),
    ] = None
    country: Annotated[
        str | None,
        Field(
            pattern="^[A-Za-z]{2}$",
            description="The seller's, ISO 3166-1 alpha-2, for `POST /v1/orders/check`; documents print the address.",
        ),
    ] = None
    vat_keys: Annotated[
        list[_Line] | None,
        Field(
            max_length=MAX_NUMBER_KEYS,
            description=(
                "Keys of an order's `meta_data` that hold the customer's VAT number; they are looked at before those "
                "of the plugins that are known."
            ),
        ),
    ] = None
    unit_keys: Annotated[
        list[_Line] | None,
        Field(
            max_length=MAX_NUMBER_KEYS,
            description="Keys of a line's `meta_data` that hold the unit of its quantity, such as `kg` or `KGM`.",
        ),
    ] = None
    untaxed: Annotated[
        str | None,
        Field(
            max_length=MAX_LINE,
            description=(
                "What is sold at home without tax: `Z` (zero rated), `E=` and the reason of the exemption, or `O` "
                "(not subject to VAT)."
            ),
            examples=["E=VAT exempt under § 19 UStG"],
        ),
    ] = None
