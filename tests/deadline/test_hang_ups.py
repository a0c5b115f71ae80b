"""Callers who hang up on a real socket: nothing works for them any more, on the database server neither."""

import os
import random
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

import psycopg
import pytest

from app.deadline.admission import Permits
from app.deadline.outcome import Outcome
from tests.api.finishing import finish
from tests.deadline.observed import Observed, Witness, wait_until
from tests.deadline.scenes import BOUND
from tests.deadline.sockets import HANG_UPS, Line
from tests.servers import PostgresServer
from tests.shop import orders

on_postgresql = pytest.mark.parametrize("migrated_url", ["postgresql"], indirect=True)
on_sqlite = pytest.mark.parametrize("migrated_url", ["sqlite"], indirect=True)
LARGE = 64 << 20
"""Bytes: more than every buffer on the way takes."""
CANCEL = "POST /v1/exports/{id}/cancel"


@pytest.fixture
def house(migrated_url, tmp_path):
    # nobody is refused: who hangs up here has begun
    changes = {"idle": 0.5}
    house = Observed(migrated_url, tmp_path, permits=Permits(400), changes=changes, database_connections=3)
    yield house
    house.database.close()


@pytest.fixture
def alice(house):
    return house.owner()


@pytest.fixture
def port(house):
    with house.listening() as listening:
        yield listening.port


@pytest.fixture
def witness(migrated_url):
    witness = Witness(migrated_url)
    yield witness
    witness.close()


GATE = """
CREATE FUNCTION gate() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN PERFORM pg_advisory_xact_lock_shared(7); RETURN NEW; END $$;
CREATE TRIGGER gate BEFORE UPDATE ON jobs FOR EACH ROW EXECUTE FUNCTION gate();
"""


@pytest.fixture
def gated(witness):
    """Whoever changes a job waits as long as the witness wants."""
    witness.connection.execute(GATE)
    witness.one("SELECT pg_advisory_lock(7)")
    yield
    witness.connection.execute("DROP FUNCTION gate CASCADE")


def create(port: int, alice) -> dict:
    with Line(port, alice) as line:
        line.ask("POST", "/v1/orders/import", orders(2))
        assert line.answer().status == 200
        line.ask("POST", "/v1/exports", {"document_type": "invoice"})
        return line.answer().json()


def row_is_free(witness: Witness) -> bool:
    """Whether somebody else could take the one job."""
    try:
        witness.one("SELECT id FROM jobs FOR NO KEY UPDATE NOWAIT")
    except psycopg.errors.LockNotAvailable:
        return False
    return True


@on_postgresql
@pytest.mark.parametrize("way", HANG_UPS)
def test_nothing_is_left_of_a_statement_whose_caller_hangs_up(house, port, alice, witness, gated, way, postgres_server):
    export = create(port, alice)
    with Line(port, alice) as line:
        line.ask("POST", export["links"]["cancel"])
        (pid,) = wait_until(witness.blocked)
        was_free = row_is_free(witness)

        HANG_UPS[way](line)
        # although what it waits for is still taken
        wait_until(lambda: witness.blocked() == [])
        wait_until(lambda: house.held == {})
        answered = line.rest() if way == "half-close" else b""

    assert was_free is False
    wait_until(lambda: row_is_free(witness))
    assert witness.one("SELECT pid FROM pg_stat_activity WHERE pid = %s AND state <> 'idle'", pid) is None
    assert (house.notes.ends[-1], house.notes.late) == ((CANCEL, Outcome.CALLER_CANCELLED, 0), [])
    assert answered == b""
    witness.one("SELECT pg_advisory_unlock(7)")
    assert house.jobs() == ["queued"]
    with Line(port, alice) as line:
        line.ask("POST", export["links"]["cancel"])
        assert line.answer().json()["state"] == "cancelled"


@on_postgresql
def test_the_first_step_of_a_cancel_tells_the_server_to_stop(
    house, port, alice, witness, gated, monkeypatch, postgres_server
):
    """It need not find out by itself. However slow this machine is today, the second step leaves it the time."""
    monkeypatch.setattr("app.deadline.call.AGAIN_AFTER", BOUND)
    export = create(port, alice)
    with Line(port, alice) as line:
        line.ask("POST", export["links"]["cancel"])
        (pid,) = wait_until(witness.blocked)

        HANG_UPS["FIN"](line)
        wait_until(lambda: house.held == {})

    assert "canceling statement due to user request" in said_by(postgres_server, pid)


def said_by(server: PostgresServer, pid: int) -> str:
    """What one of its processes has logged."""
    return "\n".join(line for line in server.log.read_text().splitlines() if f"[{pid}]" in line)


@contextmanager
def crowded(url: str) -> Iterator[None]:
    """The table of jobs is taken again and again, as by a long plan: most statements wait a while."""
    over = threading.Event()

    def crowd() -> None:
        witness = Witness(url)
        while not over.is_set():
            with witness.connection.transaction():
                witness.one("LOCK TABLE jobs IN ACCESS EXCLUSIVE MODE")
                over.wait(0.02)
            over.wait(0.005)
        witness.close()

    thread = threading.Thread(target=crowd)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


def leave_at_random(port: int, alice, export: dict, chance: random.Random) -> None:
    """Ask for something, and hang up at some moment before, during or after the answer."""
    links = export["links"]
    what = chance.choice(
        [
            ("GET", "/v1/exports"),
            ("GET", links["self"]),
            ("GET", links["manifest"]),
            ("GET", links["failures"]),
            ("POST", links["cancel"]),
            ("POST", "/v1/exports", {"document_type": "invoice"}),
            ("POST", "/v1/orders/import", []),
        ]
    )
    with Line(port, alice) as line:
        if chance.random() < 0.1:
            line.socket.sendall(line.head(*what[:2], length=5000) + b"[" * chance.randrange(100))
        else:
            line.ask(*what)
        time.sleep(chance.expovariate(1 / 0.02))
        HANG_UPS[chance.choice(list(HANG_UPS))](line)


@on_postgresql
def test_after_400_hang_ups_at_random_moments_everything_is_whole(house, port, alice, witness, migrated_url, caplog):
    export = create(port, alice)
    seeds = iter(range(400))

    def callers() -> None:
        for seed in seeds:
            leave_at_random(port, alice, export, random.Random(seed))

    with crowded(migrated_url):
        threads = [threading.Thread(target=callers) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        wait_until(lambda: len(house.notes.ends) == 402)

    wait_until(lambda: house.held == {} and witness.at_work() == 0)
    how = Counter(outcome for _, outcome, _ in house.notes.ends)
    assert (how[Outcome.CALLER_CANCELLED] > 100, house.notes.stops > 50) == (True, True), how
    assert house.notes.used_of.count("database") > 20
    assert (house.notes.late, house.zombies.count) == ([], 0)
    assert [record for record in caplog.records if record.name == "uvicorn.error" and record.levelname == "ERROR"] == []
    with ExitStack() as stack:
        # as many as there are connections, all at once
        lines = [stack.enter_context(Line(port, alice)) for _ in range(house.pool.size)]
        for line in lines:
            line.ask("GET", "/v1/exports")
        assert {line.answer().status for line in lines} == {200}


@on_sqlite
@pytest.mark.parametrize("way", HANG_UPS)
def test_a_caller_who_hangs_up_in_the_middle_of_its_body_is_no_error(house, port, alice, way, caplog):
    with Line(port, alice) as line:
        line.socket.sendall(line.head("POST", "/v1/exports", length=100) + b'{"document_type": ')
        wait_until(lambda: house.held == {"permits": 1})

        HANG_UPS[way](line)
        wait_until(lambda: house.held == {} and house.notes.ends)

    ((route, outcome, _status),) = house.notes.ends
    assert (route, outcome) == ("POST /v1/exports", Outcome.CALLER_CANCELLED)
    assert (house.jobs(), [record for record in caplog.records if record.levelname == "ERROR"]) == ([], [])


@on_postgresql
def test_a_download_that_nobody_reads_holds_nothing_and_ends_at_the_idle_limit(house, port, alice):
    export = create(port, alice)
    finish(house.database, house.artifacts, export["id"])
    (key,) = house.artifacts.keys()
    os.truncate(house.artifacts.path(key), LARGE)
    asked = len(house.notes.ends)
    with Line(port, alice, receives=4096) as line:
        line.ask("GET", export["links"]["archive"])

        status, headers = line.heads()
        held, is_over = house.held, len(house.notes.ends) > asked
        wait_until(lambda: len(house.notes.ends) > asked)
        received = len(line.rest())

    assert (status, headers["content-length"], held, is_over) == (200, str(LARGE), {}, False)
    assert house.notes.ends[-1] == ("GET /v1/exports/{id}/archive", Outcome.DEADLINE_LOCAL, 200)
    assert (house.notes.expiries, received < LARGE) == (["sending"], True)


@on_sqlite
def test_an_answer_that_nobody_reads_holds_nothing(house, port, alice):
    with Line(port, alice, receives=4096) as line:
        line.ask("GET", "/openapi.json")

        wait_until(lambda: house.notes.ends)

        assert (house.notes.ends, house.held) == ([("other", Outcome.COMPLETED, 200)], {})


@on_sqlite
@pytest.mark.parametrize("path", ["/v1/exports", "/v1/orders/import"])
def test_whoever_waits_to_be_told_to_go_on_is_told_when_its_body_is_wanted(house, port, alice, path):
    with Line(port) as stranger, Line(port, alice) as line:
        for one in (stranger, line):
            one.socket.sendall(one.head("POST", path, length=2, Expect="100-continue"))

        refused, _ = stranger.heads()
        told, _ = line.heads()
        line.socket.sendall(b"[]")
        answered, _ = line.heads()

    assert (refused, told) == (401, 100)
    assert answered == (422 if path == "/v1/exports" else 200)
