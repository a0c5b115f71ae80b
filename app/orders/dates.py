"""Shop dates: a local time without zone, the same in UTC, or one of the many ways to say "none"."""

import re
from datetime import UTC, datetime, tzinfo
from typing import Final

from app.orders.fields import Fields

_DATE: Final = re.compile(
    r"\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?)?(?:Z|[+-]\d{2}:?\d{2})?", re.ASCII
)
# What databases and .NET write for "no date": 0000-00-00, 0001-01-01.
_NO_DATE: Final = re.compile(r"000[01]-0[01]-0[01](?![0-9])")
# Nobody kept a web shop before; 1970 is a broken clock or a zero read as a date.
_FIRST_YEAR: Final = 1980
# Any zone may add a day to it and it still is a date.
_LAST_YEAR: Final = 9998


def local_date(fields: Fields, name: str, time_zone: tzinfo, legacy: str = "") -> datetime | None:
    """The shop's own date and time, without zone; from the UTC field if only that is there."""
    local = _read(fields, name)
    if local is not None and local.tzinfo is None:
        return local
    moment = local or instant(fields, name, time_zone, legacy)
    return None if moment is None else moment.astimezone(time_zone).replace(tzinfo=None)


def instant(fields: Fields, name: str, time_zone: tzinfo, legacy: str = "") -> datetime | None:
    """The moment in UTC: `<name>_gmt`, else `<name>` in the shop's zone, else the old API's field."""
    for candidate, zone in ((f"{name}_gmt", UTC), (name, time_zone), (legacy, UTC)):
        moment = _read(fields, candidate) if candidate else None
        if moment is not None:
            return (moment if moment.tzinfo else moment.replace(tzinfo=zone)).astimezone(UTC)
    return None


def _read(fields: Fields, name: str) -> datetime | None:
    _, value = fields.find(name)
    if value is None or value is False:
        return None
    if isinstance(value, str):
        text = value.strip()
        if not text or _NO_DATE.match(text):
            return None
        moment = _parse(text)
        if moment is not None:
            return moment
    fields.warn(f"{fields.path(name)} is not a date; it was left out.")
    return None


def _parse(text: str) -> datetime | None:
    if not _DATE.fullmatch(text):
        return None
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return None
    return moment if _FIRST_YEAR <= moment.year <= _LAST_YEAR else None
