"""The manifest's rows: one shape for the archive's files and the API, and CSV that is safe to open."""

import csv
import io
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, Final, TextIO

from app.domain.lifecycle import Outcome

if TYPE_CHECKING:
    from _csv import Writer as CsvWriter

BOM: Final = "\ufeff"
"""Spreadsheets take a CSV for UTF-8 only if it begins with this."""

_ACTIVE: Final = ("=", "+", "-", "@", "\t", "\r")
"""First characters that make spreadsheets run a text cell as a formula."""


@dataclass(frozen=True, slots=True)
class ManifestItem:
    """One item as its owner sees it. Amounts are decimal text as stored by the shop; unknown is empty."""

    ordinal: int
    outcome: Outcome
    code: str
    file: str
    """Its own file in the archive; empty unless rendered, and where the layout has no file of its own for it."""
    type: str
    number: str
    order_id: int | None
    refund_id: int | None
    """The refund that a credit note is for; null for other types."""
    date: str
    customer: str
    country: str
    currency: str
    net: str
    tax: str
    total: str
    pages: int | None
    bytes: int | None
    sha256: str
    warnings: tuple[str, ...] = ()
    """What is odd about the order or its figures, a sentence each; in a CSV they share one cell."""


COLUMNS: Final = tuple(field.name for field in fields(ManifestItem))


@dataclass(frozen=True, slots=True)
class CombinedItem(ManifestItem):
    """An item of an archive with combined PDFs: in which of them it is, and on which page it begins, from 1."""

    combined_file: str = ""
    """Empty unless rendered."""
    combined_page: int | None = None


COMBINED_COLUMNS: Final = tuple(field.name for field in fields(CombinedItem))
_TEXTS: Final = frozenset({"number", "customer", "country", "currency", "file", "reason", "warnings"})


def fields_of(item: ManifestItem) -> dict[str, Any]:
    """What `dataclasses.asdict` gives, which copies every value first: most of an archive's time."""
    return {name: getattr(item, name) for name in (COMBINED_COLUMNS if isinstance(item, CombinedItem) else COLUMNS)}


@dataclass(frozen=True, slots=True)
class Failure:
    """Why one item has no document, for `failures.csv` and the failures list."""

    ordinal: int
    outcome: Outcome
    code: str
    reason: str
    type: str
    number: str
    order_id: int | None
    refund_id: int | None


FAILURE_COLUMNS: Final = tuple(field.name for field in fields(Failure))


def manifest_csv(items: Iterable[ManifestItem], columns: Sequence[str] = COLUMNS) -> Iterator[str]:
    """`manifest.csv` in pieces of text, BOM first."""
    return _csv(columns, items)


def failures_csv(failures: Iterable[Failure]) -> Iterator[str]:
    """`failures.csv` in pieces of text, BOM first."""
    return _csv(FAILURE_COLUMNS, failures)


def _csv(columns: Sequence[str], rows: Iterable[ManifestItem | Failure]) -> Iterator[str]:
    yield BOM + csv_line(columns)
    for row in rows:
        yield csv_line(cells_of(row, columns))


def cells_of(row: ManifestItem | Failure, columns: Sequence[str]) -> list[str]:
    """One row of a CSV."""
    return [_cell(column, getattr(row, column)) for column in columns]


def _cell(column: str, value: object) -> str:
    if value is None:
        return ""
    text = " ".join(value) if isinstance(value, tuple) else str(value)
    return harmless(text) if column in _TEXTS else text


def harmless(text: str) -> str:
    """A text cell that no spreadsheet takes for a formula: an apostrophe goes before it."""
    return f"'{text}" if text.startswith(_ACTIVE) else text


def csv_line(cells: Sequence[object]) -> str:
    """One line of CSV."""
    buffer = io.StringIO()
    csv_writer(buffer).writerow(cells)
    return buffer.getvalue()


def csv_writer(file: TextIO) -> "CsvWriter":
    """Writes lines of CSV (RFC 4180, CRLF) to a file that translates no line ends."""
    return csv.writer(file, lineterminator="\r\n")
