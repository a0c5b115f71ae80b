"""Migrations bring a database to the tables in the code, and nothing runs on a schema that is not its own."""

import json
import shutil
import sqlite3
import subprocess
import sys
from itertools import chain
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from alembic import command
from alembic.script import ScriptDirectory
from sqlalchemy import select

from app.database.engines import sync_engine
from app.database.migrating import _config, differences, upgrade
from app.database.revisions import SchemaOutdated, current, head, require_head, revisions
from app.database.tables import OrderRow, RefundRow
from app.orders.importing import Import
from tests.installation import EmbeddedInstallation
from tests.migrated import LIMITS
from tests.shop import order, orders

ROOT = Path(__file__).parents[2]

NEXT = '''"""Add a column."""

import sqlalchemy as sa
from alembic import op

revision = "next"
down_revision = "{head}"


def upgrade() -> None:
    op.add_column("facts", sa.Column("note", sa.Text()))
'''


def test_the_migrated_schema_is_the_tables_in_the_code(database_url):
    engine = sync_engine(database_url, LIMITS)
    assert current(engine) is None
    with pytest.raises(SchemaOutdated):
        require_head(engine)

    upgrade(engine)
    upgrade(engine)

    assert current(engine) == head()
    require_head(engine)
    assert differences(engine) == []
    engine.dispose()


def test_the_names_of_their_files_tell_the_revisions_in_alembics_order():
    scripts = ScriptDirectory(str(ROOT / "migrations"))

    assert [script.revision for script in scripts.walk_revisions()] == list(reversed(revisions()))


def test_a_host_may_start_again_on_the_schema_of_a_later_release(migrated_url):
    engine = sync_engine(migrated_url, LIMITS)
    with engine.begin() as connection:
        connection.exec_driver_sql("UPDATE alembic_version SET version_num = 'later'")

    try:
        require_head(engine)
    finally:
        with engine.begin() as connection:
            connection.exec_driver_sql(f"UPDATE alembic_version SET version_num = '{head()}'")
        engine.dispose()


def test_refunds_are_filled_in_as_an_import_writes_them(bench):
    """For whoever has imported orders before there were rows of refunds."""
    upload = Import(ZoneInfo("UTC"))
    texts = [(ROOT / "samples" / f"{name}.json").read_bytes() for name in ("orders", "refunds")]
    odd = [
        order(1, refunds=[None, {"id": 2, "refund": "old key", "total": "10.00"}]),
        order(2, refunds={"0": {"id": "4", "reason": "a gap", "total": "-1"}}),
    ]
    for batch in chain(*map(upload.feed, [*texts, json.dumps(odd).encode()]), upload.finish()):
        with bench.database.transaction() as tx:
            batch.store(tx, bench.store_id)
    written = refunds(bench)

    engine = sync_engine(bench.url, LIMITS)
    with engine.connect() as connection:
        command.downgrade(_config(connection), "0007")
    emptied = refunds(bench)
    upgrade(engine)
    engine.dispose()

    assert emptied == []
    assert refunds(bench) == written
    assert {row[0] for row in written} == {2, 4, 70431, 70811, 71321, 71322}
    assert [row[0] for row in written if row[1] is None] == [2, 4]


def test_parts_of_orders_are_filled_in_as_an_import_writes_them(bench):
    upload = Import(ZoneInfo("UTC"))
    parents = [order(1, parent_id=5002), order(2, parent_id=0), order(3, parent_id="5001"), order(4, parent_id=None)]
    for batch in chain(upload.feed(json.dumps([*parents, order(5)]).encode()), upload.finish()):
        with bench.database.transaction() as tx:
            batch.store(tx, bench.store_id)
    written = parents_of(bench)

    engine = sync_engine(bench.url, LIMITS)
    with engine.connect() as connection:
        command.downgrade(_config(connection), "0008")
    upgrade(engine)
    engine.dispose()

    assert written == {5001: 5002, 5002: None, 5003: 5001, 5004: None, 5005: None}
    assert parents_of(bench) == written


def parents_of(bench):
    """Which order each order is a part of, by the shop's ids."""
    with bench.database.reading() as tx:
        return {row.shop_id: row.parent_id for row in tx.scalars(select(OrderRow))}


def refunds(bench):
    """The rows of refunds, by the shop's ids."""
    with bench.database.reading() as tx:
        rows = tx.scalars(select(RefundRow).order_by(RefundRow.shop_id))
        return [(row.shop_id, row.created_at, row.total_sort, row.order_id) for row in rows]


@pytest.fixture
def next_release(tmp_path):
    """A copy of this release with one more migration."""
    tree = tmp_path / "next"
    for room in ("app", "worker", "migrations"):
        shutil.copytree(ROOT / room, tree / room, ignore=shutil.ignore_patterns("__pycache__"))
    (tree / "migrations" / "versions" / "next.py").write_text(NEXT.format(head=head()))
    return tree


def test_serve_backs_its_file_up_and_migrates_and_keeps_the_data(tmp_path, next_release, monkeypatch):
    data = tmp_path / "data"
    installation = EmbeddedInstallation({}, tmp_path)
    try:
        installation.serve("serve", "--data", str(data))
        with installation.owner() as client:
            client.load(orders(2))
        installation.end()
        monkeypatch.setattr("tests.installation.ROOT", next_release)
        installation.serve("serve", "--data", str(data))
        token = client.secret
        found = installation.owner("alice")
        with found:
            assert found.create()["state"] == "queued"
        assert token != found.secret
    finally:
        installation.end()

    (backup,) = data.glob(f"sheaf-{head()}-*.backup.db")
    with sqlite3.connect(backup) as old:
        assert old.execute("SELECT version_num FROM alembic_version").fetchone() == (head(),)
        assert old.execute("SELECT count(*) FROM orders").fetchone() == (2,)
    old.close()
    with sqlite3.connect(data / "sheaf.db") as new:
        assert new.execute("SELECT version_num FROM alembic_version").fetchone() == ("next",)
    new.close()


@pytest.mark.parametrize("command", ["api", "worker"])
def test_api_and_worker_refuse_a_schema_that_is_not_theirs(migrated_url, next_release, tmp_path, command):
    refused = subprocess.run(
        [sys.executable, "-m", "app.cli", command],
        cwd=next_release,
        env={
            "PATH": "/usr/bin:/bin",
            "SHEAF_DATABASE_URL": migrated_url,
            "SHEAF_ARTIFACTS": str(tmp_path / "artifacts"),
        },
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )

    assert refused.returncode == 1
    assert "sheaf db upgrade" in refused.stderr
    assert "Traceback" not in refused.stderr
