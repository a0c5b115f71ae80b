"""The tables. What must never be, the database refuses: each rule is a named constraint."""

from datetime import datetime
from enum import StrEnum
from typing import Any
from uuid import UUID

from sqlalchemy import (
    BigInteger,
    CheckConstraint,
    Dialect,
    Double,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    String,
    Text,
    UniqueConstraint,
    Uuid,
    text,
)
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column
from sqlalchemy.types import TypeDecorator

from app.database.clock import Instant, now
from app.domain.filename_patterns import DEFAULT_PATTERN
from app.domain.layouts import COMBINED_PART
from app.domain.lifecycle import ACTIVE, JobState, Outcome, Phase, StepKind, StepState
from app.domain.pdf_variants import PdfVariant
from app.domain.store_settings import MissingGlyphs
from app.domain.traces import TRACE_PARENT_LIKE


class Word(TypeDecorator[Any]):
    """A `StrEnum` kept as its text and read back as the enum."""

    impl = String
    cache_ok = True

    def __init__(self, words: type[StrEnum]) -> None:
        super().__init__(16)
        self.words = words

    def process_bind_param(self, value: Any, dialect: Dialect) -> str | None:
        """Refuse what is not one of the words."""
        return None if value is None else str(self.words(value))

    def process_result_value(self, value: Any, dialect: Dialect) -> StrEnum | None:
        """The enum's member."""
        return None if value is None else self.words(value)


# Sorting by bytes, so that every database numbers the items of a job alike.
ByteText = Text(collation="C").with_variant(Text(), "sqlite")
# SQLite gives ids of its own only to a column that is exactly INTEGER.
BigId = BigInteger().with_variant(Integer(), "sqlite")


class Table(DeclarativeBase):
    """The one metadata that Alembic compares with the migrations."""

    metadata = MetaData(
        naming_convention={
            "ix": "ix_%(table_name)s_%(column_0_N_name)s",
            "uq": "uq_%(table_name)s_%(column_0_N_name)s",
            "ck": "ck_%(table_name)s_%(constraint_name)s",
            "fk": "fk_%(table_name)s_%(column_0_N_name)s",
            "pk": "pk_%(table_name)s",
        }
    )


def _one_of(column: str, words: Any) -> str:
    return f"{column} IN ({', '.join(repr(str(word)) for word in sorted(words))})"


class StoreRow(Table):
    """The shop whose orders it may see."""

    __tablename__ = "stores"

    id: Mapped[int] = mapped_column(Integer, primary_key=True)
    key: Mapped[str] = mapped_column(String(64), unique=True)
    name: Mapped[str] = mapped_column(Text)
    address: Mapped[str] = mapped_column(Text, default="")
    """Lines of text, separated by newlines."""
    tax_id: Mapped[str] = mapped_column(Text, default="")
    """A line for each, as `tax_id_text` writes them."""
    locale: Mapped[str] = mapped_column(String(35), default="en")
    time_zone: Mapped[str] = mapped_column(String(64), default="UTC")
    paper: Mapped[str] = mapped_column(String(8), default="A4")
    logo: Mapped[bytes | None] = mapped_column(LargeBinary, default=None)
    bank_lines: Mapped[str] = mapped_column(Text, default="", server_default="")
    footer: Mapped[str] = mapped_column(Text, default="", server_default="")
    accent: Mapped[str] = mapped_column(String(7), default="", server_default="")
    number_keys: Mapped[str] = mapped_column(Text, default="", server_default="")
    missing_glyphs: Mapped[str] = mapped_column(String(4), default="warn", server_default="warn")
    country: Mapped[str] = mapped_column(String(2), default="", server_default="")
    vat_keys: Mapped[str] = mapped_column(Text, default="", server_default="")
    unit_keys: Mapped[str] = mapped_column(Text, default="", server_default="")
    untaxed: Mapped[str] = mapped_column(Text, default="", server_default="")
    templates: Mapped[str] = mapped_column(Text, default="", server_default="")
    """JSON text of the store's own templates; empty if it has none."""
    created_at: Mapped[datetime] = mapped_column(Instant(), default=now())

    __table_args__ = (
        CheckConstraint("paper IN ('A4', 'Letter')", name="paper"),
        CheckConstraint(_one_of("missing_glyphs", MissingGlyphs), name="missing_glyphs"),
    )


class StoreVersionRow(Table):
    """A store's settings as they were between two changes; the store's own row is its newest version."""

    __tablename__ = "store_versions"

    store_id: Mapped[int] = mapped_column(ForeignKey("stores.id"), primary_key=True)
    number: Mapped[int] = mapped_column(Integer, primary_key=True, autoincrement=False)
    """From 1 in each store."""
    settings: Mapped[str] = mapped_column(Text, deferred=True)
    """JSON text, as a job freezes it; the logo in base64."""
    digest: Mapped[str] = mapped_column(String(64))
    """SHA-256 of `settings`."""
    changed_by: Mapped[str | None] = mapped_column(String(200), default=None)
    """The owner whose token did it; null for an operator, and for a release that wrote no versions."""
    changed_at: Mapped[datetime] = mapped_column(Instant(), default=now())


class TokenRow(Table):
    """A bearer token, kept only as its SHA-256: 256 random bits need no slow hash."""

    __tablename__ = "tokens"

    id: Mapped[int] = mapped_column(Integer, primary_key=True)
    store_id: Mapped[int] = mapped_column(ForeignKey("stores.id"))
    owner: Mapped[str] = mapped_column(String(200))
    digest: Mapped[str] = mapped_column(String(64), unique=True)
    hint: Mapped[str] = mapped_column(String(16))
    """The first characters, so that a person can tell tokens apart."""
    rights: Mapped[str] = mapped_column(String(100))
    created_at: Mapped[datetime] = mapped_column(Instant(), default=now())
    expires_at: Mapped[datetime | None] = mapped_column(Instant(), default=None)
    revoked_at: Mapped[datetime | None] = mapped_column(Instant(), default=None)


class SessionRow(Table):
    """A sign-in to the console with a token, kept only as the SHA-256 of its cookie."""

    __tablename__ = "sessions"

    digest: Mapped[str] = mapped_column(String(64), primary_key=True)
    token_id: Mapped[int] = mapped_column(ForeignKey("tokens.id", ondelete="CASCADE"))
    """The session lives no longer than its token."""
    created_at: Mapped[datetime] = mapped_column(Instant(), default=now())
    expires_at: Mapped[datetime] = mapped_column(Instant())

    __table_args__ = (Index(None, "token_id"), Index(None, "expires_at"))


class OrderRow(Table):
    """An order's newest version, with what selections and sorts need in columns."""

    __tablename__ = "orders"

    id: Mapped[int] = mapped_column(BigId, primary_key=True)
    store_id: Mapped[int] = mapped_column(ForeignKey("stores.id"))
    shop_id: Mapped[int] = mapped_column(BigInteger)
    """The shop's own id of the order."""
    version_id: Mapped[int | None] = mapped_column(BigInteger)
    parent_id: Mapped[int | None] = mapped_column(BigInteger, default=None)
    """The shop's id of the order that this one is a part of, as marketplaces split them; null for all others."""
    number: Mapped[str] = mapped_column(Text)
    number_sort: Mapped[str] = mapped_column(ByteText)
    status: Mapped[str] = mapped_column(Text)
    created_at: Mapped[datetime | None] = mapped_column(Instant())
    """The shop's creation instant; null matches no range."""
    modified_at: Mapped[datetime | None] = mapped_column(Instant())
    customer_id: Mapped[int | None] = mapped_column(BigInteger)
    customer: Mapped[str] = mapped_column(Text)
    customer_sort: Mapped[str] = mapped_column(ByteText)
    currency: Mapped[str] = mapped_column(Text)
    country: Mapped[str] = mapped_column(Text)
    total_sort: Mapped[float | None] = mapped_column(Double())
    """For sorting only; amounts are read from the version's text."""
    file_stem: Mapped[str] = mapped_column(Text)
    file_key: Mapped[str] = mapped_column(Text)

    __table_args__ = (
        UniqueConstraint("store_id", "shop_id"),
        Index(None, "store_id", "created_at"),
        Index(None, "store_id", "number"),
        Index(None, "store_id", "status"),
        Index(None, "store_id", "customer_id"),
    )


class OrderVersionRow(Table):
    """The immutable content of an order as imported once. Items are rendered from it."""

    __tablename__ = "order_versions"

    id: Mapped[int] = mapped_column(BigId, primary_key=True)
    order_id: Mapped[int] = mapped_column(ForeignKey("orders.id", ondelete="CASCADE"))
    content_hash: Mapped[str] = mapped_column(String(64))
    payload: Mapped[str] = mapped_column(Text)
    """JSON text, since PostgreSQL's JSONB refuses an escaped NUL."""
    refunds: Mapped[str] = mapped_column(Text, default="")
    """The full refund objects kept under the order: a line each, its id, a space, its JSON text."""
    imported_at: Mapped[datetime] = mapped_column(Instant(), default=now())

    __table_args__ = (UniqueConstraint("order_id", "content_hash"),)


class RefundRow(Table):
    """A refund of an order's newest version, with what selections and sorts of credit notes need in columns."""

    __tablename__ = "refunds"

    order_id: Mapped[int] = mapped_column(ForeignKey("orders.id", ondelete="CASCADE"), primary_key=True)
    shop_id: Mapped[int] = mapped_column(BigInteger, primary_key=True)
    """The shop's own id of the refund."""
    created_at: Mapped[datetime | None] = mapped_column(Instant())
    """The refund's instant; null matches no range."""
    total_sort: Mapped[float | None] = mapped_column(Double())
    """For sorting only, negative; amounts are read from the version's text."""

    __table_args__ = (Index(None, "created_at"),)


class JobRow(Table):
    """One export that one owner asked for. This row is the job's mutex."""

    __tablename__ = "jobs"

    id: Mapped[UUID] = mapped_column(Uuid(), primary_key=True)
    store_id: Mapped[int] = mapped_column(ForeignKey("stores.id"))
    owner: Mapped[str] = mapped_column(String(200))
    idempotency_key: Mapped[str] = mapped_column(String(255))
    fingerprint: Mapped[str] = mapped_column(String(64))

    document_type: Mapped[str] = mapped_column(String(32))
    layout: Mapped[str] = mapped_column(String(16))
    combined_part: Mapped[int] = mapped_column(Integer, default=COMBINED_PART, server_default=text(str(COMBINED_PART)))
    """Documents that one combined PDF holds at most."""
    filename_pattern: Mapped[str] = mapped_column(
        Text, default=DEFAULT_PATTERN, server_default=text(f"'{DEFAULT_PATTERN}'")
    )
    pdf: Mapped[str] = mapped_column(
        String(16), default=PdfVariant.STANDARD, server_default=text(f"'{PdfVariant.STANDARD}'")
    )
    """A `PdfVariant`."""
    selection: Mapped[str] = mapped_column(Text)
    """JSON text of `Selection.to_json`."""
    sort: Mapped[str] = mapped_column(String(16))
    checkpoint_every: Mapped[int] = mapped_column(Integer)
    store_settings: Mapped[str | None] = mapped_column(Text, default=None, deferred=True)
    """JSON text of the store's settings, frozen at planning; with the logo in base64 too large to read unasked."""
    store_version: Mapped[int | None] = mapped_column(Integer, default=None)
    """The number of these settings; null until planning, and where the release before this one planned."""
    trace_parent: Mapped[str | None] = mapped_column(Text, default=None)
    """The W3C trace of the request that created it, as a link."""
    retry_of: Mapped[UUID | None] = mapped_column(Uuid(), default=None)
    """The export that its owner retried. A link and no reference: it outlives what it names."""
    items_from: Mapped[UUID | None] = mapped_column(ForeignKey("jobs.id"), default=None)
    """Where a retry will take its items when it is planned: that job must stay until then."""

    state: Mapped[JobState] = mapped_column(Word(JobState), default=JobState.QUEUED)
    phase: Mapped[Phase | None] = mapped_column(Word(Phase), default=None)
    revision: Mapped[int] = mapped_column(Integer, default=1)
    """Grows with every visible change."""
    requested: Mapped[int] = mapped_column(Integer, default=0)
    rendered: Mapped[int] = mapped_column(Integer, default=0)
    failed: Mapped[int] = mapped_column(Integer, default=0)
    skipped: Mapped[int] = mapped_column(Integer, default=0)
    settled_most: Mapped[int] = mapped_column(Integer, default=0, server_default=text("0"))
    """Items that were settled when steps were opened again: what owners see of progress never goes back."""
    undated: Mapped[int] = mapped_column(Integer, default=0)
    """Orders of the store that have no date and so matched no range."""
    steps_left: Mapped[int] = mapped_column(Integer, default=0)
    """Render steps not yet done; a count inside the updating statement would be stale."""
    failure_code: Mapped[str | None] = mapped_column(String(64), default=None)
    failure_note: Mapped[str | None] = mapped_column(Text, default=None)
    """What an operator who ended it wants its owner to know."""
    waiting_for: Mapped[str | None] = mapped_column(String(32), default=None)

    archive_key: Mapped[str | None] = mapped_column(Text, default=None)
    archive_bytes: Mapped[int | None] = mapped_column(BigInteger, default=None)
    archive_sha256: Mapped[str | None] = mapped_column(String(64), default=None)

    created_at: Mapped[datetime] = mapped_column(Instant(), default=now())
    started_at: Mapped[datetime | None] = mapped_column(Instant(), default=None)
    planned_at: Mapped[datetime | None] = mapped_column(Instant(), default=None)
    progressed_at: Mapped[datetime | None] = mapped_column(Instant(), default=None)
    """The last checkpoint; `run_ttl` counts from it."""
    served_at: Mapped[datetime | None] = mapped_column(Instant(), default=None)
    """The last claim; the job served longest ago comes first."""
    cancel_requested_at: Mapped[datetime | None] = mapped_column(Instant(), default=None)
    finished_at: Mapped[datetime | None] = mapped_column(Instant(), default=None)
    expires_at: Mapped[datetime | None] = mapped_column(Instant(), default=None)
    """When new downloads of the archive end."""

    __table_args__ = (
        # The same key again is the same job, not a second one.
        UniqueConstraint("store_id", "owner", "idempotency_key"),
        # One active export per owner.
        Index(
            "uq_jobs_active_owner",
            "store_id",
            "owner",
            unique=True,
            postgresql_where=text(_one_of("state", ACTIVE)),
            sqlite_where=text(_one_of("state", ACTIVE)),
        ),
        Index("ix_jobs_owner_newest", "store_id", "owner", "created_at", "id"),
        # Workers look for active jobs only; the finished ones are many.
        Index(
            "ix_jobs_active",
            "served_at",
            postgresql_where=text(_one_of("state", ACTIVE)),
            sqlite_where=text(_one_of("state", ACTIVE)),
        ),
        # Few jobs are retries; their parents' lists and ends ask for them.
        Index(
            "ix_jobs_retry_of",
            "retry_of",
            postgresql_where=text("retry_of IS NOT NULL"),
            sqlite_where=text("retry_of IS NOT NULL"),
        ),
        Index(
            "ix_jobs_items_from",
            "items_from",
            postgresql_where=text("items_from IS NOT NULL"),
            sqlite_where=text("items_from IS NOT NULL"),
        ),
        CheckConstraint(_one_of("state", JobState), name="state"),
        CheckConstraint(f"phase IS NULL OR {_one_of('phase', Phase)}", name="phase"),
        # Progress never exceeds what was asked for.
        CheckConstraint("rendered + failed + skipped <= requested", name="counts"),
        # Nothing is silently missing from a completed job.
        CheckConstraint(
            "state <> 'completed' OR (rendered + failed + skipped = requested AND rendered >= 1 "
            "AND archive_key IS NOT NULL AND archive_sha256 IS NOT NULL AND steps_left = 0)",
            name="completed_is_whole",
        ),
        CheckConstraint("(state = 'failed') = (failure_code IS NOT NULL)", name="failure_has_code"),
        CheckConstraint(
            f"({_one_of('state', set(JobState) - ACTIVE)}) = (finished_at IS NOT NULL)", name="finished_has_time"
        ),
        # Once a retry is planned it needs nothing of its parent.
        CheckConstraint("items_from IS NULL OR (retry_of IS NOT NULL AND planned_at IS NULL)", name="items_from"),
        # Its ids are found by their places.
        CheckConstraint(f"trace_parent LIKE '{TRACE_PARENT_LIKE}'", name="trace_parent"),
    )


class StepRow(Table):
    """What a worker claims. `attempt` only grows and is the fence of every write."""

    __tablename__ = "steps"

    id: Mapped[int] = mapped_column(BigId, primary_key=True)
    job_id: Mapped[UUID] = mapped_column(ForeignKey("jobs.id", ondelete="CASCADE"))
    kind: Mapped[StepKind] = mapped_column(Word(StepKind))
    ordinal: Mapped[int] = mapped_column(Integer)
    state: Mapped[StepState] = mapped_column(Word(StepState), default=StepState.READY)
    attempt: Mapped[int] = mapped_column(Integer, default=0)
    holder: Mapped[UUID | None] = mapped_column(Uuid(), default=None)
    host: Mapped[str | None] = mapped_column(Text, default=None)
    claimed_at: Mapped[datetime | None] = mapped_column(Instant(), default=None)
    lease_until: Mapped[datetime | None] = mapped_column(Instant(), default=None)
    not_before: Mapped[datetime | None] = mapped_column(Instant(), default=None)
    lapses: Mapped[int] = mapped_column(Integer, default=0)
    first_item: Mapped[int] = mapped_column(Integer, default=0)
    last_item: Mapped[int] = mapped_column(Integer, default=0)
    artifact: Mapped[str | None] = mapped_column(Text, default=None)

    __table_args__ = (
        # Two last checkpoints make one package step.
        UniqueConstraint("job_id", "kind", "ordinal"),
        Index(
            "ix_steps_open",
            "job_id",
            "state",
            postgresql_where=text("state <> 'done'"),
            sqlite_where=text("state <> 'done'"),
        ),
        Index(
            "ix_steps_next",
            "job_id",
            "ordinal",
            postgresql_where=text("state <> 'done'"),
            sqlite_where=text("state <> 'done'"),
        ),
        CheckConstraint(_one_of("kind", StepKind), name="kind"),
        CheckConstraint(_one_of("state", StepState), name="state"),
        # A done step keeps its holder, so that a repeated checkpoint is recognised as its own.
        CheckConstraint(
            "(state = 'claimed') = (lease_until IS NOT NULL) AND (state <> 'claimed' OR holder IS NOT NULL)",
            name="claimed_has_holder",
        ),
        # SQLite would give the id of a package step that was taken away to the next step, and with it the
        # right to its holder's writes and the names of its artifacts.
        {"sqlite_autoincrement": True},
    )


class ItemRow(Table):
    """One document to be made in one job, and what became of it."""

    __tablename__ = "items"

    job_id: Mapped[UUID] = mapped_column(ForeignKey("jobs.id", ondelete="CASCADE"), primary_key=True)
    ordinal: Mapped[int] = mapped_column(Integer, primary_key=True)
    """From 1, in the order of the selection's sort; a retry keeps its parent's."""
    order_version_id: Mapped[int | None] = mapped_column(ForeignKey("order_versions.id"))
    """Null only for an order that was asked for by name and does not exist, or that was erased since."""
    order_id: Mapped[int | None] = mapped_column(BigInteger)
    """The shop's id of the order."""
    refund_id: Mapped[int | None] = mapped_column(BigInteger, default=None)
    """The shop's id of the refund that a credit note is for; null for other types."""
    number: Mapped[str] = mapped_column(Text, default="")
    outcome: Mapped[Outcome] = mapped_column(Word(Outcome), default=Outcome.PENDING)
    code: Mapped[str | None] = mapped_column(String(64), default=None)
    reason: Mapped[str | None] = mapped_column(Text, default=None)
    strikes: Mapped[int] = mapped_column(Integer, default=0)
    file_name: Mapped[str] = mapped_column(Text, default="")
    """Settled at planning for every item, used if it is rendered; empty once its order was erased."""
    file_key: Mapped[str | None] = mapped_column(Text, default=None)
    """What its name is compared by; null for one without an order, and for one that an earlier release planned."""
    date: Mapped[str] = mapped_column(Text, default="")
    customer: Mapped[str] = mapped_column(Text, default="")
    country: Mapped[str] = mapped_column(Text, default="")
    currency: Mapped[str] = mapped_column(Text, default="")
    net: Mapped[str] = mapped_column(Text, default="")
    tax: Mapped[str] = mapped_column(Text, default="")
    total: Mapped[str] = mapped_column(Text, default="")
    pages: Mapped[int | None] = mapped_column(Integer, default=None)
    bytes: Mapped[int | None] = mapped_column(BigInteger, default=None)
    sha256: Mapped[str | None] = mapped_column(String(64), default=None)
    warnings: Mapped[str | None] = mapped_column(Text, default=None)
    """JSON text: a list of sentences; null if none."""

    __table_args__ = (
        Index(None, "order_version_id"),
        Index(
            "ix_items_not_rendered",
            "job_id",
            "ordinal",
            postgresql_where=text("outcome IN ('failed', 'skipped')"),
            sqlite_where=text("outcome IN ('failed', 'skipped')"),
        ),
        Index(
            "ix_items_warned",
            "job_id",
            "ordinal",
            postgresql_where=text("warnings IS NOT NULL"),
            sqlite_where=text("warnings IS NOT NULL"),
        ),
        CheckConstraint(_one_of("outcome", Outcome), name="outcome"),
        CheckConstraint("(outcome IN ('failed', 'skipped')) = (code IS NOT NULL)", name="not_rendered_has_code"),
        CheckConstraint(
            "outcome <> 'rendered' OR (sha256 IS NOT NULL AND bytes IS NOT NULL AND pages IS NOT NULL)",
            name="rendered_has_document",
        ),
    )


class DeletedJobRow(Table):
    """The id of a job that its owner deleted, and nothing else of it.

    Ids follow from idempotency keys. Remembered, no later job has the same one: what is late, be it a
    create that was sent again or a worker that stood still, meets nobody else's work.
    """

    __tablename__ = "deleted_jobs"

    id: Mapped[UUID] = mapped_column(Uuid(), primary_key=True)
    deleted_at: Mapped[datetime] = mapped_column(Instant(), default=now())


class HostRow(Table):
    """One worker process on one machine, with its abilities and its last sign of life."""

    __tablename__ = "hosts"

    id: Mapped[UUID] = mapped_column(Uuid(), primary_key=True)
    name: Mapped[str] = mapped_column(Text)
    can_render: Mapped[bool] = mapped_column()
    slots: Mapped[int] = mapped_column(Integer)
    started_at: Mapped[datetime] = mapped_column(Instant(), default=now())
    seen_at: Mapped[datetime] = mapped_column(Instant(), default=now())


class LeaseRow(Table):
    """A named duty that one process at a time holds, such as the reconciler's."""

    __tablename__ = "leases"

    name: Mapped[str] = mapped_column(String(32), primary_key=True)
    holder: Mapped[UUID] = mapped_column(Uuid())
    lease_until: Mapped[datetime] = mapped_column(Instant())


class FactRow(Table):
    """A fact of the whole installation, such as the id of the artifacts folder."""

    __tablename__ = "facts"

    name: Mapped[str] = mapped_column(String(32), primary_key=True)
    value: Mapped[str] = mapped_column(Text)
