"""What an engine is set to, where it matters to people."""

import psycopg
import pytest
from sqlalchemy import event, text
from sqlalchemy.exc import DBAPIError

from app.database import engines
from app.database.engines import sync_engine
from app.database.transactions import Database
from tests.migrated import LIMITS


def test_an_errors_text_holds_no_parameter(bench):
    with pytest.raises(DBAPIError) as failed, bench.database.transaction() as tx:
        tx.execute(text("SELECT :name FROM no_such_table"), {"name": "greta@example.com"})

    assert "no_such_table" in str(failed.value)
    assert "greta" not in str(failed.value)


def test_a_reading_transaction_writes_nothing_on_a_server(bench, migrated_url):
    if migrated_url.startswith("sqlite"):
        # it begins without the write lock, so that a writer is not in its way
        with bench.database.transaction(), bench.database.reading() as tx:
            assert tx.scalar(text("SELECT count(*) FROM stores")) == 1
        return
    with pytest.raises(DBAPIError, match="read-only"), bench.database.reading() as tx:
        tx.execute(text("DELETE FROM tokens"))


@pytest.fixture
def server_engine(postgres_server):
    engine = sync_engine(postgres_server.url(postgres_server.create_database()), LIMITS)
    yield engine
    engine.dispose()


def test_a_connection_whose_server_process_ended_while_it_was_idle_is_replaced_unseen(server_engine, monkeypatch):
    monkeypatch.setattr(engines, "ASK_AFTER", 0.0)
    database = Database(server_engine)
    with database.reading() as tx:
        backend = tx.scalar(text("SELECT pg_backend_pid()"))
    with psycopg.connect(host="127.0.0.1", port=server_engine.url.port, user="sheaf", dbname="postgres") as other:
        other.execute("SELECT pg_terminate_backend(%s, 5000)", [backend])

    with database.reading() as tx:
        another = tx.scalar(text("SELECT pg_backend_pid()"))

    assert another != backend


def test_a_busy_connection_is_not_asked_again_and_again(server_engine, monkeypatch):
    asked = []
    monkeypatch.setattr(server_engine.dialect, "do_ping", asked.append)
    database = Database(server_engine)

    for _ in range(3):
        with database.reading() as tx:
            tx.scalar(text("SELECT 1"))

    assert asked == []


def test_a_transaction_costs_two_messages_beside_its_statements(server_engine):
    sent = []
    event.listen(server_engine, "before_cursor_execute", lambda *arguments: sent.append(arguments[2]))

    with Database(server_engine).reading() as tx:
        tx.execute(text("SELECT 1"))

    assert sent == ["BEGIN READ ONLY", "SELECT 1"]


def test_a_statement_that_was_prepared_while_its_table_was_small_is_planned_anew(server_engine):
    asked = text("SELECT sum(custom_plans)::int, sum(generic_plans)::int FROM pg_prepared_statements")

    with Database(server_engine).transaction() as tx:
        for number in range(20):
            tx.execute(text("SELECT count(*) FROM pg_class WHERE oid = :number"), {"number": number})
        custom, generic = tx.execute(asked).one()

    assert (custom > 10, generic) == (True, 0)
