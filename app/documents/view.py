"""What a document says, as strings that are ready to print: the templates decide nothing."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from app.documents.contract import DocumentFacts


@dataclass(frozen=True, slots=True)
class Row:
    """A label and what stands beside it."""

    label: str
    text: str


@dataclass(frozen=True, slots=True)
class Party:
    """An address, a note or a reason with its heading."""

    heading: str
    lines: Sequence[str]


@dataclass(frozen=True, slots=True)
class Frame:
    """What every document has around its table."""

    lang: str
    direction: str
    han: str
    title: str
    heading: str
    seller: str
    seller_lines: Sequence[str]
    has_logo: bool
    footer: str
    """The seller and the title, beneath each page: a loose page says what it belongs to."""
    foot: Sequence[Party]
    """What the store prints at the foot of each page: a column each, one with an empty heading has none."""
    foot_rows: int
    """Rows that the highest of these columns takes at most."""
    facts: Sequence[Row]
    parties: Sequence[Party]
    note: Party | None
    page: Sequence[str]
    """What stands before, between and after the number of the page and the count of pages."""
    created: str


@dataclass(frozen=True, slots=True)
class PricedLine:
    """One line of a table with prices."""

    name: str
    details: str
    """Attributes, SKU and discount, set small beneath the name."""
    quantity: str
    unit_price: str
    tax: str
    amount: str
    shape: str
    """Classes of the row: how it may be broken over pages; see `tall.py`."""


@dataclass(frozen=True, slots=True)
class PricedTable:
    """Lines with prices, and what they come to."""

    columns: Mapping[str, str]
    lines: Sequence[PricedLine]
    has_tax_column: bool
    width: int
    """How many columns the table has."""
    figures: str
    """Classes of the table: how much room its figures need."""
    empty: str
    """What stands in place of the lines if there are none."""
    sums: Sequence[Row]
    total: Row | None
    included: Sequence[Row]
    sum_figures: str
    """The class of the sums: how much room their amounts need."""


@dataclass(frozen=True, slots=True)
class PackedLine:
    """One line of a table to pack by."""

    sku: str
    name: str
    details: str
    """Attributes, set small beneath the name."""
    quantity: str
    shape: str
    """Classes of the row: how it may be broken over pages; see `tall.py`."""


@dataclass(frozen=True, slots=True)
class PackingTable:
    """Lines to pick and tick off, and how many pieces they are."""

    columns: Mapping[str, str]
    lines: Sequence[PackedLine]
    has_skus: bool
    width: int
    """How many columns the table has."""
    figures: str
    """Classes of the table: how much room its quantities need."""
    empty: str
    pieces: Row | None


@dataclass(frozen=True, slots=True)
class DocumentView:
    """A document, word by word, and what the manifest says of it."""

    frame: Frame
    table: PricedTable | PackingTable
    manifest: DocumentFacts
    warnings: tuple[str, ...]
