"""Find an export's documents with warnings without reading all of its items."""

import sqlalchemy as sa
from alembic import op

revision = "0021"
down_revision = "0020"
branch_labels = None
depends_on = None


def upgrade() -> None:
    # few items have any: it is built by one look at the table, and the previous release need not know it
    op.create_index(
        "ix_items_warned",
        "items",
        ["job_id", "ordinal"],
        postgresql_where=sa.text("warnings IS NOT NULL"),
        sqlite_where=sa.text("warnings IS NOT NULL"),
    )


def downgrade() -> None:
    op.drop_index("ix_items_warned", "items")
