"""How long the work of a killed worker lies idle, with Redis and without.

    .venv/bin/python bench/recovery.py

Two workers, one export of one step; the worker that holds the step is killed (SIGKILL) at a random moment of it.
Counted by the database's clock, from right before the kill: until the other worker has claimed the step, which
must be within a lease and a second, and until the export has completed. Ten kills take five minutes each way.
"""

import argparse
import os
import random
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from bench.fleet import Fleet, end, running_fleet, until
from bench.flood.figures import percentile
from tests.installation import OwnerClient
from tests.shop import order

ITEMS = 10


def seconds_of_kills(*, redis: bool, kills: int, lease: float, seed: int) -> list[tuple[float, float]]:
    """For each kill the seconds until the step was claimed again, and until its export had completed."""
    chance = random.Random(seed)
    settings = {"SHEAF_LEASE_SECONDS": str(lease), "SHEAF_CHECKPOINT_EVERY": str(ITEMS)}
    with (
        tempfile.TemporaryDirectory() as folder,
        running_fleet(Path(folder), redis=redis, **settings) as fleet,
        fleet.installation.owner() as client,
    ):
        # 0.3 s each: time enough for a kill in the middle
        client.load([order(number, customer_note="note-slow") for number in range(1, ITEMS + 1)])
        return [_kill(fleet, client, chance.uniform(0, 2)) for _ in range(kills)]


def _kill(fleet: Fleet, client: OwnerClient, after: float) -> tuple[float, float]:
    while len(fleet.workers()) < 2:
        fleet.add_worker()
    export = client.create()["id"]
    holder = until(lambda: fleet.holder(export))
    time.sleep(after)
    assert fleet.holder(export) is holder, "it was done before it could be killed"
    (killed_at,) = fleet.row("SELECT clock_timestamp()") or ()
    end(holder)
    claimed = "SELECT claimed_at FROM steps WHERE job_id = %s AND kind = 'render' AND attempt = 2"
    (claimed_at,) = until(lambda: fleet.row(claimed, export))
    finished = "SELECT finished_at FROM jobs WHERE id = %s AND state = 'completed'"
    (finished_at,) = until(lambda: fleet.row(finished, export))
    return (claimed_at - killed_at).total_seconds(), (finished_at - killed_at).total_seconds()


def main(arguments: Sequence[str] | None = None) -> None:
    """Kill, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kills", type=int, default=10, help="each way (%(default)s)")
    parser.add_argument("--lease", type=float, default=15.0, help="seconds (%(default)s)")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args(arguments)
    print(f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}; lease {options.lease:g} s, seed {options.seed}")
    print(f"{options.kills} kills each way; seconds from SIGKILL    p50     max")
    for name, redis in (("with Redis", True), ("without Redis", False)):
        seconds = seconds_of_kills(redis=redis, kills=options.kills, lease=options.lease, seed=options.seed)
        for what, values in zip(("claimed again", "completed"), zip(*seconds, strict=True), strict=True):
            print(f"{name:14} {what:14}                 {percentile(values, 0.5):6.2f}  {max(values):6.2f}")
        late = sum(claimed > options.lease + 1 for claimed, _ in seconds)
        print(f"{name:14} later than the lease and a second: {late}")
    print(f"load at the end {os.getloadavg()[0]:.1f}")


if __name__ == "__main__":
    main()
