"""Looking through a store's orders before e-invoices are made of them: a page of what is to be looked at."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from app.database.orders import refunds_json
from app.database.previewing import Content
from app.database.selecting import Wanted, items_behind, missing_numbers
from app.database.settings import settings_of
from app.database.tables import OrderVersionRow, StoreRow
from app.domain.codes import ItemCode
from app.domain.document_type import DocumentType
from app.domain.selection import Selection
from app.domain.store_settings import StoreSettings

MOST_CHARACTERS: Final = 4 * 1024 * 1024
"""Of orders on one page: reading them takes half a second. One order may be larger, and is a page of its own."""
_NAMED: Final = 100
"""Orders that do not exist, of those that are named, before they are only counted no more."""


@dataclass(frozen=True, slots=True)
class Page:
    """The next orders by the shop's ids, and what is behind them."""

    orders: Sequence[Content]
    skipped: int
    """Orders of which no invoice is owed."""
    not_found: Sequence[str]
    """Orders that were asked for by id or number and do not exist."""
    next_after: int | None
    """The shop's id behind which the next page begins; None if this is the last one."""
    store_settings: StoreSettings

    @property
    def texts(self) -> list[tuple[str, str]]:
        """The JSON of each order, and that of its refunds."""
        return [(order.payload, order.refunds) for order in self.orders]


def page_to_check(tx: Session, store_id: int, selection: Selection, *, after: int, limit: int) -> Page:
    """At most `limit` orders of the selection whose ids are above `after`; 0 is the first page."""
    wanted = Wanted(store_id, DocumentType.INVOICE, selection)
    rows = items_behind(tx, wanted, after=after, limit=limit + 1)
    found, is_cut = rows[:limit], len(rows) > limit
    size = func.length(OrderVersionRow.payload) + func.length(OrderVersionRow.refunds)
    versions = [row.version_id for row in found if row.version_id is not None and row.code is None]
    sized = tx.execute(select(OrderVersionRow.id, size.label("size")).where(OrderVersionRow.id.in_(versions)))
    sizes: dict[int, int] = {row.id: row.size for row in sized}
    room = MOST_CHARACTERS
    for place, row in enumerate(found):
        room -= sizes.get(row.version_id, 0)
        if room < 0 and place:
            found, is_cut = found[:place], True
            break
    missing = [str(row.shop_id) for row in found if row.code == ItemCode.ORDER_NOT_FOUND]
    return Page(
        orders=_contents(tx, [row.version_id for row in found if row.version_id in sizes]),
        skipped=sum(row.code not in {None, ItemCode.ORDER_NOT_FOUND} for row in found),
        not_found=[*missing, *(() if after else missing_numbers(tx, wanted, limit=_NAMED))],
        next_after=found[-1].shop_id if is_cut else None,
        store_settings=settings_of(tx.get_one(StoreRow, store_id)),
    )


def _contents(tx: Session, versions: Sequence[int]) -> list[Content]:
    found = tx.scalars(select(OrderVersionRow).where(OrderVersionRow.id.in_(versions)))
    by_id = {version.id: Content(version.payload, refunds_json(version)) for version in found}
    return [by_id[version] for version in versions if version in by_id]
