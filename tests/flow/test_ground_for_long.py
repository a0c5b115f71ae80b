"""Faults of the ground that take their time: a full disk, and a database that is away for longer than a lease."""

import time

import pytest

from tests.flow.test_ground import COUNT, EVERY, assert_calm, not_yet, waits_for
from tests.ground import filled, small_disk
from tests.installation import FAULTY_WORKER, distributed
from tests.migrated import migrated_database
from tests.servers import ServerMissing, running_postgres
from tests.shop import order, orders


@pytest.mark.long
def test_a_full_disk_is_waited_for_while_storing_and_while_packaging(postgres_server, redis_server, tmp_path):
    url = migrated_database(postgres_server)
    settings = {"SHEAF_CHECKPOINT_EVERY": str(EVERY), "SHEAF_LEASE_SECONDS": "4"}
    with (
        small_disk(tmp_path / "artifacts", size=4 << 20),
        distributed(tmp_path, url, redis_server.url, workers=1, **settings) as installation,
        installation.owner() as client,
    ):
        client.load(orders(COUNT))
        first = client.until_over(client.create(sort="number"))
        digest, size = first["archive"]["sha256"], first["archive"]["bytes"]

        with filled(installation.artifacts):
            export = client.create(sort="number")
            waits_for(client, export, "disk")
            client.until(export, lambda _: "render" in not_yet(installation, export))
        assert_calm(installation, client.until_over(export), digest)

        # room for the documents, and not for an archive beside them
        with filled(installation.artifacts, but=int(1.4 * size)):
            export = client.create(sort="number")
            waits_for(client, export, "disk")
            client.until(export, lambda found: found["phase"] == "packaging" and found["waiting_for"] == "disk")
            client.until(export, lambda _: not_yet(installation, export) == ["package"])
        assert_calm(installation, client.until_over(export), digest)
        assert not list(installation.artifacts.glob("*/*.part"))


@pytest.mark.long
def test_a_database_that_is_away_for_longer_than_a_lease_costs_no_document(redis_server, tmp_path):
    try:
        with running_postgres() as postgres:
            _frozen_then_restarted(postgres, redis_server, tmp_path)
    except ServerMissing as missing:
        pytest.skip(str(missing))


def _frozen_then_restarted(postgres, redis_server, tmp_path):
    gate, lease = tmp_path / "open", 4.0
    settings = {"SHEAF_CHECKPOINT_EVERY": str(EVERY), "SHEAF_LEASE_SECONDS": str(lease)}
    url = migrated_database(postgres)
    with distributed(tmp_path, url, redis_server.url, workers=0, **settings) as installation:
        gate.touch()
        installation.add_worker(FAULTY_WORKER)
        with installation.owner() as client:
            client.load([*orders(COUNT - 1), order(COUNT, customer_note=f"note-gate:{gate}")])
            calm = client.until_over(client.create(sort="number"))["archive"]["sha256"]
            for stop, go_on in ((postgres.freeze, postgres.thaw), (postgres.kill, postgres.start)):
                gate.unlink()
                export = client.create(sort="number")
                client.until_rendered(export, COUNT - EVERY)
                stop()
                gate.touch()  # the document gets done, and its checkpoint meets no database
                time.sleep(1.5 * lease)
                go_on()

                assert_calm(installation, client.until_over(export), calm)
