"""Fill in the parents of the orders that were imported before they were kept."""

import sqlalchemy as sa
from alembic import op

from app.orders.fields import UnreadableOrder
from app.orders.payload import read_payload
from app.orders.reading import parent_id_of

revision = "0010"
down_revision = "0009"
branch_labels = None
depends_on = None

# Nearly all orders have none: the payload is canonical JSON, so that is always `"parent_id":0` and a comma or the end.
PAGE = sa.text(r"""
    SELECT o.id, v.payload FROM orders o JOIN order_versions v ON v.id = o.version_id
    WHERE o.id > :after AND v.payload LIKE '%"parent_id"\:%'
        AND v.payload NOT LIKE '%"parent_id"\:0,%' AND v.payload NOT LIKE '%"parent_id"\:0}%'
    ORDER BY o.id LIMIT 500
""")
FILL = sa.text("UPDATE orders SET parent_id = :parent_id WHERE id = :id")


def upgrade() -> None:
    connection, after = op.get_bind(), 0
    while page := connection.execute(PAGE, {"after": after}).all():
        parents = [(order_id, _parent(payload)) for order_id, payload in page]
        if found := [{"id": order_id, "parent_id": parent} for order_id, parent in parents if parent is not None]:
            connection.execute(FILL, found)
        after = page[-1].id


def downgrade() -> None:
    op.execute("UPDATE orders SET parent_id = NULL")


def _parent(payload: str) -> int | None:
    try:
        return parent_id_of(read_payload(payload))
    except (UnreadableOrder, ValueError):
        return None  # an earlier reader took it; its documents fail and say why
