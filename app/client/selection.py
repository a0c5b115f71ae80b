"""Which orders an export is asked for, as it is sent."""

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Selection:
    """Filters that combine with AND, values in a tuple with OR; the empty one is all of the store.

    `created_from` and `created_to` are two dates, read in `time_zone` (the store's by default) as
    whole days, or two instants with offset, half-open. The server judges them.
    """

    created_from: str | None = None
    created_to: str | None = None
    time_zone: str | None = None
    statuses: tuple[str, ...] = ()
    order_ids: tuple[int, ...] = ()
    numbers: tuple[str, ...] = ()
    customer_id: int | None = None

    def to_body(self) -> dict[str, Any]:
        """The JSON of the contract, without what is not asked for."""
        created = {"from": self.created_from, "to": self.created_to, "time_zone": self.time_zone}
        body = {
            "created": {name: value for name, value in created.items() if value is not None},
            "statuses": list(self.statuses),
            "order_ids": list(self.order_ids),
            "numbers": list(self.numbers),
            "customer_id": self.customer_id,
        }
        return {name: value for name, value in body.items() if value not in (None, [], {})}
