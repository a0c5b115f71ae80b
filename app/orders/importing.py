"""An import: bytes in, batches of 500 to the database, a report out.

`Import` holds the state and touches no database: its caller stores each batch that it gives, in a
transaction of its own, and tells it the outcome. So the API and the command line share it.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import tzinfo
from typing import Final

from sqlalchemy.orm import Session

from app.database.orders import OrderContent, OrderIndex, RefundContent, Stored, store_orders, store_refunds
from app.database.refunds import RefundIndex
from app.orders.intake import IncomingEntry, IncomingOrder, IncomingRefund, Rejection, classify
from app.orders.stream import Entry, UploadReader

BATCH: Final = 500
MAX_ERRORS: Final = 100
MAX_WAITING_REFUNDS: Final = 10_000
"""Refunds that wait for a parent further down in the same upload; beyond that they are stored as they come."""
MAX_SEEN: Final = 200_000
"""Ids that are remembered to find an order that stands twice: some 12 MB, whatever the upload's size."""


@dataclass(frozen=True, slots=True)
class ImportProblem:
    """One entry that was not taken, or that was read around."""

    line: int
    id: str | None
    code: str
    reason: str


@dataclass(slots=True)
class ImportReport:
    """What an import did so far. Orders and refunds are counted alike."""

    new: int = 0
    changed: int = 0
    unchanged: int = 0
    stale: int = 0
    rejected: int = 0
    errors: list[ImportProblem] = field(default_factory=list)
    errors_truncated: bool = False
    warnings: list[ImportProblem] = field(default_factory=list)
    """Entries that were taken although something about them is odd; the first hundred are named."""

    def warn(self, problem: ImportProblem) -> None:
        """Name an oddity."""
        if len(self.warnings) < MAX_ERRORS:
            self.warnings.append(problem)

    def reject(self, problem: ImportProblem) -> None:
        """Count an entry that was not taken; the first hundred are named."""
        self.rejected += 1
        if len(self.errors) < MAX_ERRORS:
            self.errors.append(problem)
        else:
            self.errors_truncated = True

    @property
    def committed(self) -> int:
        """Rows that are in the store now because of this import, or were already."""
        return self.new + self.changed + self.unchanged + self.stale


@dataclass(frozen=True, slots=True)
class Batch:
    """Up to 500 entries for one transaction, with the line that each came from."""

    orders: Mapping[int, tuple[int, IncomingOrder]]
    refunds: Mapping[int, tuple[int, IncomingRefund]]

    def store(self, tx: Session, store_id: int) -> "BatchOutcome":
        """Write the batch."""
        orders = store_orders(tx, store_id, [_content(order) for _line, order in self.orders.values()])
        refunds = store_refunds(
            tx,
            store_id,
            [
                RefundContent(refund_index(refund.entry), refund.parent_id, refund.payload_text)
                for _line, refund in self.refunds.values()
            ],
        )
        return BatchOutcome(orders, refunds)


@dataclass(frozen=True, slots=True)
class BatchOutcome:
    """What storing a batch did, by shop id; a refund whose parent is unknown is absent."""

    orders: Mapping[int, Stored]
    refunds: Mapping[int, Stored]


class Import:
    """One upload on its way into a store. Use: for each batch of `feed` and `finish`: store it, `note` it."""

    def __init__(self, time_zone: tzinfo) -> None:
        self.report = ImportReport()
        self._reader = UploadReader()
        self._time_zone = time_zone
        self._orders: dict[int, tuple[int, IncomingOrder]] = {}
        self._refunds: dict[int, tuple[int, IncomingRefund]] = {}
        self._seen: set[int] = set()

    def feed(self, data: bytes) -> Iterator[Batch]:
        """The batches that these bytes fill; raises `BrokenUpload`."""
        for entry in self._reader.feed(data):
            yield from self._take(entry)

    def finish(self) -> Iterator[Batch]:
        """The last batches; raises `BrokenUpload` if the upload ends too early."""
        for entry in self._reader.finish():
            yield from self._take(entry)
        yield from self.rest()

    def rest(self) -> Iterator[Batch]:
        """What was read and is not stored yet: also for an upload that broke off."""
        if self._orders:
            yield self._full_orders()
        while self._refunds:
            yield self._full_refunds()

    def note(self, batch: Batch, outcome: BatchOutcome) -> None:
        """Count a batch that was committed."""
        for stored in (*outcome.orders.values(), *outcome.refunds.values()):
            match stored:
                case Stored.NEW:
                    self.report.new += 1
                case Stored.CHANGED:
                    self.report.changed += 1
                case Stored.UNCHANGED:
                    self.report.unchanged += 1
                case Stored.STALE:
                    self.report.stale += 1
        for refund_id, (line, refund) in batch.refunds.items():
            if refund_id not in outcome.refunds:
                reason = f"its order {refund.parent_id} is not in this store; import the order first"
                self.report.reject(ImportProblem(line, str(refund_id), "refund_without_parent", reason))

    def _take(self, entry: Entry) -> Iterator[Batch]:
        match classify(entry.value, self._time_zone, envelope=entry.envelope):
            case IncomingOrder() as order:
                self._warn(entry, order)
                # the same order again: what came first is stored first, so that the later one decides
                if order.id in self._orders or len(self._orders) >= BATCH:
                    yield self._full_orders()
                self._orders[order.id] = (entry.line, order)
            case IncomingRefund() as refund:
                if len(self._refunds) >= MAX_WAITING_REFUNDS:
                    yield from self.rest()
                self._refunds[refund.entry.id] = (entry.line, refund)
            case Rejection() as rejection:
                self.report.reject(ImportProblem(entry.line, rejection.id, rejection.code, rejection.reason))

    def _warn(self, entry: Entry, order: IncomingOrder) -> None:
        for sentence in (*entry.warnings, *order.warnings):
            self.report.warn(ImportProblem(entry.line, str(order.id), "read_around", sentence))
        if order.id in self._seen:
            sentence = "stands more than once in this upload; the last one counts"
            self.report.warn(ImportProblem(entry.line, str(order.id), "order_twice", sentence))
        elif len(self._seen) < MAX_SEEN:
            self._seen.add(order.id)

    def _full_orders(self) -> Batch:
        orders, self._orders = self._orders, {}
        return Batch(orders, {})

    def _full_refunds(self) -> Batch:
        first = dict(list(self._refunds.items())[:BATCH])
        for refund_id in first:
            del self._refunds[refund_id]
        return Batch({}, first)


def _content(order: IncomingOrder) -> OrderContent:
    return OrderContent(
        OrderIndex(
            shop_id=order.id,
            number=order.number,
            number_sort=order.number_sort,
            status=order.status,
            created_at=order.instant,
            modified_at=order.modified,
            customer_id=order.customer_id,
            customer=order.customer_name,
            customer_sort=order.customer_sort,
            currency=order.currency,
            country=order.country,
            total_sort=None if order.total is None else float(order.total),
            file_stem=order.file_stem,
            file_key=order.file_key,
            parent_id=order.parent_id,
        ),
        order.payload_text,
        tuple(map(refund_index, order.refunds)),
    )


def refund_index(entry: IncomingEntry) -> RefundIndex:
    """The columns of a refund; its credit note comes to less than nothing."""
    total = None if entry.amount is None else -float(entry.amount)
    return RefundIndex(entry.id, entry.instant, total)
