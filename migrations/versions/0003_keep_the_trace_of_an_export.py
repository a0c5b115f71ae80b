"""Keep the trace of the request that created an export."""

from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None

LIKE = f"00-{'_' * 32}-{'_' * 16}-__"


def upgrade() -> None:
    # One statement that both databases know; SQLite adds a check only with its column. The previous release
    # goes on: it names its columns, and this one may be null. The lock's time-out is set by whoever migrates.
    op.execute(
        "ALTER TABLE jobs ADD COLUMN trace_parent TEXT "
        f"CONSTRAINT ck_jobs_trace_parent CHECK (trace_parent LIKE '{LIKE}')"
    )


def downgrade() -> None:
    op.execute("ALTER TABLE jobs DROP COLUMN trace_parent")
