"""Every table of `make bench` in one run: what was measured, beside what, on which machine, and how noisy that was.

make bench                 about five minutes
make bench ARGS=--full     about half an hour
make bench ARGS='startup polling'
"""

import argparse
import os
import platform
import statistics
import sys
import time
import traceback
from collections.abc import Sequence
from importlib import import_module
from importlib.metadata import version
from importlib.util import find_spec
from typing import Final

TABLES: Final = ("startup", "render", "peers", "throughput", "packaging", "growth", "polling", "memory")
"""Modules of this folder with a function `run`, in the order of their printing."""
PACKAGES: Final = ("weasyprint", "sqlalchemy", "psycopg", "fastapi", "uvicorn", "dramatiq", "pebble")


def main() -> int:
    """Print the tables; 1 if one of them could not be made."""
    parser = argparse.ArgumentParser(prog="make bench", description=__doc__)
    parser.add_argument("names", nargs="*", help=f"of {', '.join(TABLES)}; all if none is given")
    parser.add_argument("--full", action="store_true", help="the sizes of RESULTS.md, not the quick ones")
    options = parser.parse_args()
    _say(machine())
    broken = 0
    for name in options.names or TABLES:
        if find_spec(f"bench.{name}") is None:
            continue
        began = time.monotonic()
        try:
            table = import_module(f"bench.{name}").run(quick=not options.full)
        except Exception:  # noqa: BLE001 - the tables after it are wanted all the same
            table, broken = f"{name} failed:\n{traceback.format_exc()}", broken + 1
        _say(f"\n{table}\n  [{name}: {time.monotonic() - began:.0f} s, load now {os.getloadavg()[0]:.1f}]")
    return 1 if broken else 0


def machine() -> str:
    """Cores, versions, and by how much the same piece of work differs from time to time."""
    packages = ", ".join(f"{name} {version(name)}" for name in PACKAGES)
    python = f"Python {platform.python_version()} on {platform.system()} {platform.release()}"
    found = noise()
    return (
        f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}, {python}\n{packages}\n"
        f"noise: the same half second of arithmetic took {min(found):.2f} – {max(found):.2f} s, median "
        f"{statistics.median(found):.2f} s, in {len(found)} turns"
    )


def noise(turns: int = 9) -> Sequence[float]:
    """Seconds that a fixed piece of work takes, again and again."""
    taken = []
    for _ in range(turns):
        began = time.perf_counter()
        sum(number * number for number in range(5_000_000))
        taken.append(time.perf_counter() - began)
    return taken


def _say(text: str) -> None:
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
