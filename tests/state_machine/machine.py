"""The whole machine, and the calm that comes after it."""

import sys
from uuid import uuid4

from hypothesis import strategies as st
from hypothesis.stateful import precondition, rule

from app.domain.lifecycle import JobState
from tests.state_machine.keepers import Keepers
from tests.state_machine.operators import Operators
from tests.state_machine.owners import keys
from tests.state_machine.passing import A_WHILE, let_pass
from tests.state_machine.retries import Retries
from tests.state_machine.shopkeepers import Shopkeepers
from tests.state_machine.workers import Workers, failures

MOST_STEPS = 100
"""More than all steps of three small jobs together, opened again or not."""


class Machine(Retries, Workers, Keepers, Operators, Shopkeepers):
    """Owners, workers, keepers, operators and shopkeepers at once."""

    @precondition(lambda self: self.live_hands())
    @rule(data=st.data(), is_ready=st.booleans())
    def cancel_under_work(self, data: st.DataObject, is_ready: bool) -> None:
        """An owner cancels while somebody works, who goes on with or without having heard of it."""
        hand = data.draw(st.sampled_from(self.live_hands()))
        if is_ready:
            self.prepare(hand)
        self.cancel(hand.claim.job_id, self.reality.jobs[hand.claim.job_id].owner)
        self.do_something(data, hand)

    @precondition(lambda self: self.reality.in_state(JobState.QUEUED, JobState.PROCESSING))
    @rule(data=st.data(), failing=failures, key=keys, every=st.integers(1, 3))
    def end_and_retry(self, data: st.DataObject, failing: frozenset[int], key: str, every: int) -> None:
        """A job comes to an end, with failures or not, and its owner wants the rest at once."""
        job = data.draw(st.sampled_from(self.reality.in_state(JobState.QUEUED, JobState.PROCESSING)))
        while self.reality.jobs[job.id].state.is_active and (hand := self.claim(job.id, uuid4())) is not None:
            self.prepare(hand, failing)
            self.settle(hand)
        self.retry(job.id, job.owner, key, every)

    def teardown(self) -> None:
        """One calm, healthy worker comes: everything that was accepted ends, and nothing is left over."""
        if sys.exc_info()[0] is not None:
            return  # a rule has failed, and its report is the one to read
        let_pass(self.bench.database, A_WHILE)
        self.see()
        self.end_overdue_cancels()
        for _ in range(MOST_STEPS):
            if not self.reality.in_state(JobState.QUEUED, JobState.PROCESSING):
                break
            hand = self.claim(self.look_for_work()[0], uuid4())
            if hand is not None:
                self.prepare(hand)
                self.settle(hand)
        assert all(job.state.is_terminal for job in self.reality.jobs.values()), "accepted is durable"
        self.sweep_artifacts()
        assert set(self.shelf.objects) == self.kept_archives() & set(self.shelf.objects)
