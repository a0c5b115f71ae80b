"""Keep the refunds of orders as rows, and tell which one an item is for."""

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None

INSTANT = sa.DateTime(timezone=True).with_variant(sa.String(27), "sqlite")


def upgrade() -> None:
    # The previous release goes on: it names the columns of items, and knows no rows of refunds. Those of orders
    # that it imports meanwhile are added when they are imported again.
    op.create_table(
        "refunds",
        sa.Column("order_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("shop_id", sa.BigInteger(), nullable=False),
        sa.Column("created_at", INSTANT, nullable=True),
        sa.Column("total_sort", sa.Double(), nullable=True),
        sa.ForeignKeyConstraint(
            ["order_id"], ["orders.id"], name=op.f("fk_refunds_order_id_orders"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("order_id", "shop_id", name=op.f("pk_refunds")),
    )
    op.create_index(op.f("ix_refunds_created_at"), "refunds", ["created_at"], unique=False)
    op.add_column("items", sa.Column("refund_id", sa.BigInteger(), nullable=True))


def downgrade() -> None:
    op.drop_column("items", "refund_id")
    op.drop_table("refunds")
