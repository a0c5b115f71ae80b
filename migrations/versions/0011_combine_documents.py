"""Keep how many documents a combined PDF of an export holds."""

from alembic import op

revision = "0011"
down_revision = "0010"
branch_labels = None
depends_on = None


def upgrade() -> None:
    # One statement that both databases know. The previous release goes on: it names its columns.
    op.execute("ALTER TABLE jobs ADD COLUMN combined_part INTEGER NOT NULL DEFAULT 500")


def downgrade() -> None:
    op.execute("ALTER TABLE jobs DROP COLUMN combined_part")
