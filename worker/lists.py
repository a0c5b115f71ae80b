"""The lists of an archive: written down as its items come, and put into it behind their documents."""

import json
import shutil
import tempfile
import zipfile
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from types import TracebackType
from typing import Any, Final, Self, TextIO, cast

from app.domain.lifecycle import Outcome
from app.domain.manifest import (
    BOM,
    COLUMNS,
    COMBINED_COLUMNS,
    FAILURE_COLUMNS,
    Failure,
    ManifestItem,
    cells_of,
    csv_line,
    csv_writer,
    fields_of,
    harmless,
)
from worker.entries import entry_of

_OUTCOMES: Final = (Outcome.RENDERED, Outcome.FAILED, Outcome.SKIPPED)


class ArchiveLists:
    """`manifest.json`, `manifest.csv`, `summary.csv` and, if any item has no document, `failures.csv`.

    They lie in files without names until they are put into the archive. Raises `OSError` where there is no room.
    """

    def __init__(self, *, has_places: bool) -> None:
        self._columns = COMBINED_COLUMNS if has_places else COLUMNS
        self._counts = dict.fromkeys(_OUTCOMES, 0)
        self._sums: dict[tuple[str, str], _Sums] = {}
        with ExitStack() as files:
            self._items, self._manifest, self._failures = (files.enter_context(_text_file()) for _ in range(3))
            self._closing = files.pop_all()
        self._manifest.write(BOM + csv_line(self._columns))
        self._failures.write(BOM + csv_line(FAILURE_COLUMNS))
        self._manifest_rows, self._failure_rows = csv_writer(self._manifest), csv_writer(self._failures)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, _kind: type[BaseException] | None, _error: BaseException | None, _: TracebackType | None
    ) -> None:
        self._closing.close()

    def add(self, item: ManifestItem, reason: str) -> None:
        """Take down the next item in ordinal order, and why it has no document if it has none."""
        self._items.write(",\n" if any(self._counts.values()) else "\n")
        self._items.write(json.dumps(fields_of(item), ensure_ascii=False))
        self._manifest_rows.writerow(cells_of(item, self._columns))
        self._counts[item.outcome] += 1
        self._sums.setdefault((item.currency, item.outcome.value), _Sums()).add(item)
        if item.outcome is not Outcome.RENDERED:
            self._failure_rows.writerow(cells_of(_failure(item, reason), FAILURE_COLUMNS))

    def put_into(self, archive: zipfile.ZipFile, head: dict[str, Any], *, date: str) -> None:
        """Write them into an archive, dated; `head` is what `manifest.json` begins with."""
        counts = {outcome.value: count for outcome, count in self._counts.items()}
        requested = sum(counts.values())
        begin = json.dumps({**head, "requested": requested, **counts})[:-1] + ', "items": ['
        with _text_file() as summary:
            summary.writelines(self._summary())
            _put(archive, "manifest.json", date, self._items, around=(begin, "\n]}\n"))
            _put(archive, "manifest.csv", date, self._manifest)
            _put(archive, "summary.csv", date, summary)
        if requested > counts[Outcome.RENDERED]:
            _put(archive, "failures.csv", date, self._failures)

    def _summary(self) -> Iterator[str]:
        """Count and sums per currency and outcome."""
        yield BOM + csv_line(("currency", "outcome", "count", "net", "tax", "total"))
        for (currency, outcome), sums in sorted(self._sums.items()):
            amounts = (format(amount, "f") for amount in (sums.net, sums.tax, sums.total))
            yield csv_line((harmless(currency), outcome, sums.count, *amounts))


@dataclass(slots=True)
class _Sums:
    """Of items of one currency and outcome; an amount that a shop did not store adds nothing."""

    count: int = 0
    net: Decimal = Decimal(0)
    tax: Decimal = Decimal(0)
    total: Decimal = Decimal(0)

    def add(self, item: ManifestItem) -> None:
        self.count += 1
        self.net += _decimal(item.net)
        self.tax += _decimal(item.tax)
        self.total += _decimal(item.total)


def _decimal(text: str) -> Decimal:
    try:
        return Decimal(text)
    except InvalidOperation:
        return Decimal(0)


def _failure(item: ManifestItem, reason: str) -> Failure:
    return Failure(item.ordinal, item.outcome, item.code, reason, item.type, item.number, item.order_id, item.refund_id)


def _text_file() -> TextIO:
    return cast(TextIO, tempfile.TemporaryFile("w+", encoding="utf-8", newline=""))


def _put(archive: zipfile.ZipFile, name: str, date: str, file: TextIO, *, around: tuple[str, str] = ("", "")) -> None:
    before, behind = (text.encode() for text in around)
    file.flush()
    size = len(before) + file.buffer.seek(0, 2) + len(behind)
    file.buffer.seek(0)
    with archive.open(entry_of(name, date, size=size), "w") as entry:
        entry.write(before)
        shutil.copyfileobj(file.buffer, entry, 1 << 20)
        entry.write(behind)
