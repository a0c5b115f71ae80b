"""Keep what a store wants done with a document that has a character no font has."""

from alembic import op

revision = "0017"
down_revision = "0016"
branch_labels = None
depends_on = None


def upgrade() -> None:
    # One statement that both databases know. The previous release goes on: it names its columns.
    op.execute(
        "ALTER TABLE stores ADD COLUMN missing_glyphs VARCHAR(4) NOT NULL DEFAULT 'warn' "
        "CONSTRAINT ck_stores_missing_glyphs CHECK (missing_glyphs IN ('fail', 'warn'))"
    )


def downgrade() -> None:
    op.execute("ALTER TABLE stores DROP COLUMN missing_glyphs")
