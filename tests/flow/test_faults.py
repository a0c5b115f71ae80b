"""Promises under fire: workers killed, Redis flushed or absent, orders that kill their renderer, cancels."""

import signal
import time

import pytest

from tests.installation import ENDED_WITHIN, FAULTY_WORKER
from tests.servers import is_gone
from tests.shop import order, orders
from tests.waiting import until


def hosts_of(installation, export):
    """The log files of the workers that settled a render step of this export."""
    return [
        log.name
        for log in sorted(installation.folder.glob("worker-*.log"))
        if any(
            export["id"] in line and '"render"' in line and "step.settled" in line
            for line in log.read_text().splitlines()
        )
    ]


def assert_each_once(client, export, count):
    archive = client.archive(export)
    assert len(archive.documents) == len(set(archive.documents)) == count
    assert sorted(item["order_id"] for item in archive.manifest["items"]) == list(range(5001, 5001 + count))
    assert export["counts"] == {"requested": count, "rendered": count, "failed": 0, "skipped": 0}


def rendering_is_shared_and_survives_a_kill(installation, *, count, disturb):
    with installation.owner() as client:
        client.load(orders(count))
        export = client.create()
        client.until_rendered(export, count // 5)
        disturb(installation, export)
        done = client.until_over(export, within=3 * ENDED_WITHIN)
        assert done["state"] == "completed", installation.logs()
        assert_each_once(client, done, count)
        return done


def kill_one(installation, export):
    """Kill a worker that has settled a step: what is left is another's."""
    until(lambda: hosts_of(installation, export), within=ENDED_WITHIN)
    first = hosts_of(installation, export)[0]
    victim = next(worker for worker in installation.workers if log_name(worker, installation) == first)
    victim.kill()
    victim.wait()


SHARED = {"SHEAF_CHECKPOINT_EVERY": "4", "SHEAF_LEASE_SECONDS": "4"}


@pytest.mark.long
def test_two_workers_share_a_job_and_one_is_killed(scene):
    installation = scene(**SHARED)

    export = rendering_is_shared_and_survives_a_kill(installation, count=500, disturb=kill_one)

    assert hosts_of(installation, export) == ["worker-0.log", "worker-1.log"]


@pytest.mark.parametrize("count", [24, pytest.param(500, marks=pytest.mark.long)])
def test_redis_is_flushed_half_way_and_a_worker_killed(scene, redis_server, count):
    def flush_and_kill(installation, export):
        redis_server.flush()
        kill_one(installation, export)

    installation = scene(**SHARED)

    export = rendering_is_shared_and_survives_a_kill(installation, count=count, disturb=flush_and_kill)

    assert hosts_of(installation, export) == ["worker-0.log", "worker-1.log"]


@pytest.mark.long
@pytest.mark.parametrize(
    ("nothing", "count"),
    [({"SHEAF_REDIS_URL": "redis://127.0.0.1:9/0"}, 24), ({}, 500)],
    ids=["it is not there", "none is wanted"],
)
def test_no_redis_at_all(scene, nothing, count):
    installation = scene(redis=False, **SHARED, **nothing)

    export = rendering_is_shared_and_survives_a_kill(installation, count=count, disturb=kill_one)

    assert hosts_of(installation, export) == ["worker-0.log", "worker-1.log"]


@pytest.mark.parametrize("count", [30, pytest.param(1000, marks=pytest.mark.long)])
def test_orders_that_cannot_be_rendered_hurt_themselves_only(scene, count):
    installation = scene(workers=0, SHEAF_RENDER_SECONDS="5", SHEAF_CHECKPOINT_EVERY="5")
    installation.add_worker(FAULTY_WORKER, SHEAF_WORKER_SLOTS="2")
    broken = {7: "note-raise", 9: "note-eat", 13: "note-endless", 22: "note-die", 26: "note-kill"}
    with installation.owner() as client:
        client.load([order(number, customer_note=broken.get(number, "")) for number in range(1, count + 1)])

        export = client.until_over(client.create(sort="number"), within=3 * ENDED_WITHIN)

        assert export["state"] == "completed", installation.logs()
        assert export["counts"] == {"requested": count, "rendered": count - 5, "failed": 5, "skipped": 0}
        failures = client.every(export["links"]["failures"])
        told = [(row["ordinal"], row["number"], row["order_id"], row["code"]) for row in failures]
        assert told == [
            (7, "00007", 5007, "render_error"),
            (9, "00009", 5009, "render_out_of_memory"),
            (13, "00013", 5013, "render_timeout"),
            (22, "00022", 5022, "render_crashed"),
            (26, "00026", 5026, "render_crashed"),
        ]
        assert "a renderer's own bug" in failures[0]["reason"]
        assert "more memory" in failures[1]["reason"]
        assert "5 seconds" in failures[2]["reason"]
        assert "SIGSEGV" in failures[3]["reason"]
        assert "SIGKILL" in failures[4]["reason"]  # what the kernel sends when the machine's memory is used up
        assert installation.ask("SELECT ordinal FROM items WHERE strikes >= 3 ORDER BY ordinal") == [
            (9,), (13,), (22,), (26,)
        ]  # fmt: skip
        archive = client.archive(export)
        assert len(archive.documents) == count - 5
        rows = [row for row in archive.manifest["items"] if row["outcome"] == "failed"]
        assert [(row["ordinal"], row["code"], row["file"]) for row in rows] == [
            (ordinal, code, "") for ordinal, _number, _id, code in told
        ]
        lines = archive.text("failures.csv").splitlines()
        assert [line.split(",")[:3] for line in lines[1:]] == [
            [str(ordinal), "failed", code] for ordinal, _number, _id, code in told
        ]
    assert installation.workers[0].poll() is None


def nothing_is_left(installation, export):
    folder = installation.artifacts / export["id"]
    give_up_at = time.monotonic() + 20
    while folder.exists() and time.monotonic() < give_up_at:
        time.sleep(0.05)
    return not folder.exists()


def test_cancel_half_way_leaves_no_archive_and_no_artifact(bare):
    bare.add_worker(FAULTY_WORKER, SHEAF_WORKER_SLOTS="2")
    with bare.owner(store="half-way") as client:
        client.load([order(number, customer_note="note-slow") for number in range(1, 61)])
        export = client.create()
        client.until_rendered(export, 4)

        answer = client.post(export["links"]["cancel"])
        asked_at = time.monotonic()

        assert answer.status_code == 202
        assert answer.json()["state"] in {"cancelling", "cancelled"}
        done = client.until_over(export, within=20)
        assert time.monotonic() - asked_at < 20
        assert done["state"] == "cancelled"
        assert 4 <= done["counts"]["rendered"] < 60
        assert client.get(export["links"]["archive"]).json()["code"] == "no_archive"
        assert nothing_is_left(bare, export)
        assert client.post(export["links"]["cancel"]).json()["state"] == "cancelled"
        # the owner may go on at once
        assert client.until_over(client.create(selection={"order_ids": [5001]}))["state"] == "completed"


def test_cancel_reaches_a_job_whose_holder_is_frozen(bare):
    frozen = bare.add_worker(FAULTY_WORKER)
    with bare.owner(store="frozen") as client:
        client.load([order(number, customer_note="note-slow") for number in range(1, 31)])
        export = client.create()
        client.until_rendered(export, 2)
        other = bare.add_worker(FAULTY_WORKER)
        until(lambda: "worker.started" in log_of(other, bare), within=ENDED_WITHIN)
        frozen.send_signal(signal.SIGSTOP)

        assert client.post(export["links"]["cancel"]).status_code == 202
        done = client.until_over(export, within=20)
        frozen.send_signal(signal.SIGCONT)

        assert done["state"] == "cancelled"
        assert nothing_is_left(bare, export)
        time.sleep(2)  # the holder wakes, finds its claim lost and writes nothing
        assert client.look(export) == done
        assert nothing_is_left(bare, export)
    assert frozen.poll() is None


def test_cancel_ends_documents_that_are_in_the_middle_of_their_layout(bare, tmp_path):
    """A child that finishes a document lives on for the next one: if it is gone, it did not finish."""
    worker = bare.add_worker(FAULTY_WORKER, SHEAF_WORKER_SLOTS="2")
    asleep, spinning = telling(tmp_path, "note-asleep"), telling(tmp_path, "note-spinning")
    with bare.owner(store="middle") as client:
        client.load([order(1, customer_note=asleep), order(2), order(3, customer_note=spinning)])
        export = client.create(sort="number")
        children = [begun(tmp_path, note) for note in ("note-asleep", "note-spinning")]

        client.post(export["links"]["cancel"])

        until(lambda: all(is_gone(child) for child in children), within=ENDED_WITHIN)
        assert client.until_over(export, within=20)["state"] == "cancelled"
    assert len(set(children)) == 2
    assert worker.poll() is None


def test_a_holder_that_wakes_to_a_lost_claim_ends_its_child(bare, tmp_path):
    frozen = bare.add_worker(FAULTY_WORKER, SHEAF_LEASE_SECONDS="2")
    with bare.owner(store="wakes") as client:
        client.load([order(1, customer_note=telling(tmp_path, "note-asleep"))])
        export = client.create()
        child = begun(tmp_path, "note-asleep")
        frozen.send_signal(signal.SIGSTOP)
        rescuer = bare.add_worker(FAULTY_WORKER)
        until(
            lambda: '"render", "attempt": 2, "event": "step.claimed"' in log_of(rescuer, bare),
            within=ENDED_WITHIN,
        )

        frozen.send_signal(signal.SIGCONT)

        until(lambda: is_gone(child), within=ENDED_WITHIN)
        assert client.look(export)["state"] == "processing"
        client.post(export["links"]["cancel"])
        assert client.until_over(export, within=20)["state"] == "cancelled"


def telling(folder, note):
    """A note whose document tells that its layout has begun: its gate is open."""
    (folder / note).touch()
    return f"{note} note-gate:{folder / note}"


def begun(folder, note):
    """The child in which that document is, as soon as it is there."""
    told = folder / f"{note}.held"
    until(told.exists, within=ENDED_WITHIN)
    return int(told.read_text())


def log_name(worker, installation):
    return f"worker-{installation.workers.index(worker)}.log"


def log_of(worker, installation):
    return (installation.folder / log_name(worker, installation)).read_text()


def test_a_queued_job_is_cancelled_at_once(bare):
    with bare.owner(store="queued") as client:
        client.load(orders(1))
        export = client.create()
        # a worker of an earlier test counts until it has not been heard of for a while
        client.until(export, lambda found: found["waiting_for"] == "worker")

        answer = client.post(export["links"]["cancel"])

        assert (answer.status_code, answer.json()["state"]) == (202, "cancelled")


def test_an_accepted_export_waits_for_the_first_worker(bare):
    with bare.owner(store="first") as client:
        client.load(orders(3))
        export = client.create()

        bare.add_worker()

        assert client.until_over(export)["state"] == "completed"


@pytest.mark.long
def test_a_worker_that_is_told_to_end_hands_its_steps_back(bare):
    worker = bare.add_worker()
    with bare.owner(store="told") as client:
        client.load(orders(30))
        export = client.create()
        client.until_rendered(export, 3)

        worker.terminate()
        assert worker.wait(30) == 0
        assert client.look(export)["state"] == "processing"
        bare.add_worker()

        assert_each_once(client, client.until_over(export), 30)


@pytest.mark.long
def test_a_small_export_passes_a_large_one(bare):
    bare.add_worker()
    with bare.owner("large", "passed") as large, bare.owner("small", "passed") as small:
        large.load(orders(60))
        long = large.create()
        large.until_rendered(long, 5)

        short = small.until_over(small.create(selection={"order_ids": [5001, 5002, 5003]}))

        assert short["state"] == "completed"
        assert large.look(long)["state"] == "processing"
        large.post(long["links"]["cancel"])
        large.until_over(long, within=30)
