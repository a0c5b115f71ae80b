"""Building the archive: runs in a child process, reads artifacts, writes one ZIP.

The archive is a function of the frozen orders, settings and options, and of nothing else: no job
id, clock, attempt or host is in it.
"""

import json
import zipfile
from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from dataclasses import astuple, dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any, BinaryIO, TextIO

from app.artifacts.opening import open_artifacts
from app.artifacts.store import ArtifactMissing, ArtifactStore, ArtifactsUnavailable
from app.domain.layouts import COMBINED_PART, Layout, Placing
from app.domain.lifecycle import Outcome
from app.domain.manifest import ManifestItem, fields_of
from app.domain.pdf_variants import PdfVariant
from app.domain.placing import count_parts, placed_next
from worker.combining import CombinedFiles
from worker.entries import entry_of
from worker.lists import ArchiveLists
from worker.trailing import TrailingDigest


@dataclass(frozen=True, slots=True)
class StoredDocuments:
    """Where a render step put its documents, one behind the other in ordinal order."""

    step_id: int
    key: str
    first_item: int
    last_item: int


@dataclass(frozen=True, slots=True)
class ArchiveRequest:
    """All that the child needs. What grows with an export lies in files: see `write_items` and `write_steps`."""

    artifacts: str
    identity: str | None
    """The id that the place of the artifacts must have."""
    items: Path
    steps: Path
    key: str
    document_type: str
    layout: str
    sort: str
    combined_part: int = COMBINED_PART
    pdf: PdfVariant = PdfVariant.STANDARD
    store_version: int | None = None
    """The number of the store's settings that stand on the documents."""


def write_items(file: TextIO, items: Iterable[tuple[ManifestItem, str]]) -> None:
    """Write every item of the export in ordinal order, each with the reason why it has no document, or an empty one."""
    file.writelines(json.dumps([reason, fields_of(item)]) + "\n" for item, reason in items)


def write_steps(file: TextIO, steps: Iterable[StoredDocuments]) -> None:
    """Write the steps that have documents, in the order of their items."""
    file.writelines(json.dumps(astuple(step)) + "\n" for step in steps)


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


@dataclass(frozen=True, slots=True)
class _Entry:
    """An item; if it was rendered, with its step and its checked PDF, or None for one that is missing or damaged."""

    item: ManifestItem
    reason: str
    step_id: int | None = None
    pdf: bytes | None = None

    @property
    def is_bad(self) -> bool:
        return self.step_id is not None and self.pdf is None


def build_archive(request: ArchiveRequest) -> Archived | BadArtifacts:
    """Write the archive under its key and say its length and SHA-256; raises `ArtifactsUnavailable`."""
    store = open_artifacts(request.artifacts, request.identity)
    written: list[Archived] = []
    try:
        store.put(request.key, lambda file: written.append(_write(file, request, store)))
    except _Bad:
        return BadArtifacts(_bad_steps(request, store))
    (archived,) = written
    if store.size(request.key) != archived.bytes:
        raise ArtifactsUnavailable("the archive that is stored is not the one that was written")
    return archived


def _bad_steps(request: ArchiveRequest, store: ArtifactStore) -> tuple[int, ...]:
    bad = dict.fromkeys(entry.step_id for entry in _entries(request, store) if entry.is_bad)
    if not bad:
        raise ArtifactsUnavailable("an artifact that was bad is good again")
    return tuple(step for step in bad if step is not None)


def _write(file: BinaryIO, request: ArchiveRequest, store: ArtifactStore) -> Archived:
    layout = Layout(request.layout)
    parts = count_parts(_manifest(request), at_most=request.combined_part) if layout.has_combined_files else 0
    with TrailingDigest(file) as digest:
        with (
            zipfile.ZipFile(file, "w", zipfile.ZIP_STORED, allowZip64=True) as archive,
            ArchiveLists(has_places=bool(parts)) as lists,
            CombinedFiles(
                archive, request.document_type, at_most=request.combined_part, parts=parts, pdf=request.pdf
            ) as combined,
        ):
            newest, placing = "", Placing(at_most=request.combined_part)
            for entry in _entries(request, store):
                item = entry.item
                if entry.is_bad:
                    raise _Bad
                if entry.pdf is not None:
                    newest = max(newest, item.date)
                    if layout.has_combined_files:
                        combined.add(item, entry.pdf)
                    if layout.has_single_files:
                        archive.writestr(entry_of(item.file, item.date), entry.pdf)
                    digest.follow()
                lists.add(placed_next(item, placing, parts=parts) if parts else item, entry.reason)
            combined.finish()
            lists.put_into(archive, _head(request), date=newest)
        return Archived(file.tell(), digest.end())


def _entries(request: ArchiveRequest, store: ArtifactStore) -> Iterator[_Entry]:
    """Every item in ordinal order, with its document."""
    items = _items(request)
    found = next(items, None)
    with request.steps.open(encoding="utf-8") as lines:
        for step in (StoredDocuments(*json.loads(line)) for line in lines):
            with ExitStack() as closing:
                try:
                    file = closing.enter_context(store.open(step.key))
                except ArtifactMissing:
                    file = None
                while found is not None and found[0].ordinal <= step.last_item:
                    item, reason = found
                    if item.outcome is Outcome.RENDERED:
                        pdf = b"" if file is None else file.read(item.bytes or 0)
                        is_whole = sha256(pdf).hexdigest() == item.sha256
                        yield _Entry(item, reason, step.step_id, pdf if is_whole else None)
                    else:
                        yield _Entry(item, reason)
                    found = next(items, None)
    while found is not None:
        if found[0].outcome is Outcome.RENDERED:
            raise RuntimeError("a rendered item belongs to no stored step")
        yield _Entry(*found)
        found = next(items, None)


def _items(request: ArchiveRequest) -> Iterator[tuple[ManifestItem, str]]:
    with request.items.open(encoding="utf-8") as lines:
        for line in lines:
            reason, fields = json.loads(line)
            fields["outcome"], fields["warnings"] = Outcome(fields["outcome"]), tuple(fields["warnings"])
            yield ManifestItem(**fields), reason


def _manifest(request: ArchiveRequest) -> Iterator[ManifestItem]:
    return (item for item, _reason in _items(request))


def _head(request: ArchiveRequest) -> dict[str, Any]:
    """What `manifest.json` begins with."""
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
    return head
