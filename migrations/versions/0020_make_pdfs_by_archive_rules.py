"""Keep by which rules an export's PDFs are made."""

from alembic import op

revision = "0020"
down_revision = "0019"
branch_labels = None
depends_on = None


def upgrade() -> None:
    # One statement that both databases know. The previous release goes on: it names its columns, and all its
    # exports have the usual PDFs.
    op.execute(
        "ALTER TABLE jobs ADD COLUMN pdf VARCHAR(16) NOT NULL DEFAULT 'standard' "
        "CONSTRAINT ck_jobs_pdf CHECK (pdf IN ('pdf_a_3b', 'pdf_ua_1', 'standard'))"
    )


def downgrade() -> None:
    op.execute("ALTER TABLE jobs DROP COLUMN pdf")
