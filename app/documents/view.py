"""What a document says, as strings that are ready to print: the templates decide nothing."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Row:
    """A label and what stands beside it."""

    label: str
    text: str


@dataclass(frozen=True, slots=True)
class LineRow:
    """One line of the table."""

    name: str
    details: str
    """Attributes, SKU and discount, set small beneath the name."""
    quantity: str
    unit_price: str
    tax: str
    amount: str


@dataclass(frozen=True, slots=True)
class Party:
    """An address with its heading."""

    heading: str
    lines: Sequence[str]


@dataclass(frozen=True, slots=True)
class InvoiceView:
    """An invoice, word by word."""

    lang: str
    direction: str
    han: str
    title: str
    heading: str
    seller: str
    seller_lines: Sequence[str]
    has_logo: bool
    footer: str
    facts: Sequence[Row]
    parties: Sequence[Party]
    columns: Mapping[str, str]
    lines: Sequence[LineRow]
    has_tax_column: bool
    width: int
    """How many columns the table has."""
    figures: str
    """Classes of the table: how much room its figures need."""
    empty: str
    sums: Sequence[Row]
    total: Row | None
    included: Sequence[Row]
    sum_figures: str
    """The class of the sums: how much room their amounts need."""
    note: Party | None
    page: Sequence[str]
    """What stands before, between and after the number of the page and the count of pages."""
    created: str
    warnings: Sequence[str]
