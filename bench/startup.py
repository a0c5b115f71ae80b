"""How long `sheaf` takes to say what it can do, beside an interpreter that does nothing.

    chrt -f 5 .venv/bin/python -m bench.startup

The commands take turns, so that the machine's noise falls on each alike.
"""

import statistics
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Final

SHEAF: Final = str(Path(sys.executable).with_name("sheaf"))
COMMANDS: Final = {
    "python -c pass": (sys.executable, "-c", "pass"),
    "sheaf --version": (SHEAF, "--version"),
    "sheaf --help": (SHEAF, "--help"),
    "sheaf export --help": (SHEAF, "export", "--help"),
}


def run(*, quick: bool) -> str:
    """The table, in some ten seconds or forty."""
    rounds = 10 if quick else 40
    taken: dict[str, list[float]] = {name: [] for name in COMMANDS}
    for _ in range(rounds):
        for name, command in COMMANDS.items():
            taken[name].append(seconds_of(command))
    bare = statistics.median(taken["python -c pass"])
    lines = [f"start-up, {rounds} turns each                median    least     most   × the interpreter"]
    for name, seconds in taken.items():
        median = statistics.median(seconds)
        figures = "".join(f"{1000 * value:6.0f} ms" for value in (median, min(seconds), max(seconds)))
        lines.append(f"  {name:36} {figures}   {median / bare:6.1f}")
    return "\n".join(lines)


def seconds_of(command: Sequence[str]) -> float:
    """From the start of a process to its end."""
    began = time.perf_counter()
    subprocess.run(command, stdout=subprocess.DEVNULL, check=True)
    return time.perf_counter() - began


def main() -> None:
    """Print the table."""
    print(run(quick=False))


if __name__ == "__main__":
    main()
