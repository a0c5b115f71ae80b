"""Refunds: the short entries inside an order, and the full objects that the shop keeps apart.

The short one is `{id, reason, total}` (once `refund` instead of `reason`), with a minus before
the total or without. The full one has a positive `amount`, a date and negative lines.
"""

from collections.abc import Mapping, Sequence
from datetime import tzinfo
from decimal import Decimal
from functools import partial

from app.orders.dates import instant, local_date
from app.orders.fields import Fields
from app.orders.lines import read_charge, read_line, read_tax_line
from app.orders.model import Refund


def read_refund(payload: Mapping[str, object], *, time_zone: tzinfo) -> Refund:
    """The refund in a full object; raises `UnreadableOrder`."""
    return _read(Fields(payload, "", []), time_zone)


def read_refunds(
    order: Fields, full: Sequence[Mapping[str, object]], time_zone: tzinfo, unit_keys: Sequence[str] = ()
) -> tuple[Refund, ...]:
    """All refunds of an order, each once: the full object where there is one, else the short entry."""
    objects = [
        _read(Fields(payload, f"refund[{index}]", order.warnings), time_zone, unit_keys)
        for index, payload in enumerate(full)
    ]
    waiting = {refund.id: refund for refund in objects}
    inside = [_read(row, time_zone, unit_keys) for row in order.rows("refunds")]
    return (*(waiting.pop(refund.id, refund) for refund in inside), *waiting.values())


def _read(fields: Fields, time_zone: tzinfo, unit_keys: Sequence[str] = ()) -> Refund:
    amount = fields.money("amount", "total")
    return Refund(
        id=fields.whole("id"),
        amount=None if amount is None else _positive(amount),
        reason=fields.text("reason", "refund"),
        date=local_date(fields, "date_created", time_zone, legacy="created_at"),
        lines=tuple(map(partial(read_line, unit_keys=unit_keys), fields.rows("line_items"))),
        instant=instant(fields, "date_created", time_zone, legacy="created_at"),
        shipping_lines=tuple(read_charge(row, "method_title", "method_id") for row in fields.rows("shipping_lines")),
        fees=tuple(read_charge(row, "name", "title") for row in fields.rows("fee_lines")),
        taxes=tuple(map(read_tax_line, fields.rows("tax_lines"))),
    )


def _positive(amount: Decimal) -> Decimal:
    # abs() would round to the context's 28 digits.
    return amount.copy_abs()
