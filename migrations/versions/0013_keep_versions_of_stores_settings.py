"""Keep a version of a store's settings for each change of them, and which one an export froze."""

import sqlalchemy as sa
from alembic import op

from app.database.clock import Instant

revision = "0013"
down_revision = "0012"
branch_labels = None
depends_on = None

COLUMNS = {"bank_lines": "TEXT", "footer": "TEXT", "accent": "VARCHAR(7)", "number_keys": "TEXT"}


def upgrade() -> None:
    # Statements that both databases know. The previous release goes on: it names its columns, and what it changes
    # in a store is found and written down as a version by whoever of this release reads it next.
    for name, kind in COLUMNS.items():
        op.execute(f"ALTER TABLE stores ADD COLUMN {name} {kind} NOT NULL DEFAULT ''")
    op.execute("ALTER TABLE jobs ADD COLUMN store_version INTEGER")
    op.create_table(
        "store_versions",
        sa.Column("store_id", sa.Integer(), nullable=False),
        sa.Column("number", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("settings", sa.Text(), nullable=False),
        sa.Column("digest", sa.String(length=64), nullable=False),
        sa.Column("changed_by", sa.String(length=200), nullable=True),
        sa.Column("changed_at", Instant(), nullable=False),
        sa.ForeignKeyConstraint(["store_id"], ["stores.id"], name=op.f("fk_store_versions_store_id")),
        sa.PrimaryKeyConstraint("store_id", "number", name=op.f("pk_store_versions")),
    )


def downgrade() -> None:
    op.drop_table("store_versions")
    op.execute("ALTER TABLE jobs DROP COLUMN store_version")
    for name in COLUMNS:
        op.execute(f"ALTER TABLE stores DROP COLUMN {name}")
