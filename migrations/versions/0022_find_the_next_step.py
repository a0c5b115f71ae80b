"""Find an export's next step without sorting all that are left of it."""

import sqlalchemy as sa
from alembic import op

revision = "0022"
down_revision = "0021"
branch_labels = None
depends_on = None


def upgrade() -> None:
    # only steps that are not done are in it, and the previous release need not know it
    op.create_index(
        "ix_steps_next",
        "steps",
        ["job_id", "ordinal"],
        postgresql_where=sa.text("state <> 'done'"),
        sqlite_where=sa.text("state <> 'done'"),
    )


def downgrade() -> None:
    op.drop_index("ix_steps_next", "steps")
