"""Whatever owners, workers, keepers, operators and shopkeepers do in whatever order, the promises hold."""

import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import run_state_machine_as_test
from hypothesis.strategies import SearchStrategy
from hypothesis.strategies._internal.featureflags import FeatureFlags

from tests.database.conftest import Bench
from tests.state_machine.machine import Machine

ANY = settings(deadline=None, suppress_health_check=list(HealthCheck), print_blob=True)
# the same every time, and without shrinking: a failing sequence is shown as it was found
SHORT = settings(ANY, phases=(Phase.generate,), max_examples=9, stateful_step_count=40, derandomize=True, database=None)
LONG = settings(ANY, max_examples=400, stateful_step_count=60)


class EveryRule(Machine):
    """Hypothesis turns some rules off in each sequence, which pays in hundreds of them but not in a dozen."""

    def __init__(self, bench: Bench) -> None:
        super().__init__(bench)
        assert isinstance(self._rules_strategy.enabled_rules_strategy, SearchStrategy)
        self._rules_strategy.enabled_rules_strategy = st.builds(FeatureFlags)


def test_the_promises_hold_whatever_happens(bench):
    run_state_machine_as_test(lambda: EveryRule(bench), settings=SHORT)


@pytest.mark.long
def test_the_promises_hold_for_long(bench):
    run_state_machine_as_test(lambda: Machine(bench), settings=LONG)
