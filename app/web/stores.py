"""The store whose pages are shown, as far as pages need it."""

from zoneinfo import ZoneInfo

from sqlalchemy.orm import Session

from app.database.stores import find_store
from app.domain.principal import Owner


def zone_of(tx: Session, owner: Owner) -> ZoneInfo:
    """The time zone of the owner's store."""
    store = find_store(tx, owner.store)
    return ZoneInfo(store.time_zone if store is not None else "UTC")
