"""Orders found in files, each with its full refunds if a file has them, as an import would take them."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

from app.orders.intake import IncomingOrder, IncomingRefund, Rejection, classify
from app.orders.stream import BrokenUpload, UploadReader

ZONE = ZoneInfo("Europe/Berlin")


@dataclass
class Found:
    """An order of a file: what is stored of it, and the file's own object."""

    file: str
    order: IncomingOrder
    raw: Mapping[str, Any]
    refunds: list[tuple[IncomingRefund, Mapping[str, Any]]] = field(default_factory=list)


@dataclass
class Findings:
    """What files hold."""

    orders: list[Found] = field(default_factory=list)
    refused: list[str] = field(default_factory=list)
    """Why an entry, or the rest of a file, was not taken."""


def find(paths: Iterable[Path]) -> Findings:
    """Every order in these files and folders; a refund goes to each order of its parent's id."""
    findings, refunds = Findings(), []
    for path in paths:
        for file in sorted(path.rglob("*.json")) if path.is_dir() else [path]:
            for incoming, raw in _entries(file):
                match incoming:
                    case IncomingOrder():
                        findings.orders.append(Found(file.name, incoming, raw))
                    case IncomingRefund():
                        refunds.append((incoming, raw))
                    case Rejection():
                        findings.refused.append(f"{file.name}: {incoming.code}: {incoming.reason}")
    for refund, raw in refunds:
        parents = [one for one in findings.orders if one.order.id == refund.parent_id]
        for parent in parents:
            parent.refunds.append((refund, raw))
        if not parents:
            findings.refused.append(f"refund {refund.entry.id}: no order with the id {refund.parent_id}")
    return findings


def _entries(file: Path) -> Iterator[tuple[IncomingOrder | IncomingRefund | Rejection, Any]]:
    reader = UploadReader()
    try:
        for entry in (*reader.feed(file.read_bytes()), *reader.finish()):
            yield classify(entry.value, ZONE, envelope=entry.envelope), entry.value
    except BrokenUpload as broken:
        yield Rejection("upload_broken", f"line {broken.line}, column {broken.column}: {broken.reason}", None), None
