"""Which orders an export asks for, and the order in which their documents stand."""

import json
import re
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from enum import StrEnum
from typing import Any, Final
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError


class Sort(StrEnum):
    """How the items of a job are numbered; ties go by order id, nulls last."""

    CREATED = "created"
    NUMBER = "number"
    CUSTOMER = "customer"
    TOTAL = "total"
    GIVEN = "given"


_DATE: Final = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")


class SelectionRefused(Exception):
    """A selection that is well-formed but means nothing; `field` is its path in the body."""

    def __init__(self, field: str, reason: str) -> None:
        super().__init__(f"{field}: {reason}")
        self.field = field
        self.reason = reason


@dataclass(frozen=True, slots=True)
class Selection:
    """Filters that combine with AND; values in a tuple combine with OR; empty means no filter.

    `created_from` and `created_to` are aware UTC instants, half-open.
    """

    created_from: datetime | None = None
    created_to: datetime | None = None
    statuses: tuple[str, ...] = ()
    order_ids: tuple[int, ...] = ()
    numbers: tuple[str, ...] = ()
    customer_id: int | None = None

    @property
    def names_orders(self) -> bool:
        """Orders are asked for by name, so one that does not exist is a failed item."""
        return bool(self.order_ids or self.numbers)

    def to_json(self) -> dict[str, Any]:
        """The frozen form that a job row keeps."""
        return {
            "created_from": None if self.created_from is None else self.created_from.isoformat(),
            "created_to": None if self.created_to is None else self.created_to.isoformat(),
            "statuses": list(self.statuses),
            "order_ids": list(self.order_ids),
            "numbers": list(self.numbers),
            "customer_id": self.customer_id,
        }

    @classmethod
    def from_json(cls, stored: dict[str, Any]) -> "Selection":
        """Read what `to_json` wrote."""
        return cls(
            created_from=_instant_or_none(stored["created_from"]),
            created_to=_instant_or_none(stored["created_to"]),
            statuses=tuple(stored["statuses"]),
            order_ids=tuple(stored["order_ids"]),
            numbers=tuple(stored["numbers"]),
            customer_id=stored["customer_id"],
        )


_RETRIED: Final = "retried"
_CREDITED: Final = "credited"


def asked_for(stored: str) -> dict[str, Any]:
    """The selection that a job row keeps, whether the job is planned from it or retries one that was."""
    found: dict[str, Any] = json.loads(stored)
    asked: dict[str, Any] = found.get(_RETRIED) or found.get(_CREDITED) or found
    return asked


def of_refunds(selection: Selection) -> str:
    """What the row of a job of credit notes keeps.

    In a shape of its own: a release that knows no refunds cannot read it and hands the plan step back, where it
    would otherwise plan an item per order.
    """
    return json.dumps({_CREDITED: selection.to_json()})


def of_retry(stored: str) -> str:
    """What the row of a retry keeps of its parent's selection.

    In a shape of its own: a release that knows no retries cannot read it and hands the plan step back, where it
    would otherwise export all of the selection again.
    """
    return json.dumps({_RETRIED: asked_for(stored)})


def is_of_retry(stored: str) -> bool:
    """Whether a job row's selection is a retry's: it says what was asked for, not what is to be planned."""
    return _RETRIED in json.loads(stored)


def _instant_or_none(text: str | None) -> datetime | None:
    return None if text is None else datetime.fromisoformat(text)


def created_range(start: str, end: str, time_zone: str | None, *, default_zone: str) -> tuple[datetime, datetime]:
    """Two dates (whole days of a zone, both included) or two instants (half-open) as UTC instants.

    Raises `SelectionRefused` naming the field if the two are mixed, unreadable or reversed.
    """
    dates = [_date_or_none(field, text) for field, text in (("from", start), ("to", end))]
    if dates[0] is not None and dates[1] is not None:
        zone = _zone(time_zone or default_zone)
        if dates[1] < dates[0]:
            raise SelectionRefused("selection.created", f"`from` ({start}) is after `to` ({end})")
        try:
            return _midnight(dates[0], zone), _midnight(dates[1] + timedelta(days=1), zone)
        except OverflowError:
            raise SelectionRefused("selection.created", "is out of the calendar's range") from None
    if any(found is not None for found in dates):
        raise SelectionRefused("selection.created", "`from` and `to` must both be dates or both be instants")
    if time_zone is not None:
        raise SelectionRefused("selection.created.time_zone", "goes with dates only; instants carry their own offset")
    since, until = _instant("from", start), _instant("to", end)
    if until <= since:
        raise SelectionRefused("selection.created", f"`from` ({start}) is not before `to` ({end})")
    return since, until


def start_of_day(text: str, *, time_zone: str) -> datetime:
    """The instant at which a day (2026-11-30) begins in a zone; raises `SelectionRefused` for the field `before`."""
    try:
        if _DATE.fullmatch(text) is not None:
            return _midnight(date.fromisoformat(text), _zone(time_zone))
    except (ValueError, OverflowError):
        pass
    raise SelectionRefused("before", f"`{text}` is not a day of the calendar, such as 2026-11-30")


def _date_or_none(field: str, text: str) -> date | None:
    """The date that a text is, None for what may be an instant; raises for a day that does not exist."""
    if _DATE.fullmatch(text) is None:
        return None
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise SelectionRefused(f"selection.created.{field}", f"{text} is not a day of the calendar") from None


def _midnight(day: date, zone: ZoneInfo) -> datetime:
    return datetime.combine(day, time.min, zone).astimezone(UTC)


def _zone(name: str) -> ZoneInfo:
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        raise SelectionRefused("selection.created.time_zone", f"`{name}` is not an IANA time zone") from None


def _instant(field: str, text: str) -> datetime:
    try:
        instant = datetime.fromisoformat(text)
    except ValueError:
        instant = None
    if instant is None or instant.tzinfo is None:
        raise SelectionRefused(
            f"selection.created.{field}", "takes a date (2026-11-30) or an instant with offset (2026-11-30T00:00:00Z)"
        )
    try:
        return instant.astimezone(UTC)
    except OverflowError:
        raise SelectionRefused(f"selection.created.{field}", "is out of the calendar's range") from None
