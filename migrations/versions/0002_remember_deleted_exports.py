"""Remember the ids of exports that their owners deleted."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None

INSTANT = sa.DateTime(timezone=True).with_variant(sa.String(27), "sqlite")


def upgrade() -> None:
    # a table of its own: the previous release goes on without knowing of it
    op.create_table(
        "deleted_jobs",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("deleted_at", INSTANT, nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_deleted_jobs")),
    )


def downgrade() -> None:
    op.drop_table("deleted_jobs")
