"""A flash sale against our own API, twice: with its deadlines off and on, by the setting of the same code.

    .venv/bin/python bench/overload.py

Callers come as they like (open loop, more than twice what the database can do), give up after a second, close
their connection and ask twice more. The database is slow: 400 ms for each statement on an export. One API process
with its default settings on a private PostgreSQL and Redis, no worker. Takes three minutes, on two cores.

With deadlines off nothing is refused or stopped; the time-outs of the pool and of the statements stay.
"""

import argparse
import os
import platform
from collections.abc import Sequence
from importlib.metadata import version

from bench.flood.arrivals import TRIES, Phase
from bench.flood.database import slow_database
from bench.flood.story import AFTER, CALM, FLOOD, Story, run
from bench.flood.table import column, lines
from tests.servers import postgres_programs, running_redis


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the story twice and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--calm", type=float, default=5.0, help="callers a second before and after (%(default)s)")
    parser.add_argument("--flood", type=float, default=60.0, help="callers a second in the flood (%(default)s)")
    parser.add_argument(
        "--seconds", type=float, nargs=3, default=(8.0, 20.0, 30.0), help="of the calm, the flood and after %(default)s"
    )
    parser.add_argument("--slow-ms", type=float, default=400.0, help="of a statement on an export (%(default)s)")
    parser.add_argument("--deadline-ms", type=float, default=1000.0, help="of a caller (%(default)s)")
    parser.add_argument("--creates", type=float, default=0.25, help="part of the callers who create (%(default)s)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--set", nargs="*", default=[], metavar="SHEAF_X=Y", help="settings of the API, in both runs")
    options = parser.parse_args(arguments)
    calm, flood, after = options.seconds
    story = Story(
        phases=(Phase(CALM, calm, options.calm), Phase(FLOOD, flood, options.flood), Phase(AFTER, after, options.calm)),
        slow=options.slow_ms / 1000,
        deadline=options.deadline_ms / 1000,
        creates=options.creates,
        seed=options.seed,
    )
    settings = dict(one.split("=", 1) for one in options.set)
    with slow_database() as database, running_redis() as redis:
        off, on = (
            column(story, run(story, database, redis.url, **settings, SHEAF_DEADLINES=word)) for word in ("off", "on")
        )
    packages = ", ".join(f"{name} {version(name)}" for name in ("uvicorn", "fastapi", "sqlalchemy", "psycopg"))
    programs = f"PostgreSQL {postgres_programs().parent.name}, Python {platform.python_version()}"
    print(f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}, {programs}, {packages}")
    print(
        f"{flood:g} s of {options.flood:g} callers a second, {TRIES} tries of {options.deadline_ms:g} ms each;", end=" "
    )
    print(f"{options.calm:g} a second for {calm:g} s before and {after:g} s after; seed {options.seed}")
    print(f"statements on exports: {options.slow_ms:g} ms; settings: {' '.join(options.set) or 'the defaults'}")
    print(*lines(off, on), sep="\n")


if __name__ == "__main__":
    main()
