"""Fill in the refunds of the orders that were imported before there were rows for them."""

from typing import Any
from zoneinfo import ZoneInfo

import sqlalchemy as sa
from alembic import op

from app.database.clock import Instant
from app.orders.fields import UnreadableOrder
from app.orders.intake import refund_entries
from app.orders.payload import read_payload, read_payloads
from app.orders.reading import read_order

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None

REFUNDS = sa.table(
    "refunds",
    sa.column("order_id", sa.BigInteger),
    sa.column("shop_id", sa.BigInteger),
    sa.column("created_at", Instant()),
    sa.column("total_sort", sa.Double),
)

# Most orders have none: the payload is canonical JSON, so an empty list is always `"refunds":[]`.
PAGE = sa.text("""
    SELECT o.id, s.time_zone, v.payload, v.refunds
    FROM orders o JOIN order_versions v ON v.id = o.version_id JOIN stores s ON s.id = o.store_id
    WHERE o.id > :after AND (
        v.refunds <> '' OR v.payload LIKE '%"refunds":[{%' OR v.payload LIKE '%"refunds":[null,%'
        OR v.payload LIKE '%"refunds":{%'
    )
    ORDER BY o.id LIMIT 500
""")


def upgrade() -> None:
    # Read by the reader of imports: what it finds must be what an import of the same texts finds.
    connection, after = op.get_bind(), 0
    while page := connection.execute(PAGE, {"after": after}).all():
        found = [refund for row in page for refund in _refunds(*row)]
        if found:
            connection.execute(REFUNDS.insert(), found)
        after = page[-1].id


def downgrade() -> None:
    op.execute("DELETE FROM refunds")


def _refunds(order_id: int, time_zone: str, payload: str, kept: str) -> list[dict[str, Any]]:
    full = ",".join(line.partition(" ")[2] for line in kept.splitlines())
    try:
        order = read_order(read_payload(payload), read_payloads(f"[{full}]"), time_zone=ZoneInfo(time_zone))
    except UnreadableOrder:
        return []  # an earlier reader took it; its documents fail and say why
    return [
        {
            "order_id": order_id,
            "shop_id": entry.id,
            "created_at": entry.instant,
            "total_sort": None if entry.amount is None else -float(entry.amount),
        }
        for entry in refund_entries(order)
    ]
