"""Faults of the ground: artifacts and clock. An export waits, says so, and comes out the same."""

import json
from datetime import UTC, datetime, timedelta

import pytest

from tests.ground import MINE_ALONE, away, clock_wrong_by, forbidden
from tests.installation import FAULTY_WORKER, distributed
from tests.migrated import migrated_database
from tests.shop import order, orders

COUNT = 8
EVERY = 2


@pytest.fixture(scope="module")
def gate(tmp_path_factory):
    """While this file is missing, the last document does not get done."""
    return tmp_path_factory.mktemp("gate") / "open"


@pytest.fixture(scope="module")
def installation(postgres_server, redis_server, tmp_path_factory):
    """One worker, started by the calm run; its clock is an hour ahead and permissions count for it."""
    folder = tmp_path_factory.mktemp("ground")
    url = migrated_database(postgres_server)
    with distributed(
        folder, url, redis_server.url, workers=0, SHEAF_CHECKPOINT_EVERY=str(EVERY), SHEAF_LEASE_SECONDS="4"
    ) as running:
        yield running


@pytest.fixture(scope="module")
def alice(installation, gate):
    with installation.owner() as client:
        client.load([*orders(COUNT - 1), order(COUNT, customer_note=f"note-gate:{gate}")])
        yield client


@pytest.fixture(scope="module")
def calm(installation, alice, gate):
    """The digest of an undisturbed run, on a host whose clock is right; that host is gone afterwards."""
    gate.touch()
    host = installation.add_worker()
    digest = alice.until_over(alice.create(sort="number"))["archive"]["sha256"]
    host.terminate()
    assert host.wait(60) == 0
    installation.add_worker((*MINE_ALONE, *FAULTY_WORKER), **clock_wrong_by("+1h"))
    installation.until_started(1)
    return digest


@pytest.fixture
def closed(gate):
    """The gate is closed until the test opens it."""
    gate.unlink()
    yield gate
    gate.touch()


def assert_calm(installation, export, calm):
    """Whole, the same bytes, nobody's strike, and no word of the trouble any more."""
    assert export["state"] == "completed", installation.logs()
    assert export["counts"] == {"requested": COUNT, "rendered": COUNT, "failed": 0, "skipped": 0}
    assert export["archive"]["sha256"] == calm
    assert export["waiting_for"] is None
    assert installation.ask(f"SELECT max(strikes) FROM items WHERE job_id = '{export['id']}'") == [(0,)]


def not_yet(installation, export) -> list[tuple]:
    """The steps that wait for a later moment, none for longer than a fault of the ground is waited for."""
    # by a clock that is read after the rows: that of the transaction's beginning is behind a step handed back since
    found = installation.ask(
        "SELECT kind, extract(epoch FROM not_before - clock_timestamp()) FROM steps WHERE state = 'ready' "
        f"AND not_before > now() AND job_id = '{export['id']}'"
    )
    assert all(seconds <= 5 for _kind, seconds in found), (found, installation.logs())
    return [kind for kind, _seconds in found]


def waits_for(alice, export, what):
    return alice.until(export, lambda found: found["waiting_for"] == what)


@pytest.mark.parametrize("taken", [away, forbidden])
def test_artifacts_that_are_away_are_waited_for(installation, alice, calm, taken):
    with taken(installation.artifacts):
        export = alice.create(sort="number")
        waits_for(alice, export, "artifacts")
        alice.until(export, lambda _: "render" in not_yet(installation, export))
        assert alice.look(export)["counts"]["rendered"] == 0

    assert_calm(installation, alice.until_over(export), calm)


def test_artifacts_that_are_away_for_good_end_the_export_with_its_lifetime(installation, alice, calm):
    with away(installation.artifacts):
        export = alice.create(sort="number")
        waits_for(alice, export, "artifacts")
        installation.ask("UPDATE jobs SET progressed_at = progressed_at - interval '2 days' WHERE state = 'processing'")

        over = alice.until_over(export)

    assert (over["state"], over["failure"]["code"]) == ("failed", "run_expired")


def test_documents_that_went_bad_are_made_again(installation, alice, calm, closed):
    export = alice.create(sort="number")
    alice.until_rendered(export, COUNT - EVERY)
    truncated, missing, other = sorted((installation.artifacts / export["id"]).iterdir())
    truncated.write_bytes(truncated.read_bytes()[:-1])
    missing.unlink()
    other.write_bytes(other.read_bytes().replace(b"obj", b"jbo", 1))

    closed.touch()

    assert_calm(installation, alice.until_over(export), calm)
    worker = (installation.folder / "worker-1.log").read_text().splitlines()
    bad = [line for line in map(json.loads, worker) if line["event"] == "artifacts.bad"]
    assert [(line["job_id"], line["steps"]) for line in bad] == [(export["id"], 3)]


def test_a_host_whose_clock_is_an_hour_ahead_changes_no_time(installation, alice, calm):
    export = alice.until_over(alice.create(sort="number"))

    assert_calm(installation, export, calm)
    last = json.loads((installation.folder / "worker-1.log").read_text().splitlines()[-1])
    assert datetime.fromisoformat(last["timestamp"]) > datetime.now(UTC) + timedelta(minutes=50)
    assert abs(datetime.fromisoformat(export["finished_at"]) - datetime.now(UTC)) < timedelta(minutes=10)
    assert installation.ask("SELECT count(*) FROM steps WHERE lapses > 0") == [(0,)]
