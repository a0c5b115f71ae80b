"""Never use a step's id twice: it is the fence of its holder's writes and stands in the names of artifacts."""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None

INSTANT = sa.String(27)


def upgrade() -> None:
    _rebuild(is_counted=True)


def downgrade() -> None:
    _rebuild(is_counted=False)


def _rebuild(*, is_counted: bool) -> None:
    """SQLite gives the id of the newest row again once that row is gone, unless its table counts them."""
    if op.get_bind().dialect.name != "sqlite":
        return  # PostgreSQL's sequences never go back
    op.drop_index("ix_steps_open", table_name="steps")
    op.rename_table("steps", "old_steps")
    table = op.create_table(
        "steps",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("job_id", sa.Uuid(), nullable=False),
        sa.Column("kind", sa.String(16), nullable=False),
        sa.Column("ordinal", sa.Integer(), nullable=False),
        sa.Column("state", sa.String(16), nullable=False),
        sa.Column("attempt", sa.Integer(), nullable=False),
        sa.Column("holder", sa.Uuid(), nullable=True),
        sa.Column("host", sa.Text(), nullable=True),
        sa.Column("claimed_at", INSTANT, nullable=True),
        sa.Column("lease_until", INSTANT, nullable=True),
        sa.Column("not_before", INSTANT, nullable=True),
        sa.Column("lapses", sa.Integer(), nullable=False),
        sa.Column("first_item", sa.Integer(), nullable=False),
        sa.Column("last_item", sa.Integer(), nullable=False),
        sa.Column("artifact", sa.Text(), nullable=True),
        sa.CheckConstraint(
            "(state = 'claimed') = (lease_until IS NOT NULL) AND (state <> 'claimed' OR holder IS NOT NULL)",
            name=op.f("ck_steps_claimed_has_holder"),
        ),
        sa.CheckConstraint("kind IN ('package', 'plan', 'render')", name=op.f("ck_steps_kind")),
        sa.CheckConstraint("state IN ('claimed', 'done', 'ready')", name=op.f("ck_steps_state")),
        sa.ForeignKeyConstraint(["job_id"], ["jobs.id"], name=op.f("fk_steps_job_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_steps")),
        sa.UniqueConstraint("job_id", "kind", "ordinal", name=op.f("uq_steps_job_id_kind_ordinal")),
        sqlite_autoincrement=is_counted,
    )
    names = [column.name for column in table.columns]
    op.execute(table.insert().from_select(names, sa.select(sa.table("old_steps", *map(sa.column, names)))))
    op.drop_table("old_steps")
    op.create_index("ix_steps_open", "steps", ["job_id", "state"], sqlite_where=sa.text("state <> 'done'"))
