"""Keep the pattern by which an export's files are named."""

from alembic import op

revision = "0012"
down_revision = "0011"
branch_labels = None
depends_on = None


def upgrade() -> None:
    # One statement that both databases know. The previous release goes on: it names its columns, and all its
    # exports have the default.
    op.execute("ALTER TABLE jobs ADD COLUMN filename_pattern TEXT NOT NULL DEFAULT '{type}-{number}'")


def downgrade() -> None:
    op.execute("ALTER TABLE jobs DROP COLUMN filename_pattern")
