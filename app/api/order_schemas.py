"""The orders of a store, as version 1 shows them."""

from datetime import datetime
from typing import Annotated

from pydantic import BaseModel, Field


class OrderModel(BaseModel):
    """An order as the last import brought it. Its amounts are on its documents."""

    order_id: Annotated[int, Field(description="The shop's id of the order.")]
    number: str
    status: str
    created_at: Annotated[datetime | None, Field(description="Null for an order without a date.")]
    customer_id: int | None
    customer: str
    country: str
    currency: str
    part_of: Annotated[int | None, Field(description="The order of which a marketplace made this one a part.")]


class OrderList(BaseModel):
    """The store's orders, newest first; those without a date last."""

    items: list[OrderModel]
    next: str | None


class StatusCount(BaseModel):
    """How many orders have one status."""

    status: str
    orders: int


class OrdersSummary(BaseModel):
    """What the store holds."""

    orders: int
    statuses: Annotated[list[StatusCount], Field(description="The most frequent first.")]
    undated: Annotated[int, Field(description="Orders without a date, which no range matches.")]
    first_at: Annotated[datetime | None, Field(description="The date of the oldest order.")]
    last_at: Annotated[datetime | None, Field(description="The date of the newest order.")]
    refunds: int
