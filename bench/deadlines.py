"""How late answers are while a dependency stands still, beside the same load while it does not.

    .venv/bin/python bench/deadlines.py --calls 2000
    .venv/bin/python bench/deadlines.py --fault redis

Each fault has a real API process and private servers. Blocks of calls alternate: one without the fault, one
with it, so that what else the machine does falls on both. Budgets are random, 100 to 1,000 ms.
"""

import argparse
import multiprocessing
import os
import platform
import re
import tempfile
import time
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import httpx
from sqlalchemy.orm import Session

from app.database.engines import EngineLimits, sync_engine
from app.database.stores import create_store, create_token
from app.database.transactions import Database
from app.domain.principal import Right
from bench.lateness.calls import ROUND, Caller, Load, Seen, run
from bench.lateness.faults import FAULTS, Scene
from bench.lateness.figures import Comparison, lines
from tests.shop import order


def compare(scene: Scene, *, calls: int, beside: int, blocks: int, rate: float) -> Comparison:
    """Make that many calls with the fault, and those beside them without it, at the same rate."""
    found = Comparison()
    # one call of each in 1.1 s: none has begun its next one when its deadline comes
    callers = callers_of(scene, count=round(rate * 1.1))
    url, token = scene.installation.url, callers[0].token
    with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as elsewhere:

        def block(count: int, *, seed: int) -> Seen:
            nonlocal callers
            seen = elsewhere.submit(run, Load(url, callers, count, rate, seed)).result()
            callers = seen.callers
            return seen

        # connections, caches and plans; and everybody comes to an export
        block(2 * len(ROUND) * len(callers), seed=0)
        for number in range(blocks):
            found.control.add(block(beside // blocks, seed=number))
            with scene.fault():
                found.faulted.add(block(calls // blocks, seed=number))
            found.recoveries.append(_recovery(url, token))
    found.left_behind = _left_behind(url)
    return found


def callers_of(scene: Scene, *, count: int) -> list[Caller]:
    """That many owners of one store that has one order."""
    database = Database(sync_engine(scene.database_url, EngineLimits(connections=2, connect=5, statement=30, lock=10)))
    with database.transaction() as tx:
        store = create_store(tx, key="bench", name="Bench", address="1 Test Lane")
        callers = [Caller(_token(tx, store.id, f"owner-{number}"), turn=number) for number in range(count)]
    database.close()
    answer = httpx.post(
        f"{scene.installation.url}/v1/orders/import", json=[order(1)], headers=_authorization(callers[0].token)
    )
    assert answer.status_code == 200, answer.text
    return callers


def _token(tx: Session, store_id: int, owner: str) -> str:
    return create_token(tx, store_id=store_id, owner=owner, rights=frozenset(Right), expires_at=None).text


def _authorization(token: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {token}"}


def _recovery(url: str, token: str) -> float:
    """Milliseconds until a call succeeds; each has the deadline of a caller that gives none."""
    began = time.monotonic()
    while httpx.get(f"{url}/v1/exports", headers=_authorization(token), timeout=60).status_code != 200:
        assert time.monotonic() - began < 60, "no success within a minute of the release"
    return (time.monotonic() - began) * 1000


def _left_behind(url: str) -> str:
    """What the process holds once nobody calls."""
    time.sleep(1)
    text = httpx.get(f"{url}/metrics").text
    found = re.findall(r"^\w*?(zombies|pool_in_use)\{\w+=\"(\w+)\"\} (\d+)", text, re.MULTILINE)
    return ", ".join(f"{name} {label} {count}" for name, label, count in found)


def main() -> None:
    """Print a table for each fault."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--calls", type=int, default=20_000, help="with each fault")
    parser.add_argument("--beside", type=int, help="without it, at the same rate; as many if not said")
    parser.add_argument("--fault", choices=list(FAULTS), action="append", help="only this one; may be repeated")
    parser.add_argument("--blocks", type=int, default=4, help="into which the calls are divided")
    parser.add_argument("--rate", type=float, default=30.0, help="calls in a second")
    asked = parser.parse_args()
    print(f"{os.cpu_count()} cores, Python {platform.python_version()}, {asked.rate:g} calls/s")
    for name in asked.fault or FAULTS:
        with tempfile.TemporaryDirectory() as folder, FAULTS[name](Path(folder)) as scene:
            beside = asked.beside or asked.calls
            found = compare(scene, calls=asked.calls, beside=beside, blocks=asked.blocks, rate=asked.rate)
        print("\n" + "\n".join(lines(name, found)), flush=True)
    print(f"load of the machine at the end: {os.getloadavg()[0]:.1f}")


if __name__ == "__main__":
    main()
