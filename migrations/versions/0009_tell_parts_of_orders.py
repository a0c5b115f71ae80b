"""Keep which order another one is a part of."""

import sqlalchemy as sa
from alembic import op

revision = "0009"
down_revision = "0008"
branch_labels = None
depends_on = None


def upgrade() -> None:
    # The previous release goes on and leaves it empty; an import of the same orders fills it in.
    op.add_column("orders", sa.Column("parent_id", sa.BigInteger(), nullable=True))


def downgrade() -> None:
    op.drop_column("orders", "parent_id")
