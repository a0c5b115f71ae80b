"""Building the archive: runs in a child process, reads artifacts, writes one ZIP.

The archive is a function of the frozen orders, settings and options, and of nothing else: no job
id, clock, attempt or host is in it.
"""

import json
import zipfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from hashlib import sha256
from itertools import chain
from pathlib import Path
from typing import Any, BinaryIO

from app.artifacts.opening import open_artifacts
from app.artifacts.store import ArtifactMissing, ArtifactStore, ArtifactsUnavailable
from app.domain.layouts import COMBINED_PART, Layout, Placing
from app.domain.lifecycle import Outcome
from app.domain.manifest import (
    COLUMNS,
    COMBINED_COLUMNS,
    Failure,
    ManifestItem,
    csv_line,
    failures_csv,
    fields_of,
    harmless,
    manifest_csv,
)
from app.domain.pdf_variants import PdfVariant
from app.domain.placing import count_parts, placed
from worker.combining import CombinedFiles
from worker.entries import entry_of


@dataclass(frozen=True, slots=True)
class StoredDocuments:
    """Where a render step put its documents, one behind the other in ordinal order."""

    step_id: int
    key: str
    first_item: int
    last_item: int


@dataclass(frozen=True, slots=True)
class ArchiveRequest:
    """All that the child needs; `items` is a file of one JSON item a line, in ordinal order."""

    artifacts: str
    identity: str | None
    """The id that the place of the artifacts must have."""
    items: Path
    steps: Sequence[StoredDocuments]
    key: str
    document_type: str
    layout: str
    sort: str
    combined_part: int = COMBINED_PART
    pdf: PdfVariant = PdfVariant.STANDARD
    store_version: int | None = None
    """The number of the store's settings that stand on the documents."""


@dataclass(frozen=True, slots=True)
class Archived:
    """The archive is stored."""

    bytes: int
    sha256: str


@dataclass(frozen=True, slots=True)
class BadArtifacts:
    """Steps whose documents are missing or not what their items say: they must be rendered again."""

    step_ids: tuple[int, ...]


class _Bad(Exception):
    """A bad step was found: no archive can come of this, but the other bad ones shall be known at once."""


def build_archive(request: ArchiveRequest) -> Archived | BadArtifacts:
    """Write the archive under its key and say its length and SHA-256; raises `ArtifactsUnavailable`."""
    store = open_artifacts(request.artifacts, request.identity)
    try:
        store.put(request.key, lambda file: _write(file, request, store))
    except _Bad:
        return BadArtifacts(_bad_steps(request, store))
    digest = sha256()
    with store.open(request.key) as file:
        while piece := file.read(1 << 20):
            digest.update(piece)
    return Archived(store.size(request.key), digest.hexdigest())


def _bad_steps(request: ArchiveRequest, store: ArtifactStore) -> tuple[int, ...]:
    bad = dict.fromkeys(step.step_id for step, _item, pdf in _documents(request, store) if pdf is None)
    if not bad:
        raise ArtifactsUnavailable("an artifact that was bad is good again")
    return tuple(bad)


def _write(file: BinaryIO, request: ArchiveRequest, store: ArtifactStore) -> None:
    newest = ""
    layout = Layout(request.layout)
    parts = count_parts(_items(request), at_most=request.combined_part) if layout.has_combined_files else 0
    with (
        zipfile.ZipFile(file, "w", zipfile.ZIP_STORED, allowZip64=True) as archive,
        CombinedFiles(
            archive, request.document_type, at_most=request.combined_part, parts=parts, pdf=request.pdf
        ) as combined,
    ):
        for _step, item, pdf in _documents(request, store):
            if pdf is None:
                raise _Bad
            newest = max(newest, item.date)
            if layout.has_combined_files:
                combined.add(item, pdf)
            if layout.has_single_files:
                archive.writestr(entry_of(item.file, item.date), pdf)
        combined.finish()
        _write_text(archive, "manifest.json", newest, _manifest_json(request, parts))
        columns = COMBINED_COLUMNS if parts else COLUMNS
        _write_text(archive, "manifest.csv", newest, manifest_csv(_manifest(request, parts), columns))
        _write_text(archive, "summary.csv", newest, _summary(request))
        failures = _failures(request)
        first = next(failures, None)
        if first is not None:
            _write_text(archive, "failures.csv", newest, failures_csv(chain([first], failures)))


def _documents(
    request: ArchiveRequest, store: ArtifactStore
) -> Iterator[tuple[StoredDocuments, ManifestItem, bytes | None]]:
    """Each rendered item with its step and its checked PDF, or None for one that is missing or damaged."""
    items = _items(request)
    item = next(items, None)
    for step in request.steps:
        with ExitStack() as closing:
            try:
                file = closing.enter_context(store.open(step.key))
            except ArtifactMissing:
                file = None
            while item is not None and item.ordinal <= step.last_item:
                if item.outcome is Outcome.RENDERED:
                    pdf = b"" if file is None else file.read(item.bytes or 0)
                    yield step, item, pdf if sha256(pdf).hexdigest() == item.sha256 else None
                item = next(items, None)
    if item is not None and any(left.outcome is Outcome.RENDERED for left in chain([item], items)):
        raise RuntimeError("a rendered item belongs to no stored step")


def _items(request: ArchiveRequest) -> Iterator[ManifestItem]:
    with request.items.open(encoding="utf-8") as lines:
        for line in lines:
            fields = json.loads(line)
            del fields["reason"]
            fields["outcome"], fields["warnings"] = Outcome(fields["outcome"]), tuple(fields["warnings"])
            yield ManifestItem(**fields)


def _failures(request: ArchiveRequest) -> Iterator[Failure]:
    with request.items.open(encoding="utf-8") as lines:
        for line in lines:
            item = json.loads(line)
            outcome = Outcome(item["outcome"])
            if outcome is not Outcome.RENDERED:
                yield Failure(
                    item["ordinal"],
                    outcome,
                    item["code"],
                    item["reason"],
                    item["type"],
                    item["number"],
                    item["order_id"],
                    item["refund_id"],
                )


def _write_text(archive: zipfile.ZipFile, name: str, date: str, pieces: Iterator[str]) -> None:
    with archive.open(entry_of(name, date), "w", force_zip64=False) as entry:
        for piece in pieces:
            entry.write(piece.encode("utf-8"))


def _manifest(request: ArchiveRequest, parts: int) -> Iterator[ManifestItem]:
    """Every item; with where it stands, if there are combined files."""
    items = _items(request)
    return placed(items, Placing(at_most=request.combined_part), parts=parts) if parts else items


def _manifest_json(request: ArchiveRequest, parts: int) -> Iterator[str]:
    head: dict[str, Any] = {
        "format": 1,
        "document_type": request.document_type,
        "layout": request.layout,
        "sort": request.sort,
        "store_version": request.store_version,
    }
    if request.pdf is not PdfVariant.STANDARD:
        # other archives are what they were before there were variants
        head["pdf"] = request.pdf
    counts: dict[str, int] = {outcome.value: 0 for outcome in (Outcome.RENDERED, Outcome.FAILED, Outcome.SKIPPED)}
    with request.items.open(encoding="utf-8") as lines:
        for line in lines:
            counts[json.loads(line)["outcome"]] += 1
    yield json.dumps({**head, "requested": sum(counts.values()), **counts})[:-1] + ', "items": ['
    separator = "\n"
    for item in _manifest(request, parts):
        yield separator + json.dumps(fields_of(item), ensure_ascii=False)
        separator = ",\n"
    yield "\n]}\n"


def _summary(request: ArchiveRequest) -> Iterator[str]:
    """Count and sums per currency and outcome; an amount that a shop did not store adds nothing."""
    sums: dict[tuple[str, str], list[Any]] = {}
    for item in _items(request):
        row = sums.setdefault((item.currency, item.outcome.value), [0, Decimal(0), Decimal(0), Decimal(0)])
        row[0] += 1
        for place, amount in enumerate((item.net, item.tax, item.total), start=1):
            row[place] += _decimal(amount)
    yield "\ufeff" + csv_line(("currency", "outcome", "count", "net", "tax", "total"))
    for (currency, outcome), (count, *amounts) in sorted(sums.items()):
        yield csv_line((harmless(currency), outcome, count, *(format(amount, "f") for amount in amounts)))


def _decimal(text: str) -> Decimal:
    try:
        return Decimal(text)
    except InvalidOperation:
        return Decimal(0)
