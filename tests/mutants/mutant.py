"""A mutant: the code with one guard less, and the tests that hold the guard."""

from dataclasses import dataclass
from pathlib import Path


class CannotBeApplied(Exception):
    """The text that a mutant replaces is not there exactly once: the guard has moved, and its mutant has to."""


@dataclass(frozen=True, slots=True)
class Mutant:
    """One edit that must make one of its tests fail."""

    name: str
    file: str
    old: str
    new: str
    why: str
    """What could go wrong without the guard."""
    tests: tuple[str, ...]
    """Test files or single tests, as pytest names them."""

    def applied_to(self, text: str) -> str:
        """The file's text with the edit; raises `CannotBeApplied`."""
        found = text.count(self.old)
        if found != 1:
            raise CannotBeApplied(f"{self.name}: found {found} times in {self.file}: {self.old!r}")
        return text.replace(self.old, self.new)

    def missing_tests(self, root: Path) -> list[str]:
        """The tests of this mutant that the tree does not have."""
        return [test for test in self.tests if not _exists(root, test)]


def _exists(root: Path, test: str) -> bool:
    file, _, name = test.partition("::")
    source = root / file
    return source.exists() and (not name or f"\ndef {name}(" in source.read_text())
