"""Keep how far an export was when steps of it were opened again."""

from alembic import op

revision = "0015"
down_revision = "0014"
branch_labels = None
depends_on = None


def upgrade() -> None:
    # one statement that both databases know; the previous release goes on without knowing of it
    op.execute("ALTER TABLE jobs ADD COLUMN settled_most INTEGER NOT NULL DEFAULT 0")


def downgrade() -> None:
    op.execute("ALTER TABLE jobs DROP COLUMN settled_most")
