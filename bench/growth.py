"""What one order costs as exports grow: planning, claiming and settling of 100 to 100,000, without rendering.

    chrt -f 5 .venv/bin/python -m bench.growth

In one process on a SQLite file and on PostgreSQL, both with their waits for the disk. Planning is timed with the file
names of the default pattern and with names that need more of the order. Settling is timed over some steps of the
middle, as a worker does them.
"""

import argparse
import json
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Final
from uuid import UUID, uuid4

from app.database import jobs, steps
from app.database.engines import sync_engine
from app.database.items import ItemResult, checkpoint, pending_items
from app.database.orders import OrderContent, OrderIndex, store_orders
from app.database.planning import plan
from app.database.stores import create_store
from app.database.transactions import Database
from app.domain.filename_patterns import DEFAULT_PATTERN
from app.domain.identity import job_id
from app.domain.lifecycle import Outcome
from app.domain.principal import Owner
from app.domain.selection import Selection, Sort
from bench.mixed import mixed_orders
from tests.migrated import LIMITS, migrated_database, migrated_file
from tests.servers import DURABLE, running_postgres

SIZES: Final = (100, 1_000, 10_000, 100_000)
PATTERNS: Final = (DEFAULT_PATTERN, "{date}-{number}-{customer}")
FIRST: Final = 1_790_000_000
"""The second after which the first order was made, and each one a second after the one before."""
SETTLED: Final = 20
"""Steps of ten that are claimed, loaded and settled."""


def run(*, quick: bool) -> str:
    """The tables, in some one minute or two."""
    sizes = SIZES[:-1] if quick else SIZES
    lines = ["growth: microseconds an order       planned    planned, names of 3 parts    claimed, loaded, settled"]
    for name, database in databases(sizes[-1]):
        for count in sizes:
            plain, named = (plan_of(database, count, pattern) for pattern in PATTERNS)
            settled = settle_some(database, plain[0])
            cells = (plain[1] / count, named[1] / count, settled / min(count, 10 * SETTLED))
            lines.append(f"  {name:12} {count:9,}         {''.join(f'{1e6 * one:14.0f}' for one in cells)}")
    return "\n".join(lines)


def databases(most: int) -> Iterator[tuple[str, Database]]:
    """Each with the orders of the largest export in a store."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "sheaf.db"
        file.write_bytes(migrated_file())
        with loaded(f"sqlite:///{file}", most) as database:
            yield "SQLite", database
    with running_postgres(DURABLE) as server, loaded(migrated_database(server), most) as database:
        yield "PostgreSQL", database


@contextmanager
def loaded(url: str, most: int) -> Iterator[Database]:
    """A database with orders whose contents are those of a few mixed ones."""
    database = Database(sync_engine(url, LIMITS))
    payloads = [json.dumps(order) for order in mixed_orders(100)]
    with database.transaction() as tx:
        create_store(tx, key="bench")
    for first in range(0, most, 1000):
        with database.transaction() as tx:
            store_orders(tx, 1, [content(number, payloads) for number in range(first + 1, first + 1001)])
    yield database
    database.close()


def content(number: int, payloads: Sequence[str]) -> OrderContent:
    """An order as an import stores it."""
    index = OrderIndex(
        shop_id=number,
        number=str(number),
        number_sort=f"{number:020}",
        status="completed",
        created_at=datetime.fromtimestamp(FIRST + number, UTC),
        modified_at=datetime(2026, 11, 1, tzinfo=UTC),
        customer_id=number % 997,
        customer=f"Greta Muster-{number % 997}",
        customer_sort=f"greta muster-{number % 997}",
        currency="EUR",
        country="DE",
        total_sort=float(number),
        file_stem=str(number),
        file_key=str(number),
    )
    return OrderContent(index, payloads[number % len(payloads)], ())


def plan_of(database: Database, count: int, pattern: str) -> tuple[UUID, float]:
    """The id of a job of so many orders and the seconds that its planning took, with its COMMIT."""
    owner = Owner(1, "bench", uuid4().hex)
    new = jobs.NewJob(
        id=job_id(store=owner.store, owner=owner.name, key="k"),
        owner=owner,
        idempotency_key="k",
        fingerprint="f",
        document_type="invoice",
        layout="separate",
        selection=json.dumps(Selection(order_ids=tuple(range(1, count + 1))).to_json()),
        sort=Sort.CREATED,
        checkpoint_every=10,
        filename_pattern=pattern,
    )
    with database.transaction() as tx:
        assert jobs.insert_job(tx, new) is not None
    claim = claimed(database, new.id)
    began = time.monotonic()
    with database.transaction() as tx:
        plan(tx, claim, max_items=SIZES[-1])
    return new.id, time.monotonic() - began


def settle_some(database: Database, job: UUID) -> float:
    """Seconds for some steps: claim, load, checkpoint, each in transactions of its own."""
    began = time.monotonic()
    for _ in range(SETTLED):
        claim = claimed(database, job)
        if claim.kind is not steps.StepKind.RENDER:
            break
        with database.reading() as tx:
            items = pending_items(tx, claim)
        results = [ItemResult(one.ordinal, Outcome.RENDERED, pages=1, bytes=9, sha256="0" * 64) for one in items]
        with database.transaction() as tx:
            checkpoint(tx, claim, results, artifact="a")
    return time.monotonic() - began


def claimed(database: Database, job: UUID) -> steps.Claim:
    """The job's next step."""
    with database.reading() as tx:
        steps.candidates(tx)
    with database.transaction() as tx:
        claim = steps.claim_step(tx, job, holder=uuid4(), host="bench", lease=600)
    assert claim is not None
    return claim


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="not the largest")
    print(run(quick=parser.parse_args().quick))


if __name__ == "__main__":
    main()
