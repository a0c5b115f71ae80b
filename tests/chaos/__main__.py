"""`make chaos`: run it, print what happened, exit with 1 if a promise was broken."""

import argparse
import os
import platform
import signal
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from tests.chaos import report
from tests.chaos.journal import Journal
from tests.chaos.run import run
from tests.chaos.script import Script
from tests.servers import postgres_programs


def main(arguments: Sequence[str] | None = None) -> int:
    """Run and report."""
    parser = argparse.ArgumentParser(prog="make chaos ARGS=…", description=__doc__)
    parser.add_argument("--jobs", type=int, default=200, help="exports that are wanted (%(default)s)")
    parser.add_argument("--owners", type=int, default=30, help="who want them, at the same time (%(default)s)")
    parser.add_argument("--minutes", type=float, default=60.0, help="after which no more are wanted (%(default)g)")
    parser.add_argument("--seed", type=int, default=1, help="of everything that is decided (%(default)s)")
    parser.add_argument(
        "--pace", type=float, default=1.0, help="times the seconds between faults, but PostgreSQL's (%(default)g)"
    )
    parser.add_argument("--logs", type=Path, help="an empty folder where they stay; else they go with the run")
    parser.add_argument("--markdown", action="store_true", help="print the block for bench/RESULTS.md too")
    options = parser.parse_args(arguments)
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.default_int_handler)  # a polite kill ends our processes in order
    script = Script(options.jobs, options.owners, options.seed, options.minutes, options.pace)
    with tempfile.TemporaryDirectory(prefix="sheaf-chaos-") as own:
        outcome = run(script, Journal(tell=lambda line: print(line, flush=True)), options.logs or Path(own))
    print(report.text(outcome))
    if options.markdown:
        programs = f"PostgreSQL {postgres_programs().parent.name}, Python {platform.python_version()}"
        print(f"\n{os.cpu_count()} cores, {programs}, three workers of one slot, leases of 4 s.\n")
        print(report.markdown(outcome))
    return 1 if outcome.journal.violations else 0


if __name__ == "__main__":
    sys.exit(main())
