"""The store whose pages are shown, as far as pages need it."""

from zoneinfo import ZoneInfo

from sqlalchemy.orm import Session

from app.database.stores import time_zone_of
from app.domain.principal import Owner


def zone_of(tx: Session, owner: Owner) -> ZoneInfo:
    """The time zone of the owner's store."""
    return ZoneInfo(time_zone_of(tx, owner.store_id))
