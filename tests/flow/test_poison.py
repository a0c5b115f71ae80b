"""Orders that kill or starve their renderer, and renderers that somebody else kills: only the item in flight pays."""

import os
import signal
import time

import pytest

from tests.installation import ENDED_WITHIN, FAULTY_WORKER
from tests.shop import order, orders


def kill_holder(gate, *, but: int) -> int:
    """Kill the child that is held at a gate, another one than before, and say which it was."""
    held, give_up_at = gate.with_name(f"{gate.name}.held"), time.monotonic() + ENDED_WITHIN
    while not held.exists() or not held.read_text() or (pid := int(held.read_text())) == but:
        assert time.monotonic() < give_up_at, "no child came to the gate"
        time.sleep(0.05)
    os.kill(pid, signal.SIGKILL)
    return pid


def test_killed_children_strike_the_item_in_flight_and_strikes_outlive_the_worker(scene, tmp_path):
    installation = scene(workers=0, SHEAF_CHECKPOINT_EVERY="4", SHEAF_SHUTDOWN_SECONDS="0.1")
    worker = installation.add_worker(FAULTY_WORKER)
    spared, doomed = tmp_path / "spared", tmp_path / "doomed"
    with installation.owner() as client:
        client.load(
            [
                order(1),
                order(2, customer_note=f"note-gate:{spared}"),
                order(3, customer_note=f"note-gate:{doomed}"),
                order(4),
            ]
        )
        export = client.create(sort="number")
        kill_holder(spared, but=kill_holder(spared, but=0))
        spared.touch()
        last = kill_holder(doomed, but=kill_holder(doomed, but=0))
        client.until(export, lambda _: installation.ask("SELECT strikes FROM items WHERE ordinal = 3") == [(2,)])

        worker.terminate()
        assert worker.wait(60) == 0
        installation.add_worker(FAULTY_WORKER)
        kill_holder(doomed, but=last)

        done = client.until_over(export)
        assert done["counts"] == {"requested": 4, "rendered": 3, "failed": 1, "skipped": 0}, installation.logs()
        (failure,) = client.every(export["links"]["failures"])
        assert (failure["ordinal"], failure["code"]) == (3, "render_crashed")
        assert "SIGKILL" in failure["reason"]
        assert installation.ask("SELECT strikes FROM items ORDER BY ordinal") == [(0,), (2,), (3,), (0,)]


@pytest.mark.long
@pytest.mark.parametrize(
    ("code", "settings"),
    [
        ("render_timeout", {"SHEAF_RENDER_SECONDS": "3"}),
        # time enough to meet the limit of memory, however busy the machine is
        ("render_out_of_memory", {"SHEAF_RENDER_MEMORY_MIB": "256", "SHEAF_RENDER_SECONDS": "600"}),
    ],
)
def test_an_order_too_long_to_lay_out_hurts_itself_only(scene, code, settings):
    installation = scene(workers=1, **settings)
    worker = installation.workers[0].pid
    (line,) = order(1)["line_items"]
    with installation.owner() as client:
        client.load([*orders(6), order(7, line_items=[{**line, "id": number} for number in range(8000)])])

        done = client.until_over(client.create(sort="number"), within=3 * ENDED_WITHIN)

        assert done["counts"] == {"requested": 7, "rendered": 6, "failed": 1, "skipped": 0}
        failures = client.every(done["links"]["failures"])
        assert [row["code"] for row in failures] == [code], failures
    assert (installation.workers[0].pid, installation.workers[0].poll()) == (worker, None)
