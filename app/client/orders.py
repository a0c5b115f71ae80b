"""The orders of a store as the server answers them, as frozen values."""

from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final

from pydantic import TypeAdapter

from app.client.answers import read


@dataclass(frozen=True, slots=True)
class Order:
    """An order as the last import brought it."""

    order_id: int
    number: str
    status: str
    created_at: datetime | None
    customer_id: int | None
    customer: str
    country: str
    currency: str
    part_of: int | None = None
    """The order of which a marketplace made this one a part."""
    document: dict[str, Any] = field(default_factory=dict, repr=False, compare=False)
    """The JSON as it was sent."""


@dataclass(frozen=True, slots=True)
class StatusCount:
    """How many orders have one status."""

    status: str
    orders: int


@dataclass(frozen=True, slots=True)
class OrdersSummary:
    """What a store holds."""

    orders: int
    statuses: tuple[StatusCount, ...]
    """The most frequent first."""
    undated: int
    """Orders without a date, which no range matches."""
    first_at: datetime | None
    last_at: datetime | None
    refunds: int
    document: dict[str, Any] = field(default_factory=dict, repr=False, compare=False)
    """The JSON as it was sent."""


def read_order(document: dict[str, Any]) -> Order:
    """One order, with the JSON it came as."""
    return read(_ORDER, {**document, "document": document})


def read_summary(document: dict[str, Any]) -> OrdersSummary:
    """The counts, with the JSON they came as."""
    return read(_SUMMARY, {**document, "document": document})


_ORDER: Final = TypeAdapter(Order)
_SUMMARY: Final = TypeAdapter(OrdersSummary)
