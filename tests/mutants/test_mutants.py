"""The list of mutants keeps up with the code: each still applies, and its tests still exist."""

import pytest

from tests.mutants.every import EVERY
from tests.mutants.hunting import ROOT
from tests.mutants.mutant import CannotBeApplied, Mutant


@pytest.mark.parametrize("mutant", EVERY, ids=lambda mutant: mutant.name)
def test_a_mutant_applies_and_its_tests_exist(mutant):
    text = (ROOT / mutant.file).read_text()

    changed = mutant.applied_to(text)

    assert changed != text
    assert mutant.missing_tests(ROOT) == []
    compile(changed, mutant.file, "exec")


def test_every_mutant_has_a_name_of_its_own():
    assert len({mutant.name for mutant in EVERY}) == len(EVERY)


def test_a_guard_that_has_moved_is_told(tmp_path):
    moved = Mutant("moved", "a.py", "guard", "", "it is gone", ("tests/gone.py", "tests/a.py::test_gone"))

    with pytest.raises(CannotBeApplied):
        moved.applied_to("nothing")
    with pytest.raises(CannotBeApplied):
        moved.applied_to("guard, guard")
    assert moved.missing_tests(tmp_path) == ["tests/gone.py", "tests/a.py::test_gone"]
