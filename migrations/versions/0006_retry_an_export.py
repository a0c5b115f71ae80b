"""Let an export be the retry of another one."""

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None


def upgrade() -> None:
    # Columns that may be null, and indexes that hold only the few rows that use them: the previous release goes
    # on, since it names its columns. The lock's time-out is set by whoever migrates.
    uuid = "UUID" if op.get_bind().dialect.name == "postgresql" else "CHAR(32)"
    op.execute(f"ALTER TABLE jobs ADD COLUMN retry_of {uuid}")
    # one statement that both databases know; SQLite adds a reference and a check only with their column
    op.execute(
        f"ALTER TABLE jobs ADD COLUMN items_from {uuid} "
        "CONSTRAINT fk_jobs_items_from REFERENCES jobs (id) "
        "CONSTRAINT ck_jobs_items_from CHECK (items_from IS NULL OR (retry_of IS NOT NULL AND planned_at IS NULL))"
    )
    op.create_index(
        "ix_jobs_retry_of",
        "jobs",
        ["retry_of"],
        unique=False,
        postgresql_where=sa.text("retry_of IS NOT NULL"),
        sqlite_where=sa.text("retry_of IS NOT NULL"),
    )
    op.create_index(
        "ix_jobs_items_from",
        "jobs",
        ["items_from"],
        unique=False,
        postgresql_where=sa.text("items_from IS NOT NULL"),
        sqlite_where=sa.text("items_from IS NOT NULL"),
    )
    op.add_column("items", sa.Column("file_key", sa.Text(), nullable=True))


def downgrade() -> None:
    op.drop_column("items", "file_key")
    op.drop_index("ix_jobs_items_from", table_name="jobs")
    op.drop_index("ix_jobs_retry_of", table_name="jobs")
    op.execute("ALTER TABLE jobs DROP COLUMN items_from")
    op.execute("ALTER TABLE jobs DROP COLUMN retry_of")
