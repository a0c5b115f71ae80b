"""While a dependency stands still: every call ends by its deadline, probes go on, and afterwards all is whole."""

import re
import sqlite3
from contextlib import closing

import httpx
import psycopg
import pytest
from pydantic import SecretStr
from sqlalchemy import make_url

from tests.flow.serving import serving
from tests.migrated import migrated_database
from tests.servers import Server, ServerMissing, is_stopped, running_postgres, running_redis
from tests.waiting import until


def stands_still(server: Server) -> bool:
    """Whether the kernel says of each of its processes that it is stopped."""
    return all(is_stopped(pid) for pid in server.pids())


def announcing(answer: httpx.Response) -> float:
    """Seconds that the announcement took, by `Server-Timing`."""
    found = re.search(r"announce;dur=([\d.]+)", answer.headers["server-timing"])
    assert found is not None
    return float(found[1]) / 1000


@pytest.fixture(scope="module")
def postgres():
    """A PostgreSQL of these tests' own: they stop it."""
    try:
        with running_postgres() as server:
            yield server
    except ServerMissing as missing:
        pytest.skip(str(missing))


@pytest.fixture
def postgres_url(postgres):
    return migrated_database(postgres)


@pytest.fixture
def sqlite_file(migrated_sqlite, tmp_path):
    file = tmp_path / "sheaf.db"
    file.write_bytes(migrated_sqlite.read_bytes())
    return file


def test_calls_end_and_probes_go_on_while_postgresql_stands_still(postgres, postgres_url, tmp_path):
    with serving(tmp_path, postgres_url) as api:
        export = api.create().json()["links"]["self"]
        routes = [
            ("POST", "/v1/exports"),
            ("GET", "/v1/exports"),
            ("GET", export),
            ("GET", f"{export}/failures"),
            ("GET", f"{export}/manifest"),
            ("POST", f"{export}/cancel"),
            ("DELETE", export),
        ]
        postgres.freeze()
        try:
            calls = [
                api.begin(*route, ms=ms, json={"document_type": "invoice"}) for route in routes for ms in (200, 400)
            ]
            patient = api.begin("GET", export)
            api.assert_probes_answer()
            answers = [call.result() for call in calls]
            # a driver that is told once waits five seconds for the server to confirm it
            until(lambda: api.api.state.deadlines.zombies.count == 0, within=2)
            was_answered = patient.done()
            was_still_stopped = stands_still(postgres)
        finally:
            postgres.thaw()

        assert (was_still_stopped, was_answered) == (True, False)
        assert {answer.status_code for answer in answers} == {504}
        assert {answer.json()["code"] for answer in answers} <= {"deadline_downstream", "deadline_local"}
        assert patient.result().status_code == 200
        assert api("GET", export).json()["state"] == "queued"
        api.assert_whole()


def test_a_create_ends_before_redis_answers_again(sqlite_file, tmp_path):
    with (
        running_redis() as redis,
        # so patient that what ends the announcement is the deadline's own rule
        serving(tmp_path, f"sqlite:///{sqlite_file}", redis_url=SecretStr(redis.url), redis_seconds=60) as api,
    ):
        bell = api.api.state.services.bell
        export = api.create().json()["links"]
        api("POST", export["cancel"])
        redis.freeze()
        try:
            creating = api.begin("POST", "/v1/exports", json={"document_type": "invoice"})
            # committed, and on its way to the bell
            until(lambda: api("GET", "/v1/exports?state=queued").json()["items"])
            api.assert_probes_answer()

            answer = creating.result()

            was_still_stopped = stands_still(redis)
        finally:
            redis.thaw()

        assert was_still_stopped
        assert answer.status_code == 202
        # ten times its cap, and a thirtieth of what Redis itself would be given
        assert announcing(answer) < 2
        unheard = bell.unheard
        assert unheard > 0
        api("POST", answer.json()["links"]["cancel"])
        assert api.create().status_code == 202
        assert bell.unheard == unheard
        api.assert_whole()


def test_calls_that_get_no_connection_end_before_those_that_hold_them(postgres, postgres_url, tmp_path):
    name = make_url(postgres_url).database
    with (
        serving(tmp_path, postgres_url, database_connections=2) as api,
        psycopg.connect(host="127.0.0.1", port=postgres.port, user="sheaf", dbname=name) as holder,
        psycopg.connect(host="127.0.0.1", port=postgres.port, user="sheaf", dbname=name, autocommit=True) as looking,
    ):

        def blocked() -> int:
            found = looking.execute(
                "SELECT count(*) FROM pg_stat_activity WHERE %s = ANY (pg_blocking_pids(pid))",
                [holder.info.backend_pid],
            ).fetchone()
            assert found is not None
            return found[0]

        holder.execute("LOCK TABLE tokens IN ACCESS EXCLUSIVE MODE")
        holding = [api.begin("GET", "/v1/exports") for _ in range(2)]
        until(lambda: blocked() == 2)
        queued = [api.begin("GET", "/v1/exports", ms=ms) for ms in (100, 200, 300)]
        api.assert_probes_answer()

        answers = [call.result() for call in queued]

        assert blocked() == 2
        assert {(answer.status_code, answer.json()["code"], answer.json()["boundary"]) for answer in answers} == {
            (504, "deadline_local", "pool")
        }
        holder.rollback()
        assert [call.result().status_code for call in holding] == [200, 200]
        assert api("GET", "/v1/exports").status_code == 200
        api.assert_whole()


def test_writes_end_and_reads_go_on_while_sqlite_is_write_locked(sqlite_file, tmp_path):
    with (
        serving(tmp_path, f"sqlite:///{sqlite_file}") as api,
        closing(sqlite3.connect(sqlite_file, isolation_level=None)) as holder,
    ):
        export = api.create().json()["links"]
        holder.execute("BEGIN IMMEDIATE")
        writing = [
            api.begin("POST", export["cancel"], ms=1000),
            api.begin("DELETE", export["self"], ms=1000),
        ]

        reading = [api("GET", export[link]) for link in ("self", "failures", "manifest")]
        api.assert_probes_answer()
        answers = [call.result() for call in writing]

        assert holder.in_transaction
        holder.execute("ROLLBACK")
        assert [answer.status_code for answer in reading] == [200] * 3
        assert [(answer.status_code, answer.json()["code"]) for answer in answers] == [(504, "deadline_downstream")] * 2
        assert api("POST", export["cancel"]).status_code == 202
        assert api("DELETE", export["self"]).status_code == 204
        api.assert_whole()
