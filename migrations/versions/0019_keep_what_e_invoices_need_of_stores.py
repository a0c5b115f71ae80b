"""Keep what e-invoices need to know of a store: its country, where orders keep numbers and units, what is untaxed."""

from alembic import op

revision = "0019"
down_revision = "0017"
branch_labels = None
depends_on = None

COLUMNS = {"country": "VARCHAR(2)", "vat_keys": "TEXT", "unit_keys": "TEXT", "untaxed": "TEXT"}


def upgrade() -> None:
    # Both databases know these statements. The previous release goes on: it names its columns.
    for name, kind in COLUMNS.items():
        op.execute(f"ALTER TABLE stores ADD COLUMN {name} {kind} NOT NULL DEFAULT ''")


def downgrade() -> None:
    for name in COLUMNS:
        op.execute(f"ALTER TABLE stores DROP COLUMN {name}")
