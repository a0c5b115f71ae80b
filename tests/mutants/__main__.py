"""`python -m tests.mutants`: take each guard away in turn, and name the test that misses it."""

import argparse
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from queue import SimpleQueue

from tests.mutants.every import EVERY
from tests.mutants.hunting import CannotBeTried, Tree, Verdict
from tests.mutants.mutant import CannotBeApplied, Mutant

THE_MACHINE = ("tests/state_machine",)


def main() -> int:
    """Hunt the mutants that were asked for; 1 if one of them survives or cannot be tried."""
    asked = argparse.ArgumentParser(prog="make mutants", description=__doc__)
    asked.add_argument("names", nargs="*", help="parts of names; all mutants if none is given")
    asked.add_argument("--lanes", type=int, default=2, help="how many at a time (2)")
    asked.add_argument("--machine", action="store_true", help="let the state machine alone look for them")
    options = asked.parse_args()
    chosen = [one for one in EVERY if not options.names or any(part in one.name for part in options.names)]
    trees: SimpleQueue[Tree] = SimpleQueue()

    def hunt(mutant: Mutant) -> Verdict | Exception:
        tree = trees.get()
        try:
            return tree.hunt(mutant, THE_MACHINE if options.machine else mutant.tests)
        except (CannotBeApplied, CannotBeTried) as error:
            return error
        finally:
            trees.put(tree)

    with tempfile.TemporaryDirectory(prefix="sheaf-mutants-") as folder, ThreadPoolExecutor(options.lanes) as lanes:
        for lane in range(options.lanes):
            trees.put(Tree(Path(folder) / str(lane)))
        at_large = 0
        for mutant, verdict in zip(chosen, lanes.map(hunt, chosen), strict=True):
            at_large += not (isinstance(verdict, Verdict) and verdict.noticed_by)
            _say(_line(mutant, verdict))
    _say(f"{len(chosen) - at_large} of {len(chosen)} mutants were noticed")
    return 1 if at_large else 0


def _line(mutant: Mutant, verdict: Verdict | Exception) -> str:
    if isinstance(verdict, Exception):
        return f"{mutant.name}: CANNOT BE TRIED: {verdict}"
    if verdict.noticed_by is None:
        return f"{mutant.name}: SURVIVED, so {mutant.why}"
    return f"{mutant.name}: {verdict.noticed_by}"


def _say(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
