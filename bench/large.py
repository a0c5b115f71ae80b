"""Thousands of orders through a whole installation: documents a second, memory and database, from tenth to tenth.

    .venv/bin/python -m bench.large --orders 10000

1. `sheaf serve` on a folder, two slots;
2. PostgreSQL, Redis, an API process and two worker hosts of one slot each, statements counted by the server.

What is measured is from the POST to the archive; the import is told beside it. Memory is what is a process's own
(`RssAnon`), the API's or server's, the largest of the workers', the largest of the children's. The last line is what it
took from the last document to the archive.
"""

import argparse
import os
import platform
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from subprocess import Popen
from typing import Any, Final

from bench.mixed import mixed_orders
from tests.installation import Installation, OwnerClient, distributed, embedded, renderers_of
from tests.processes import MIB, private_memory
from tests.servers import DURABLE, postgres_programs, running_postgres, running_redis

PARTS: Final = 10
"""Lines of a table."""
PATIENCE: Final = 3600.0
"""Seconds until an export is given up."""
AS_SHIPPED: Final[Mapping[str, str]] = {"SHEAF_SWEEP_SECONDS": "60"}
COUNTING: Final[Mapping[str, str]] = {**DURABLE, "shared_preload_libraries": "pg_stat_statements"}


@dataclass
class Part:
    """What was seen until so many documents were done."""

    done: int
    seconds: float
    server: int
    worker: int
    child: int


@dataclass
class Seen:
    """A running measurement: the parts so far, and the most memory since the last one, in bytes."""

    installation: Installation
    parts: list[Part] = field(default_factory=list)
    server: int = 0
    worker: int = 0
    child: int = 0

    def look(self) -> None:
        """Look at the memory of every process."""
        assert self.installation.server is not None
        workers = [*self.installation.workers]
        children = [child for one in (self.installation.server, *workers) for child in renderers_of(one)]
        self.server = max(self.server, private_memory(self.installation.server.pid))
        self.worker = max([self.worker, *(private_memory(one.pid) for one in workers)])
        self.child = max([self.child, *map(private_memory, children)])

    def end_part(self, done: int, seconds: float) -> None:
        """The next line begins."""
        self.parts.append(Part(done, seconds, self.server, self.worker, self.child))
        self.server = self.worker = self.child = 0


def run(client: OwnerClient, count: int, **asked: Any) -> tuple[Seen, float]:
    """Create the export and look until it has ended; what was seen, and the seconds from POST to archive."""
    seen = Seen(client.installation)
    began = time.monotonic()
    export = client.create(**asked)
    next_at = count / PARTS
    while time.monotonic() - began < PATIENCE:
        seen.look()
        answer = client.get(export["links"]["self"])
        if answer.status_code in {503, 504}:
            continue  # a busy machine: it refuses in time, as it should
        found = answer.json()
        done = found["counts"]["rendered"]
        if done >= next_at:
            seen.end_part(done, time.monotonic() - began)
            next_at = (done * PARTS // count + 1) * count / PARTS
        if found["state"] == "completed":
            assert done == count, found
            seconds = time.monotonic() - began
            seen.end_part(done, seconds)
            return seen, seconds
        assert found["state"] in {"queued", "processing"}, found
        time.sleep(0.5)
    raise AssertionError(f"never ended: {found}")


def put(name: str, count: int, imported: float, seen: Seen, seconds: float) -> None:
    """Print one installation's table."""
    print(f"\n{name}: {count} orders imported in {imported:.0f} s; POST to archive {seconds:.0f} s, "
          f"{count / seconds:.1f} documents/s")  # fmt: skip
    print(f"  {'documents':>10} {'a second':>9} {'server':>8} {'worker':>8} {'child':>8}  MiB")
    done, at = 0, 0.0
    for part in seen.parts:
        took = part.seconds - at
        shown = f"{(part.done - done) / took:9.1f}" if part.done > done else f"{f'+ {took:.1f} s':>9}"
        sizes = " ".join(f"{size / MIB:8.0f}" for size in (part.server, part.worker, part.child))
        print(f"  {part.done:10} {shown} {sizes}")
        done, at = part.done, part.seconds


def through_serve(given: list[dict[str, Any]]) -> None:
    """`sheaf serve`, and what its file grew by."""
    with tempfile.TemporaryDirectory() as folder, embedded(Path(folder), **AS_SHIPPED) as installation:
        with installation.owner() as client:
            imported = loaded(client, given)
            before = file_bytes(Path(folder) / "data")
            seen, seconds = run(client, len(given))
            grown = file_bytes(Path(folder) / "data") - before
        put("sheaf serve", len(given), imported, seen, seconds)
        print(f"  database file: {grown / len(given):.0f} bytes a document")


def file_bytes(folder: Path) -> int:
    """What the database's files take."""
    return sum(file.stat().st_size for file in folder.glob("sheaf.db*"))


@contextmanager
def counted(installation: Installation, count: int) -> Iterator[None]:
    """Print what the block was for PostgreSQL, a document."""
    state = (
        "SELECT sum(calls), (SELECT xact_commit FROM pg_stat_database WHERE datname = current_database()), "
        "pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0'), pg_database_size(current_database()) FROM pg_stat_statements "
        "WHERE dbid = (SELECT oid FROM pg_database WHERE datname = current_database())"
    )
    (before,) = installation.ask(state)
    yield
    time.sleep(1)  # a session tells its counts at most once a second
    (after,) = installation.ask(state)
    grown = [(float(last) - float(first)) / count for first, last in zip(before, after, strict=True)]
    statements, commits, log, size = grown
    print(f"  a document: {statements:.1f} statements, {commits:.1f} transactions, {log / 1024:.1f} KiB of log, "
          f"{size:.0f} bytes of database; the polls of this bench included")  # fmt: skip


def through_fleet(given: list[dict[str, Any]]) -> None:
    """PostgreSQL, Redis and two worker hosts."""
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        postgres = stack.enter_context(running_postgres(COUNTING))
        redis = stack.enter_context(running_redis())
        url = postgres.url(postgres.create_database())
        installation = stack.enter_context(distributed(folder, url, redis.url, **AS_SHIPPED))
        installation.ask("CREATE EXTENSION pg_stat_statements")
        with installation.owner() as client:
            imported = loaded(client, given)
            with counted(installation, len(given)):
                seen, seconds = run(client, len(given))
                put("PostgreSQL, Redis, two worker hosts", len(given), imported, seen, seconds)


def loaded(client: OwnerClient, given: list[dict[str, Any]]) -> float:
    """Import them, and wait until every renderer is there; the seconds of the import."""
    began = time.monotonic()
    for place in range(0, len(given), 1000):
        client.load(given[place : place + 1000])
    took = time.monotonic() - began
    hosts: list[Popen[bytes]] = client.installation.workers or [client.installation.server]  # type: ignore[list-item]
    while not all(renderers_of(host) for host in hosts):
        assert time.monotonic() - began < PATIENCE
        time.sleep(0.1)
    return took


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--orders", type=int, default=10_000)
    parser.add_argument("--only", choices=("serve", "fleet"))
    options = parser.parse_args(arguments)
    programs = f"PostgreSQL {postgres_programs().parent.name}, Python {platform.python_version()}"
    print(f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}, {programs}")
    given = mixed_orders(options.orders)
    if options.only != "fleet":
        through_serve(given)
    if options.only != "serve":
        through_fleet(given)


if __name__ == "__main__":
    main()
