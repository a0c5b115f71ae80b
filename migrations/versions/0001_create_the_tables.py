"""Create the tables."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None

INSTANT = sa.DateTime(timezone=True).with_variant(sa.String(27), "sqlite")
BIG_ID = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
BYTE_TEXT = sa.Text(collation="C").with_variant(sa.Text(), "sqlite")


def upgrade() -> None:
    op.create_table(
        "facts",
        sa.Column("name", sa.String(length=32), nullable=False),
        sa.Column("value", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("name", name=op.f("pk_facts")),
    )
    op.create_table(
        "hosts",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("can_render", sa.Boolean(), nullable=False),
        sa.Column("slots", sa.Integer(), nullable=False),
        sa.Column("started_at", INSTANT, nullable=False),
        sa.Column("seen_at", INSTANT, nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_hosts")),
    )
    op.create_table(
        "leases",
        sa.Column("name", sa.String(length=32), nullable=False),
        sa.Column("holder", sa.Uuid(), nullable=False),
        sa.Column("lease_until", INSTANT, nullable=False),
        sa.PrimaryKeyConstraint("name", name=op.f("pk_leases")),
    )
    op.create_table(
        "stores",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("key", sa.String(length=64), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("address", sa.Text(), nullable=False),
        sa.Column("tax_id", sa.Text(), nullable=False),
        sa.Column("locale", sa.String(length=35), nullable=False),
        sa.Column("time_zone", sa.String(length=64), nullable=False),
        sa.Column("paper", sa.String(length=8), nullable=False),
        sa.Column("logo", sa.LargeBinary(), nullable=True),
        sa.Column("created_at", INSTANT, nullable=False),
        sa.CheckConstraint("paper IN ('A4', 'Letter')", name=op.f("ck_stores_paper")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_stores")),
        sa.UniqueConstraint("key", name=op.f("uq_stores_key")),
    )
    op.create_table(
        "jobs",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("store_id", sa.Integer(), nullable=False),
        sa.Column("owner", sa.String(length=200), nullable=False),
        sa.Column("idempotency_key", sa.String(length=255), nullable=False),
        sa.Column("fingerprint", sa.String(length=64), nullable=False),
        sa.Column("document_type", sa.String(length=32), nullable=False),
        sa.Column("layout", sa.String(length=16), nullable=False),
        sa.Column("selection", sa.Text(), nullable=False),
        sa.Column("sort", sa.String(length=16), nullable=False),
        sa.Column("checkpoint_every", sa.Integer(), nullable=False),
        sa.Column("store_settings", sa.Text(), nullable=True),
        sa.Column("state", sa.String(16), nullable=False),
        sa.Column("phase", sa.String(16), nullable=True),
        sa.Column("revision", sa.Integer(), nullable=False),
        sa.Column("requested", sa.Integer(), nullable=False),
        sa.Column("rendered", sa.Integer(), nullable=False),
        sa.Column("failed", sa.Integer(), nullable=False),
        sa.Column("skipped", sa.Integer(), nullable=False),
        sa.Column("undated", sa.Integer(), nullable=False),
        sa.Column("steps_left", sa.Integer(), nullable=False),
        sa.Column("failure_code", sa.String(length=64), nullable=True),
        sa.Column("waiting_for", sa.String(length=32), nullable=True),
        sa.Column("archive_key", sa.Text(), nullable=True),
        sa.Column("archive_bytes", sa.BigInteger(), nullable=True),
        sa.Column("archive_sha256", sa.String(length=64), nullable=True),
        sa.Column("created_at", INSTANT, nullable=False),
        sa.Column("started_at", INSTANT, nullable=True),
        sa.Column("planned_at", INSTANT, nullable=True),
        sa.Column("progressed_at", INSTANT, nullable=True),
        sa.Column("served_at", INSTANT, nullable=True),
        sa.Column("cancel_requested_at", INSTANT, nullable=True),
        sa.Column("finished_at", INSTANT, nullable=True),
        sa.Column("expires_at", INSTANT, nullable=True),
        sa.CheckConstraint("(state = 'failed') = (failure_code IS NOT NULL)", name=op.f("ck_jobs_failure_has_code")),
        sa.CheckConstraint(
            "(state IN ('cancelled', 'completed', 'failed')) = (finished_at IS NOT NULL)",
            name=op.f("ck_jobs_finished_has_time"),
        ),
        sa.CheckConstraint(
            "phase IS NULL OR phase IN ('packaging', 'rendering', 'selecting')", name=op.f("ck_jobs_phase")
        ),
        sa.CheckConstraint(
            "state <> 'completed' OR (rendered + failed + skipped = requested AND rendered >= 1 "
            "AND archive_key IS NOT NULL AND archive_sha256 IS NOT NULL AND steps_left = 0)",
            name=op.f("ck_jobs_completed_is_whole"),
        ),
        sa.CheckConstraint(
            "state IN ('cancelled', 'cancelling', 'completed', 'failed', 'processing', 'queued')",
            name=op.f("ck_jobs_state"),
        ),
        sa.CheckConstraint("rendered + failed + skipped <= requested", name=op.f("ck_jobs_counts")),
        sa.ForeignKeyConstraint(["store_id"], ["stores.id"], name=op.f("fk_jobs_store_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_jobs")),
        sa.UniqueConstraint(
            "store_id", "owner", "idempotency_key", name=op.f("uq_jobs_store_id_owner_idempotency_key")
        ),
    )
    op.create_index(
        "ix_jobs_active",
        "jobs",
        ["served_at"],
        unique=False,
        postgresql_where=sa.text("state IN ('cancelling', 'processing', 'queued')"),
        sqlite_where=sa.text("state IN ('cancelling', 'processing', 'queued')"),
    )
    op.create_index("ix_jobs_owner_newest", "jobs", ["store_id", "owner", "created_at", "id"], unique=False)
    op.create_index(
        "uq_jobs_active_owner",
        "jobs",
        ["store_id", "owner"],
        unique=True,
        postgresql_where=sa.text("state IN ('cancelling', 'processing', 'queued')"),
        sqlite_where=sa.text("state IN ('cancelling', 'processing', 'queued')"),
    )
    op.create_table(
        "orders",
        sa.Column("id", BIG_ID, nullable=False),
        sa.Column("store_id", sa.Integer(), nullable=False),
        sa.Column("shop_id", sa.BigInteger(), nullable=False),
        sa.Column("version_id", sa.BigInteger(), nullable=True),
        sa.Column("number", sa.Text(), nullable=False),
        sa.Column("number_sort", BYTE_TEXT, nullable=False),
        sa.Column("status", sa.Text(), nullable=False),
        sa.Column("created_at", INSTANT, nullable=True),
        sa.Column("modified_at", INSTANT, nullable=True),
        sa.Column("customer_id", sa.BigInteger(), nullable=True),
        sa.Column("customer", sa.Text(), nullable=False),
        sa.Column("customer_sort", BYTE_TEXT, nullable=False),
        sa.Column("currency", sa.Text(), nullable=False),
        sa.Column("country", sa.Text(), nullable=False),
        sa.Column("total_sort", sa.Double(), nullable=True),
        sa.Column("file_stem", sa.Text(), nullable=False),
        sa.Column("file_key", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["store_id"], ["stores.id"], name=op.f("fk_orders_store_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_orders")),
        sa.UniqueConstraint("store_id", "shop_id", name=op.f("uq_orders_store_id_shop_id")),
    )
    op.create_index(op.f("ix_orders_store_id_created_at"), "orders", ["store_id", "created_at"], unique=False)
    op.create_index(op.f("ix_orders_store_id_customer_id"), "orders", ["store_id", "customer_id"], unique=False)
    op.create_index(op.f("ix_orders_store_id_number"), "orders", ["store_id", "number"], unique=False)
    op.create_index(op.f("ix_orders_store_id_status"), "orders", ["store_id", "status"], unique=False)
    op.create_table(
        "tokens",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("store_id", sa.Integer(), nullable=False),
        sa.Column("owner", sa.String(length=200), nullable=False),
        sa.Column("digest", sa.String(length=64), nullable=False),
        sa.Column("hint", sa.String(length=16), nullable=False),
        sa.Column("rights", sa.String(length=100), nullable=False),
        sa.Column("created_at", INSTANT, nullable=False),
        sa.Column("expires_at", INSTANT, nullable=True),
        sa.Column("revoked_at", INSTANT, nullable=True),
        sa.ForeignKeyConstraint(["store_id"], ["stores.id"], name=op.f("fk_tokens_store_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_tokens")),
        sa.UniqueConstraint("digest", name=op.f("uq_tokens_digest")),
    )
    op.create_table(
        "order_versions",
        sa.Column("id", BIG_ID, nullable=False),
        sa.Column("order_id", BIG_ID, nullable=False),
        sa.Column("content_hash", sa.String(length=64), nullable=False),
        sa.Column("payload", sa.Text(), nullable=False),
        sa.Column("refunds", sa.Text(), nullable=False),
        sa.Column("imported_at", INSTANT, nullable=False),
        sa.ForeignKeyConstraint(
            ["order_id"], ["orders.id"], name=op.f("fk_order_versions_order_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_order_versions")),
        sa.UniqueConstraint("order_id", "content_hash", name=op.f("uq_order_versions_order_id_content_hash")),
    )
    op.create_table(
        "steps",
        sa.Column("id", BIG_ID, nullable=False),
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
    )
    op.create_index(
        "ix_steps_open",
        "steps",
        ["job_id", "state"],
        unique=False,
        postgresql_where=sa.text("state <> 'done'"),
        sqlite_where=sa.text("state <> 'done'"),
    )
    op.create_table(
        "items",
        sa.Column("job_id", sa.Uuid(), nullable=False),
        sa.Column("ordinal", sa.Integer(), nullable=False),
        sa.Column("order_version_id", BIG_ID, nullable=True),
        sa.Column("order_id", sa.BigInteger(), nullable=True),
        sa.Column("number", sa.Text(), nullable=False),
        sa.Column("outcome", sa.String(16), nullable=False),
        sa.Column("code", sa.String(length=64), nullable=True),
        sa.Column("reason", sa.Text(), nullable=True),
        sa.Column("strikes", sa.Integer(), nullable=False),
        sa.Column("file_name", sa.Text(), nullable=False),
        sa.Column("date", sa.Text(), nullable=False),
        sa.Column("customer", sa.Text(), nullable=False),
        sa.Column("country", sa.Text(), nullable=False),
        sa.Column("currency", sa.Text(), nullable=False),
        sa.Column("net", sa.Text(), nullable=False),
        sa.Column("tax", sa.Text(), nullable=False),
        sa.Column("total", sa.Text(), nullable=False),
        sa.Column("pages", sa.Integer(), nullable=True),
        sa.Column("bytes", sa.BigInteger(), nullable=True),
        sa.Column("sha256", sa.String(length=64), nullable=True),
        sa.Column("warnings", sa.Text(), nullable=True),
        sa.CheckConstraint(
            "(outcome IN ('failed', 'skipped')) = (code IS NOT NULL)", name=op.f("ck_items_not_rendered_has_code")
        ),
        sa.CheckConstraint(
            "outcome <> 'rendered' OR (sha256 IS NOT NULL AND bytes IS NOT NULL AND pages IS NOT NULL)",
            name=op.f("ck_items_rendered_has_document"),
        ),
        sa.CheckConstraint("outcome IN ('failed', 'pending', 'rendered', 'skipped')", name=op.f("ck_items_outcome")),
        sa.ForeignKeyConstraint(["job_id"], ["jobs.id"], name=op.f("fk_items_job_id"), ondelete="CASCADE"),
        sa.ForeignKeyConstraint(["order_version_id"], ["order_versions.id"], name=op.f("fk_items_order_version_id")),
        sa.PrimaryKeyConstraint("job_id", "ordinal", name=op.f("pk_items")),
    )
    op.create_index(
        "ix_items_not_rendered",
        "items",
        ["job_id", "ordinal"],
        unique=False,
        postgresql_where=sa.text("outcome IN ('failed', 'skipped')"),
        sqlite_where=sa.text("outcome IN ('failed', 'skipped')"),
    )
    op.create_index(op.f("ix_items_order_version_id"), "items", ["order_version_id"], unique=False)


def downgrade() -> None:
    op.drop_index(op.f("ix_items_order_version_id"), table_name="items")
    op.drop_index(
        "ix_items_not_rendered",
        table_name="items",
        postgresql_where=sa.text("outcome IN ('failed', 'skipped')"),
        sqlite_where=sa.text("outcome IN ('failed', 'skipped')"),
    )
    op.drop_table("items")
    op.drop_index(
        "ix_steps_open",
        table_name="steps",
        postgresql_where=sa.text("state <> 'done'"),
        sqlite_where=sa.text("state <> 'done'"),
    )
    op.drop_table("steps")
    op.drop_table("order_versions")
    op.drop_table("tokens")
    op.drop_index(op.f("ix_orders_store_id_status"), table_name="orders")
    op.drop_index(op.f("ix_orders_store_id_number"), table_name="orders")
    op.drop_index(op.f("ix_orders_store_id_customer_id"), table_name="orders")
    op.drop_index(op.f("ix_orders_store_id_created_at"), table_name="orders")
    op.drop_table("orders")
    op.drop_index(
        "uq_jobs_active_owner",
        table_name="jobs",
        postgresql_where=sa.text("state IN ('cancelling', 'processing', 'queued')"),
        sqlite_where=sa.text("state IN ('cancelling', 'processing', 'queued')"),
    )
    op.drop_index("ix_jobs_owner_newest", table_name="jobs")
    op.drop_index(
        "ix_jobs_active",
        table_name="jobs",
        postgresql_where=sa.text("state IN ('cancelling', 'processing', 'queued')"),
        sqlite_where=sa.text("state IN ('cancelling', 'processing', 'queued')"),
    )
    op.drop_table("jobs")
    op.drop_table("stores")
    op.drop_table("leases")
    op.drop_table("hosts")
    op.drop_table("facts")
