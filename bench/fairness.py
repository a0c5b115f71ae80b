"""Who waits for whom: a small export behind a large one, and fifty owners at once.

    .venv/bin/python bench/fairness.py

1. an export of 10 orders alone, then again behind a running one of 2,000;
2. fifty owners who each want 20 documents, all at the same time: who has how many while it lasts.

API, two workers of one slot, PostgreSQL and Redis of its own. Takes four minutes on two cores.
"""

import argparse
import os
import platform
import tempfile
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import psycopg

from app.database.engines import sync_engine
from app.database.stores import create_token, find_store
from app.database.transactions import Database
from app.domain.principal import Right
from tests.installation import Installation, OwnerClient, distributed
from tests.migrated import LIMITS
from tests.servers import DURABLE, postgres_programs, running_postgres, running_redis
from tests.shop import orders


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--small", type=int, default=10, help="orders of the small export (%(default)s)")
    parser.add_argument("--large", type=int, default=2000, help="orders of the large one (%(default)s)")
    parser.add_argument("--owners", type=int, default=50, help="at once (%(default)s)")
    parser.add_argument("--each", type=int, default=20, help="orders of each of them (%(default)s)")
    parser.add_argument("--every", type=int, default=5, help="SHEAF_CHECKPOINT_EVERY (%(default)s)")
    options = parser.parse_args(arguments)
    programs = f"PostgreSQL {postgres_programs().parent.name}, Python {platform.python_version()}"
    print(f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}, {programs}; checkpoints of {options.every}")
    with (
        tempfile.TemporaryDirectory() as folder,
        running_postgres(DURABLE) as postgres,
        running_redis() as redis,
        distributed(
            Path(folder),
            postgres.url(postgres.create_database()),
            redis.url,
            SHEAF_CHECKPOINT_EVERY=str(options.every),
        ) as installation,
    ):
        with installation.owner("large") as large, installation.owner("small") as small:
            large.load(orders(max(options.large, options.each)))
            _small_behind_large(large, small, options.large, options.small)
        _many_owners(installation, options.owners, options.each)


def _small_behind_large(large: OwnerClient, small: OwnerClient, many: int, few: int) -> None:
    _export(small, few)  # the first one of all waits for children and caches
    alone = _export(small, few)
    running = large.create(selection={"order_ids": list(range(5001, 5001 + many))})
    large.until_rendered(running, 20)
    before = large.look(running)["counts"]["rendered"]
    behind = _export(small, few)
    after = large.look(running)
    assert after["state"] == "processing", after
    made = after["counts"]["rendered"]
    print(f"{few} orders alone: {alone:.1f} s; behind {many} that are at work: {behind:.1f} s, {behind / alone:.1f} ×")
    print(f"the large one had {before} documents when the small one came and {made} of {many} when it was done")
    large.post(running["links"]["cancel"])
    large.until_over(running)


def _export(client: OwnerClient, count: int) -> float:
    """Seconds from the POST to the end of an export of that many orders."""
    began = time.monotonic()
    export = client.until_over(client.create(selection={"order_ids": list(range(5001, 5001 + count))}))
    assert export["counts"]["rendered"] == count, export
    return time.monotonic() - began


def _many_owners(installation: Installation, owners: int, each: int) -> None:
    clients = [OwnerClient(installation, token) for token in _tokens(installation, owners)]
    wanted = {"selection": {"order_ids": list(range(5001, 5001 + each))}}
    began = time.monotonic()
    with ThreadPoolExecutor(10) as hands:
        created: list[dict[str, Any]] = list(hands.map(lambda client: client.create(**wanted), clients))
    print(f"\n{owners} owners, {each} documents each, all created within {time.monotonic() - began:.1f} s")
    print("     s   documents   least   most   Jain's index")
    ids = [export["id"] for export in created]
    url = str(installation.environment["SHEAF_DATABASE_URL"]).replace("+psycopg", "")
    shown, first_of_all = -1, None
    with psycopg.connect(url, autocommit=True) as connection:
        while True:
            rows = connection.execute("SELECT rendered, state FROM jobs WHERE id = ANY(%s::uuid[])", [ids]).fetchall()
            made = [rendered for rendered, _state in rows]
            elapsed = time.monotonic() - began
            if first_of_all is None and min(made) > 0:
                first_of_all = f"everybody has documents after {elapsed:.1f} s; nobody has more than {max(made)} then"
            if sum(made) * 10 // (owners * each) > shown:
                shown = sum(made) * 10 // (owners * each)
                print(f"{elapsed:6.1f} {sum(made):11} {min(made):7} {max(made):6} {_jain(made):14.3f}")
            if all(state == "completed" for _rendered, state in rows):
                break
            assert not any(state in {"failed", "cancelled"} for _rendered, state in rows), rows
            time.sleep(0.1)
        (spread,) = connection.execute(
            "SELECT extract(epoch FROM max(finished_at) - min(finished_at)) FROM jobs WHERE id = ANY(%s::uuid[])", [ids]
        ).fetchall()
    print(first_of_all)
    print(f"all completed after {elapsed:.1f} s, the first and the last of them {float(spread[0]):.1f} s apart")
    for client in clients:
        client.close()


def _tokens(installation: Installation, owners: int) -> list[str]:
    database = Database(sync_engine(str(installation.environment["SHEAF_DATABASE_URL"]), LIMITS))
    with database.transaction() as tx:
        store = find_store(tx, "demo")
        assert store is not None
        minted = [
            create_token(tx, store_id=store.id, owner=f"owner-{number}", rights=frozenset(Right), expires_at=None).text
            for number in range(owners)
        ]
    database.close()
    return minted


def _jain(shares: Sequence[int]) -> float:
    """Jain's index: (Σx)² / (n Σx²); 1 when all have the same, 1/n when one has everything."""
    squares = sum(share * share for share in shares)
    return sum(shares) ** 2 / (len(shares) * squares) if squares else 1.0


if __name__ == "__main__":
    main()
