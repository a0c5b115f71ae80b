"""Make every document that the orders of some files are owed, and hold what is printed against what is stored.

    .venv/bin/python -m tests.printed samples
    .venv/bin/python -m tests.printed orders.json refunds.json more/

Files are as an import takes them; of a folder all `*.json` are read. Prints how many of each type there are, and each
difference. The exit code is 1 if there is any.
"""

import argparse
import sys
from collections import Counter
from pathlib import Path

from tests.printed.found import find
from tests.printed.holding import held


def main() -> int:
    """Print counts and differences."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("paths", nargs="+", type=Path)
    findings = find(parser.parse_args().paths)
    counts: Counter[tuple[str, str]] = Counter()
    differences = []
    for found in findings.orders:
        for document in held(found):
            counts[document.kind, document.outcome] += 1
            differences += [
                f"{found.file}: {document.kind} of order {found.order.number}: {document.outcome}: {difference}"
                for difference in document.differences
            ]
    print(f"{len(findings.orders)} orders, {len(findings.refused)} entries that are none")
    for (kind, outcome), count in sorted(counts.items()):
        print(f"  {kind:13} {outcome:20} {count:5}")
    for line in (*findings.refused, *differences):
        print(line)
    print(f"{len(differences)} differences")
    return 1 if differences else 0


if __name__ == "__main__":
    sys.exit(main())
