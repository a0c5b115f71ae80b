"""Previewing an export: what a create with this request would be planned as at this moment. Nothing is written."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from uuid import UUID

from sqlalchemy.orm import Session

from app.database.hosts import fleet
from app.database.jobs import find_active_job
from app.database.naming import names_of
from app.database.planning import selected_items
from app.database.previewing import Content, Group, PlannedItem, contents, groups
from app.database.queueing import recent_work
from app.database.selecting import count_undated, outcomes
from app.database.settings import settings_of
from app.database.tables import StoreRow
from app.domain.filename_patterns import DEFAULT_PATTERN
from app.domain.lifecycle import Outcome
from app.domain.principal import Owner
from app.domain.progress import Pace, pace_of
from app.domain.store_settings import StoreSettings
from app.exports.request import ExportRequest
from app.exports.submit import check, wanted_of


@dataclass(frozen=True, slots=True)
class Preview:
    """What the export would be planned as."""

    requested: int
    pending: int
    """Items that planning leaves to be rendered; rendering may still find that one is owed no document."""
    failed: int
    skipped: int
    first: tuple[PlannedItem, ...]
    """The first of those to be rendered; a name is empty if too many items stand before it to be told."""
    settled: tuple[Group, ...]
    """What planning skips or fails, by code, largest first."""
    undated: int
    pace: Pace
    active_id: UUID | None
    """The owner's active export, which a create would be refused for."""
    store_settings: StoreSettings
    """As the job would freeze them."""
    contents: Mapping[int, Content]
    """What the first documents are made from, by version; without the largest orders."""


def preview(tx: Session, owner: Owner, request: ExportRequest, *, max_items: int) -> Preview:
    """Read what planning would write; raises as `check` does."""
    check(tx, owner, request, max_items=max_items)
    wanted = wanted_of(owner, request)
    rows = selected_items(tx, wanted, request.sort)
    found = groups(tx, rows, outcomes(tx, wanted))
    counts = {outcome: sum(group.count for group in found if group.outcome is outcome) for outcome in Outcome}
    store = tx.get_one(StoreRow, owner.store_id)
    first = next((group.first for group in found if group.outcome is Outcome.PENDING), ())
    if first and request.filename_pattern != DEFAULT_PATTERN:
        names = names_of(
            tx,
            rows,
            wanted,
            pattern=request.filename_pattern,
            time_zone=store.time_zone,
            up_to=first[-1].ordinal,
        )
        first = tuple(replace(item, file_name=names.get(item.ordinal, "")) for item in first)
    active = find_active_job(tx, owner)
    return Preview(
        requested=sum(counts.values()),
        pending=counts[Outcome.PENDING],
        failed=counts[Outcome.FAILED],
        skipped=counts[Outcome.SKIPPED],
        first=first,
        settled=tuple(group for group in found if group.outcome is not Outcome.PENDING),
        undated=count_undated(tx, wanted),
        pace=pace_of(recent_work(tx, owner), slots=fleet(tx).slots),
        active_id=None if active is None else active.id,
        store_settings=settings_of(store),
        contents=contents(tx, [item.version_id for item in first if item.version_id is not None]),
    )
