"""How much of the renderer an export keeps: the same invoices by a plain loop, the bare pool and two installations.

    .venv/bin/python -m bench.throughput --orders 500

1. a plain loop over the page as it is usually written, in one process, over a part of the orders;
2. the bare renderer pool, one child a core;
3. POST to archive through `sheaf serve`;
4. POST to archive through PostgreSQL, Redis, an API process and a worker process.

They take turns in one run. All children are there before the clock starts.
"""

import argparse
import json
import os
import statistics
import tempfile
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from datetime import timedelta
from multiprocessing import get_context
from pathlib import Path
from typing import Any, Final

from app.documents.contract import RenderedDocument, RenderRequest
from app.documents.pool import RendererPool
from bench.mixed import mixed_orders
from bench.renderers import ways
from bench.renderers.usual import usual_page
from tests.installation import Installation, OwnerClient, distributed, embedded, renderers_of
from tests.servers import DURABLE, running_postgres, running_redis

CORES: Final = os.cpu_count() or 1
SHIPPED: Final = {"SHEAF_WORKER_SLOTS": str(CORES), "SHEAF_SWEEP_SECONDS": "30"}
"""As installations run, where those of tests differ."""
BESIDE: Final = "bare pool beside {}"
LOOP: Final = 8
"""Of so many orders the loop makes one: it tells its rate as well, and takes its time."""


def run(*, quick: bool) -> str:
    """The table, in some one minute or ten."""
    return table(100 if quick else 500, rounds=1 if quick else 3)


def table(count: int, *, rounds: int) -> str:
    """Documents a second of each way, and how much of the pool the exports keep, round by round."""
    given = mixed_orders(count)
    requests = [ways.request_for(json.dumps(order)) for order in given]
    rates: dict[str, list[float]] = {}
    with running_pool() as pool, running_installations(given) as owners:
        for _ in range(rounds):
            rates.setdefault("plain loop, one process", []).append(rate_of_loop(given[::LOOP]))
            # the pool runs before and after each export: half of what it takes on both sides is what the export is
            # held against, so that a machine which gets slower or faster meanwhile does so for both
            before = seconds_of_pool(pool, requests)
            for name, owner in owners.items():
                export = seconds_of_export(owner, count)
                after = seconds_of_pool(pool, requests)
                rates.setdefault(BESIDE.format(name), []).append(2 * count / (before + after))
                rates.setdefault(name, []).append(count / export)
                before = after
    base = statistics.median(rates["plain loop, one process"])
    lines = [f"{count} mixed invoices, {rounds} rounds           documents/s (least – most)   × the loop"]
    for name, found in rates.items():
        median = statistics.median(found)
        lines.append(f"  {name:40} {median:6.1f} ({min(found):.1f} – {max(found):.1f})   {median / base:5.2f}")
    for name in owners:
        kept = [export / bare for export, bare in zip(rates[name], rates[BESIDE.format(name)], strict=True)]
        told = ", ".join(f"{one:.1%}" for one in kept)
        lines.append(f"  {name} keeps of the pool before and after it: {told}; {statistics.mean(kept):.1%}")
    return "\n".join(lines)


@contextmanager
def running_pool() -> Iterator[RendererPool]:
    """One child a core, ready."""
    pool = RendererPool(
        workers=CORES, time_limit=timedelta(seconds=60), memory_limit=1 << 30, documents_per_child=100_000
    )
    pool.warm_up()
    try:
        yield pool
    finally:
        pool.close()


@contextmanager
def running_installations(given: Sequence[dict[str, Any]]) -> Iterator[dict[str, OwnerClient]]:
    """Each with the orders and children that have made a document."""
    with ExitStack() as stack:
        one, other = (Path(stack.enter_context(tempfile.TemporaryDirectory())) for _ in range(2))
        served = stack.enter_context(embedded(one, **SHIPPED))
        postgres = stack.enter_context(running_postgres(DURABLE))
        redis = stack.enter_context(running_redis())
        url = postgres.url(postgres.create_database())
        fleet = stack.enter_context(distributed(other, url, redis.url, workers=1, **SHIPPED))
        owners = {"sheaf serve": served, "PostgreSQL and Redis": fleet}
        yield {name: stack.enter_context(warm(running, given)) for name, running in owners.items()}


@contextmanager
def warm(installation: Installation, given: Sequence[dict[str, Any]]) -> Iterator[OwnerClient]:
    """An owner whose orders are there, after an export of a few of them."""
    with installation.owner() as owner:
        for place in range(0, len(given), 500):
            owner.load(list(given[place : place + 500]))
        host = installation.workers[0] if installation.workers else installation.server
        assert host is not None
        while len(renderers_of(host)) < CORES:
            owner.until_over(owner.create(selection={"order_ids": [one["id"] for one in given[: 10 * CORES]]}))
        yield owner


def rate_of_loop(given: Sequence[dict[str, Any]]) -> float:
    """Documents a second of a loop in a process of its own; the first document is not counted."""
    with get_context("spawn").Pool(1) as process:
        seconds: float = process.apply(seconds_of_loop, (list(map(json.dumps, given)),))
    return (len(given) - 1) / seconds


def seconds_of_loop(orders: Sequence[str]) -> float:
    """In the loop's process."""
    pages, make = list(map(usual_page, orders)), ways.plain()
    make(pages[0])
    began = time.monotonic()
    for page in pages[1:]:
        make(page)
    return time.monotonic() - began


def seconds_of_pool(pool: RendererPool, requests: Sequence[RenderRequest]) -> float:
    """All documents, as many at a time as there are children."""
    began = time.monotonic()
    with ThreadPoolExecutor(CORES) as threads:
        assert all(isinstance(made, RenderedDocument) for made in threads.map(pool.render, requests))
    return time.monotonic() - began


def seconds_of_export(owner: OwnerClient, count: int) -> float:
    """From the POST to the archive, watched as clients do: each wait ends with the next change."""
    began = time.monotonic()
    export, headers = owner.create(), {"Prefer": "wait=20"}
    while export["state"] not in {"completed", "failed"}:
        answer = owner.get(export["links"]["self"], headers=headers)
        if answer.status_code == 200:
            export, headers = answer.json(), {**headers, "If-None-Match": answer.headers["etag"]}
    assert export["counts"]["rendered"] == count, export
    return time.monotonic() - began


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--orders", type=int, default=500)
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    print(table(options.orders, rounds=options.rounds))


if __name__ == "__main__":
    main()
