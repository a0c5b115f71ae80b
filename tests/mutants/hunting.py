"""Trying a mutant: its edit in a copy of the tree, and its tests there."""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from tests.mutants.mutant import Mutant

ROOT: Final = Path(__file__).parents[2]
ROOMS: Final = ("app", "worker", "migrations", "tests", "bench", "samples")
ANSWERS_WITHIN: Final = 1200.0
"""Seconds for a mutant's tests; one that hangs them has been noticed too."""
FAILED, NO_TEST_RAN = 1, 5


class CannotBeTried(Exception):
    """The tests did not run to an end, so that they say nothing of the mutant."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """What became of a mutant."""

    mutant: Mutant
    noticed_by: str | None
    """The test that failed; None if the mutant survived."""


class Tree:
    """A copy of the source in a folder, which one mutant at a time may change."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        for room in ROOMS:
            shutil.copytree(ROOT / room, folder / room, ignore=shutil.ignore_patterns("__pycache__"))
        for file in ROOT.iterdir():
            if file.is_file():
                shutil.copy(file, folder)

    def hunt(self, mutant: Mutant, tests: Sequence[str]) -> Verdict:
        """Run the tests with the mutant in place; raises `CannotBeApplied` and `CannotBeTried`."""
        file = self.folder / mutant.file
        original = file.read_text()
        file.write_text(mutant.applied_to(original))
        try:
            return Verdict(mutant, self._first_failure(tests))
        finally:
            file.write_text(original)

    def _first_failure(self, tests: Sequence[str]) -> str | None:
        command = [sys.executable, "-m", "pytest", "-x", "-q", "--no-header", "--tb=no", "-p", "no:cacheprovider"]
        environment = {**os.environ, "PYTHONPATH": str(self.folder), "PYTHONDONTWRITEBYTECODE": "1"}
        try:
            done = subprocess.run(
                [*command, *tests],
                cwd=self.folder,
                env=environment,
                capture_output=True,
                text=True,
                check=False,
                timeout=ANSWERS_WITHIN,
            )
        except subprocess.TimeoutExpired:
            return "no end in sight"
        if done.returncode == 0:
            return None
        found = re.search(r"^(?:FAILED|ERROR) (\S+)", done.stdout, flags=re.MULTILINE)
        if done.returncode != FAILED or found is None:
            raise CannotBeTried(done.stdout[-2000:] + done.stderr[-2000:])
        return found[1]
