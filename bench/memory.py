"""Memory of an API process, a worker and its children while exports of 500, 5,000 and 50,000 documents are made.

    chrt -f 5 .venv/bin/python -m bench.memory

On PostgreSQL. Every document is a copy of one, for it is not the renderer that is asked (`bench.tiny`):
planning, claims, checkpoints, artifacts, packaging and progress are those of any export. Memory is what is a process's
own, the most that was seen in each export.
"""

import argparse
import sys
import tempfile
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from bench.growth import FIRST, loaded
from bench.large import AS_SHIPPED
from bench.large import run as watched
from tests.installation import distributed, renderers_of
from tests.processes import MIB
from tests.servers import DURABLE, running_postgres
from tests.waiting import until

SIZES: Final = (500, 5_000, 50_000)
SLOTS: Final = 2


def run(*, quick: bool) -> str:
    """The table, in some one minute or seven."""
    return table(SIZES[:2] if quick else SIZES)


def table(sizes: Sequence[int]) -> str:
    """The most memory of each process, and documents a second without rendering."""
    lines = ["memory in MiB, without rendering        API   worker   largest child   documents/s"]
    with tempfile.TemporaryDirectory() as folder, running_postgres(DURABLE) as postgres:
        url = postgres.url(postgres.create_database())
        settings = {**AS_SHIPPED, "SHEAF_WORKER_SLOTS": str(SLOTS)}
        with distributed(Path(folder), url, None, workers=0, **settings) as installation:
            with loaded(url, sizes[-1]):
                worker = installation.add_worker((sys.executable, "-m", "bench.tiny"))
            until(lambda: len(renderers_of(worker)) == SLOTS, within=60)
            with installation.owner(store="bench") as owner:
                watched(owner, 100, selection=the_first(100))  # what every first one brings
                for count in sizes:
                    seen, seconds = watched(owner, count, selection=the_first(count))
                    most = [
                        max(getattr(part, who) for part in seen.parts) / MIB for who in ("server", "worker", "child")
                    ]
                    cells = "".join(f"{one:8.0f}" for one in most)
                    lines.append(f"  {count:9,} documents             {cells} {count / seconds:20.1f}")
    return "\n".join(lines)


def the_first(count: int) -> dict[str, Any]:
    """A selection of so many orders by when they were made, as large exports are asked for."""
    times = (datetime.fromtimestamp(FIRST + number, UTC).isoformat() for number in (1, count + 1))
    return {"created": dict(zip(("from", "to"), times, strict=True))}


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", type=int, nargs="*", default=SIZES)
    print(table(parser.parse_args().sizes))


if __name__ == "__main__":
    main()
