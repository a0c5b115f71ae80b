"""Keep what an operator who ended an export wants its owner to know."""

from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None


def upgrade() -> None:
    # One statement that both databases know. The previous release goes on: it names its columns.
    op.execute("ALTER TABLE jobs ADD COLUMN failure_note TEXT")


def downgrade() -> None:
    op.execute("ALTER TABLE jobs DROP COLUMN failure_note")
