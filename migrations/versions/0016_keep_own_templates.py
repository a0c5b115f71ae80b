"""Keep a store's own templates."""

from alembic import op

revision = "0016"
down_revision = "0015"
branch_labels = None
depends_on = None


def upgrade() -> None:
    # One statement that both databases know. The previous release goes on: it names its columns.
    op.execute("ALTER TABLE stores ADD COLUMN templates TEXT NOT NULL DEFAULT ''")


def downgrade() -> None:
    op.execute("ALTER TABLE stores DROP COLUMN templates")
