"""A job's trace: kept in one shape, unknown to the release before, told by the worker's log."""

import pytest
import structlog
from alembic import command
from pydantic import SecretStr
from sqlalchemy import select, text
from sqlalchemy.exc import IntegrityError
from structlog.testing import capture_logs

from app.artifacts.folder import FolderStore
from app.cli import composing
from app.database import migrating
from app.database.engines import sync_engine
from app.database.tables import JobRow
from app.domain.traces import TRACE_PARENT_LIKE
from app.messaging.broker import memory_broker
from app.settings import Settings
from tests.migrated import LIMITS

TRACE_ID = "0af7651916cd43dd8448eb211c80319c"
TRACE = f"00-{TRACE_ID}-b7ad6b7169203331-01"

OLD_INSERT = """
    INSERT INTO jobs (id, store_id, owner, idempotency_key, fingerprint, document_type, layout, selection, sort,
        checkpoint_every, state, revision, requested, rendered, failed, skipped, undated, steps_left, created_at)
    VALUES ('{id}', 1, 'o-{id}', 'k', 'f', 'invoice', 'separate', '{{}}', 'created',
        10, 'queued', 1, 0, 0, 0, 0, 0, 0, '2026-01-01T00:00:00.000000Z')
"""
"""What the release before sends, with the columns that it knows."""


@pytest.mark.parametrize("refused", ["", "x" * 55, TRACE[:-1], f"{TRACE}0", f"01{TRACE[2:]}", TRACE.replace("-", "_")])
def test_the_database_keeps_no_trace_of_another_shape(bench, refused):
    job = bench.submit()

    with pytest.raises(IntegrityError, match="trace_parent"):
        bench.sql(f"UPDATE jobs SET trace_parent = '{refused}'")

    assert bench.job(job).trace_parent is None


def test_the_previous_release_goes_on_while_the_column_comes(database_url):
    """Its rows stay, and it may go on to insert rows of its own."""
    engine = sync_engine(database_url, LIMITS)
    before, after = "0" * 31 + "1", "0" * 31 + "2"
    with engine.connect() as connection:
        command.upgrade(migrating._config(connection), "0002")
    with engine.begin() as connection:
        connection.execute(text("INSERT INTO stores VALUES (1,'s','s','','','en','UTC','A4',NULL,'2026-01-01Z')"))
        connection.execute(text(OLD_INSERT.format(id=before)))

    migrating.upgrade(engine)
    with engine.begin() as connection:
        connection.execute(text(OLD_INSERT.format(id=after)))

    with engine.begin() as connection:
        found = connection.execute(select(JobRow.id, JobRow.trace_parent).order_by(JobRow.id)).all()
    assert [(row.id.hex, row.trace_parent) for row in found] == [(before, None), (after, None)]
    assert migrating.differences(engine) == []
    engine.dispose()


def test_the_column_goes_as_it_came(database_url):
    engine = sync_engine(database_url, LIMITS)
    migrating.upgrade(engine)

    with engine.connect() as connection:
        command.downgrade(migrating._config(connection), "0002")
    has_gone = migrating.differences(engine) != []
    migrating.upgrade(engine)

    assert has_gone
    assert migrating.differences(engine) == []
    engine.dispose()


def test_the_migration_and_the_tables_ask_for_one_shape(bench):
    with bench.database.reading() as tx:
        if tx.get_bind().dialect.name == "sqlite":
            rule = tx.scalar(text("SELECT sql FROM sqlite_master WHERE name = 'jobs'"))
        else:
            rule = tx.scalar(
                text("SELECT pg_get_constraintdef(oid) FROM pg_constraint WHERE conname = 'ck_jobs_trace_parent'")
            )

    assert f"'{TRACE_PARENT_LIKE}'" in rule


def test_the_worker_tells_the_trace_of_the_job_that_it_works_on(bench, tmp_path):
    traced, untraced = bench.submit(), bench.submit()
    bench.sql(f"UPDATE jobs SET trace_parent = '{TRACE}' WHERE owner = 'owner-1'")
    settings = Settings(database_url=SecretStr(bench.url), worker_slots=1)
    worker = composing.build_worker(
        settings, database=bench.database, artifacts=FolderStore(tmp_path), broker=memory_broker()
    )
    worker.ability.can_render = True

    with capture_logs([structlog.contextvars.merge_contextvars]) as logged:
        worker.runner.work_until_idle()
    worker.context.pool.close()

    lines = {job: [line for line in logged if line.get("job_id") == str(job)] for job in (traced, untraced)}
    assert [line["event"] for line in lines[traced]] == ["step.claimed", "step.settled"]
    assert {line.get("trace_id") for line in lines[traced]} == {TRACE_ID}
    assert {line.get("trace_id") for line in lines[untraced]} == {None}
    assert bench.job(traced).failure_code == bench.job(untraced).failure_code == "selection_empty"
