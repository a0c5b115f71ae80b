"""Deploys: workers that are told to end, once or twice, by their supervisor or by its death, and one after another."""

import os
import signal
import threading
import time
from pathlib import Path

import pytest

from tests.installation import ENDED_WITHIN, FAULTY_WORKER, SHEAF, STARTED_WITHIN, embedded, renderers_of
from tests.servers import children_of, is_gone
from tests.shop import order, orders
from tests.waiting import until

PATIENCE = 60.0


def family_of(pid: int) -> list[int]:
    """All that descends from a process."""
    return [member for child in children_of(pid) for member in (child, *family_of(child))]


def claims(installation) -> list[tuple]:
    """What is claimed, and what has lapsed."""
    return installation.ask("SELECT id, state, lapses FROM steps WHERE state = 'claimed' OR lapses > 0")


@pytest.mark.parametrize("how", [pytest.param(signal.SIGTERM, marks=pytest.mark.long), signal.SIGKILL])
def test_supervised_workers_end_in_order_however_their_supervisor_ends(bare, how):
    supervisor = bare.add_worker((*SHEAF, "worker", "--processes", "2", "--verbose"))
    log = bare.folder / f"worker-{len(bare.workers) - 1}.log"
    with bare.owner(store=how.name.lower()) as client:
        client.load(orders(20))
        export = client.create()
        client.until_rendered(export, 6)
        workers = children_of(supervisor.pid)
        family = family_of(supervisor.pid)

        supervisor.send_signal(how)
        supervisor.wait(PATIENCE)
        until(lambda: all(map(is_gone, family)), within=PATIENCE)

        assert len(workers) == 2
        assert supervisor.returncode == (0 if how is signal.SIGTERM else -how)
        assert log.read_text().count("worker.ended") == 2
        assert claims(bare) == []
        assert client.look(export)["state"] == "processing"
        bare.add_worker()
        assert client.until_over(export)["counts"]["rendered"] == 20


def test_a_supervised_worker_that_is_killed_is_started_again_and_ends_with_its_supervisor(bare):
    supervisor = bare.add_worker((*SHEAF, "worker", "--processes", "2"))
    log = bare.folder / f"worker-{len(bare.workers) - 1}.log"
    until(lambda: len(children_of(supervisor.pid)) == 2, within=PATIENCE)
    first, _second = children_of(supervisor.pid)

    os.kill(first, signal.SIGKILL)

    until(lambda: len(set(children_of(supervisor.pid)) - {first}) == 2, within=PATIENCE)
    workers = [pid for pid in children_of(supervisor.pid) if pid != first]
    until(lambda: all(told(log, "worker.started", pid) for pid in workers), within=STARTED_WITHIN)
    family = family_of(supervisor.pid)

    supervisor.terminate()

    assert supervisor.wait(PATIENCE) == 0
    until(lambda: all(map(is_gone, family)), within=PATIENCE)
    assert all(told(log, "worker.ended", pid) for pid in workers)


def told(log: Path, event: str, pid: int) -> bool:
    """Whether a worker process has logged this of itself."""
    return any(f'"{event}"' in line and f':{pid}"' in line for line in log.read_text().splitlines())


@pytest.mark.long
def test_whoever_asks_twice_waits_for_no_grace(bare):
    worker = bare.add_worker(FAULTY_WORKER, SHEAF_SHUTDOWN_SECONDS="300", SHEAF_RENDER_SECONDS="300")
    with bare.owner(store="twice") as client:
        client.load([order(1, customer_note="note-endless")])
        client.until(client.create(), lambda found: found["phase"] == "rendering")
        until(
            lambda: bare.ask("SELECT id FROM steps WHERE kind = 'render' AND state = 'claimed'"),
            within=PATIENCE,
        )
        family = family_of(worker.pid)

        worker.terminate()
        time.sleep(2)  # longer than an echo of the first request
        assert worker.poll() is None
        worker.terminate()

        assert worker.wait(PATIENCE) == 0
        until(lambda: all(map(is_gone, family)), within=PATIENCE)
        assert claims(bare) == []


def rolling(installation, stop: threading.Event) -> None:
    """End one worker after another in order and put a new one in its place, until told to stop."""
    while not stop.is_set():
        oldest = installation.workers[-3]
        oldest.terminate()
        assert oldest.wait(PATIENCE) == 0
        added = installation.add_worker()
        # one that still starts heeds no signal in order, and holds nothing
        until(lambda added=added: renderers_of(added), within=STARTED_WITHIN)
        stop.wait(1.0)


@pytest.mark.long
def test_workers_are_changed_over_under_load_and_no_step_waits_for_a_lease(scene):
    installation = scene(workers=3, SHEAF_CHECKPOINT_EVERY="3", SHEAF_LEASE_SECONDS="120")
    owners = [installation.owner(name) for name in ("ann", "bob", "cem")]
    owners[0].load(orders(150))
    calm = owners[0].until_over(owners[0].create())["archive"]["sha256"]
    exports = [owner.create() for owner in owners]
    stop = threading.Event()
    changing = threading.Thread(target=rolling, args=(installation, stop))
    changing.start()
    try:
        done = [
            owner.until_over(export, within=3 * ENDED_WITHIN) for owner, export in zip(owners, exports, strict=True)
        ]
    finally:
        stop.set()
        changing.join()
        for owner in owners:
            owner.close()

    assert len(installation.workers) > 5
    assert [export["archive"]["sha256"] for export in done] == [calm] * 3, installation.logs()
    # a lease is twice as long as anything here may take
    assert claims(installation) == []


@pytest.mark.long
def test_serve_that_ends_within_seconds_of_its_start_says_nothing_odd(tmp_path):
    for tenths in range(2, 32, 2):
        with embedded(tmp_path) as installation:
            time.sleep(tenths / 10)
            installation.server.terminate()
            assert installation.server.wait(PATIENCE) == 0

    assert "Traceback" not in (tmp_path / "server.log").read_text()
