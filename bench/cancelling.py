"""How long a cancelled export goes on, whatever its worker is doing.

    .venv/bin/python bench/cancelling.py

Two workers of one child each; documents that take a minute, asleep in C or spinning. The holder of each export is
at work, or frozen (SIGSTOP) or killed (SIGKILL) right before its cancel. Counted from the 202: until the export is
`cancelled`, and until the child of its document is gone. The child of a frozen worker can only be ended by that
worker: there the time counts from its waking. 200 cancels take six minutes on two quiet cores.
"""

import argparse
import os
import random
import select
import signal
import tempfile
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from bench.fleet import PATIENCE, Fleet, end, running_fleet, until
from bench.flood.figures import percentile
from tests.installation import OwnerClient, renderers_of
from tests.shop import order

NOTES = ("note-asleep", "note-spinning")
HOLDERS = {"at work": 0.8, "frozen": 0.12, "dead": 0.08}
"""What becomes of the holder, and of which part of the exports."""


@dataclass(frozen=True, slots=True)
class Cancel:
    """One cancel and its figures, in seconds."""

    holder: str
    until_cancelled: float
    until_child_gone: float


def cancels(count: int, seed: int) -> Iterator[Cancel]:
    """That many exports cancelled, one after another."""
    chance = random.Random(seed)
    with (
        tempfile.TemporaryDirectory() as folder,
        running_fleet(Path(folder), redis=True) as fleet,
        fleet.installation.owner() as client,
        ThreadPoolExecutor(1) as watcher,
    ):
        client.load([order(number, customer_note=note) for number, note in enumerate(NOTES, start=1)])
        fates = chance.choices(list(HOLDERS), list(HOLDERS.values()), k=count)
        for fate in fates:
            yield _cancel(fleet, client, watcher, fate, chance)


def _cancel(fleet: Fleet, client: OwnerClient, watcher: ThreadPoolExecutor, fate: str, chance: random.Random) -> Cancel:
    while len(fleet.workers()) < 2:
        fleet.add_worker()
    export = client.create(selection={"order_ids": [5001 + chance.randrange(len(NOTES))]})
    holder = until(lambda: fleet.holder(export["id"]))
    child = until(lambda: renderers_of(holder))[0]
    life = os.pidfd_open(child)
    time.sleep(chance.uniform(0, 0.6))
    if fate == "frozen":
        holder.send_signal(signal.SIGSTOP)
    elif fate == "dead":
        end(holder)
    gone = watcher.submit(_end_of, life)
    answer = client.post(export["links"]["cancel"])
    told_at = time.monotonic()
    assert answer.status_code == 202, answer.text
    state = "SELECT state FROM jobs WHERE id = %s AND state = 'cancelled'"
    until(lambda: fleet.row(state, export["id"]))
    cancelled = time.monotonic() - told_at
    if fate == "frozen":
        told_at = time.monotonic()
        holder.send_signal(signal.SIGCONT)
    return Cancel(fate, cancelled, max(0.0, gone.result() - told_at))


def _end_of(life: int) -> float:
    """When a process ended: the kernel tells at that very moment."""
    ended = select.poll()
    ended.register(life, select.POLLIN)
    assert ended.poll(PATIENCE * 1000), "the child outlived its document"
    os.close(life)
    return time.monotonic()


def main(arguments: Sequence[str] | None = None) -> None:
    """Cancel, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cancels", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args(arguments)
    print(f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}; {options.cancels} cancels, seed {options.seed}")
    done: list[Cancel] = []
    # Ctrl-C: the table of what was measured until then
    with suppress(KeyboardInterrupt):
        done.extend(cancels(options.cancels, options.seed))
    print("holder      cancels   until cancelled: p50   p99   max   until the child is gone: p50   p99   max")
    for holder in (*HOLDERS, "all"):
        some = [one for one in done if holder in (one.holder, "all")]
        if some:
            print(f"{holder:11} {len(some):7}", end="")
            for values in ([one.until_cancelled for one in some], [one.until_child_gone for one in some]):
                p50, p99 = (percentile(values, part) for part in (0.5, 0.99))
                print(f"{'':16} {p50:5.2f} {p99:5.2f} {max(values):5.2f}", end="")
            print()
    print(f"load at the end {os.getloadavg()[0]:.1f}")


if __name__ == "__main__":
    main()
