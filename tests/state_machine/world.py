"""What every rule works on: a real database, the workers' hands, the artifacts, and what was promised so far."""

from collections.abc import Callable
from typing import Any, TypeVar
from uuid import UUID

import pytest
from hypothesis.stateful import RuleBasedStateMachine
from sqlalchemy import Row, delete
from sqlalchemy.orm import Session

from app.database.steps import ClaimLost, candidates, claim_step
from app.database.tables import DeletedJobRow, HostRow, ItemRow, JobRow, LeaseRow, StepRow
from app.domain.lifecycle import JobState, Outcome, StepKind, StepState
from app.domain.selection import Selection
from tests.database.conftest import Bench
from tests.state_machine import promises
from tests.state_machine.hands import Hand, Shelf
from tests.state_machine.passing import ARCHIVE_GRACE, LEASE
from tests.state_machine.reality import Moment, Reality, Standing, look
from tests.state_machine.shop import ORDERS

Answer = TypeVar("Answer")
HOST_NAME = "h:1"
"""The one host on which all hands work."""


class World(RuleBasedStateMachine):
    """After each transaction the database is read whole and held to the promises."""

    def __init__(self, bench: Bench) -> None:
        super().__init__()
        self.bench = bench
        self.hands: list[Hand] = []
        self.shelf = Shelf()
        self.damaged: set[str] = set()
        self.cancelled: set[UUID] = set()
        """Jobs whose owner was told that they stop."""
        self.selections: dict[UUID, Selection] = {}
        """What each job, or the one that it retries, asked for."""
        self.promised: dict[UUID, frozenset[int]] = {}
        """The orders that existed when each job was accepted, of those that it asked for, by the shop's ids."""
        self.retried: dict[UUID, dict[int, int]] = {}
        """What each retry tries again, if not its parent's selection: orders, by ordinal."""
        self.settled: dict[tuple[UUID, int], Hand] = {}
        """Whose result each item has: it gets another one only after it was opened again."""
        with bench.database.transaction() as tx:
            for rows in (StepRow, ItemRow, JobRow, DeletedJobRow, HostRow, LeaseRow):
                tx.execute(delete(rows))
        bench.load(*ORDERS)
        self.moment = look(bench.database)

    @property
    def reality(self) -> Reality:
        """The rows as they were last read."""
        return self.moment.reality

    def act(self, verb: Callable[[Session], Answer]) -> Answer:
        """Do something in a transaction that commits."""
        with self.bench.database.transaction() as tx:
            answer = verb(tx)
        self.see()
        return answer

    def act_in_vain(self, verb: Callable[[Session], Answer]) -> Answer:
        """Do something that must change nothing."""
        before = self.reality
        answer = self.act(verb)
        assert self.reality == before
        return answer

    def be_refused(self, error: type[Exception], verb: Callable[[Session], object]) -> None:
        """Do something that must raise this error and change nothing."""
        before = self.reality
        with pytest.raises(error), self.bench.database.transaction() as tx:
            verb(tx)
        self.see()
        assert self.reality == before

    def see(self) -> None:
        """Read everything and hold it to the promises."""
        before, self.moment = self.moment, look(self.bench.database)
        promises.hold_at(self.reality)
        promises.hold_between(before, self.moment)
        for job in self.reality.jobs.values():
            earlier = before.reality.jobs.get(job.id)
            if earlier is not None and earlier.planned_at is None and job.planned_at is not None:
                self._is_planned_as_promised(job)
        completed = {job.id for job in self.reality.in_state(JobState.COMPLETED)}
        assert not completed & self.cancelled, "cancel means cancel"
        assert self.needed() <= set(self.shelf.objects), "nothing that is needed was removed"

    def _is_planned_as_promised(self, job: Row[Any]) -> None:
        items = self.reality.items_of(job.id)
        found = {item.order_id for item in items if item.order_version_id is not None}
        assert self.promised[job.id] <= found, "what an accepted job asked for was not erased"
        if job.id in self.retried:
            assert {item.ordinal: item.order_id for item in items} == self.retried[job.id]

    def assert_fenced_out(self, before: Reality, job_id: UUID, step_ids: set[int]) -> None:
        """The claims of these steps of a job are worth nothing, and no other attempt of it has moved."""
        for step in before.steps_of(job_id):
            now = self.reality.steps[step.id]
            is_taken = step.id in step_ids and step.state is StepState.CLAIMED
            assert now.attempt == step.attempt + is_taken
            assert not is_taken or (now.state, now.holder) == (StepState.READY, None)

    def needed(self) -> set[str]:
        """The artifacts that somebody still needs, but those that a rule has damaged."""
        active = {job.id for job in self.reality.jobs.values() if job.state.is_active}
        needed = {step.artifact for step in self.reality.steps.values() if step.job_id in active and step.artifact}
        # of a job that is being cancelled no holder can write any more
        working = {job.id for job in self.reality.in_state(JobState.PROCESSING)}
        needed |= {
            hand.key
            for hand in self.hands
            if hand.key and hand.claim.job_id in working and self.reality.standing(hand.claim) is Standing.HELD
        }
        return (needed | self.kept_archives()) - self.damaged

    def kept_archives(self) -> set[str]:
        """The archives whose bytes may not go yet."""
        completed = self.reality.in_state(JobState.COMPLETED)
        return {job.archive_key for job in completed if job.expires_at >= self.moment.ago(ARCHIVE_GRACE)}

    def job_of(self, hand: Hand) -> Row[Any] | None:
        """The row of the job that this hand works on."""
        return self.reality.jobs.get(hand.claim.job_id)

    def look_for_work(self) -> list[UUID]:
        """Whoever looks sees every job that has a step to claim, those with the fewest live claims first."""
        with self.bench.database.reading() as tx:
            offered = candidates(tx)

        moment = self.moment
        assert set(offered) == {step.job_id for step in self.reality.steps.values() if moment.is_claimable(step)}
        live = [
            sum(
                step.state is StepState.CLAIMED and not moment.is_claimable(step)
                for step in self.reality.steps_of(job_id)
            )
            for job_id in offered
        ]
        assert live == sorted(live)
        return offered

    def claim(self, job_id: UUID, holder: UUID) -> Hand | None:
        """Claim a step of this job: one that nobody holds, and the next attempt of it."""
        before: Moment = self.moment
        free = [step for step in self.reality.steps_of(job_id) if before.is_claimable(step)]
        claim = self.act(lambda tx: claim_step(tx, job_id, holder=holder, host=HOST_NAME, lease=LEASE))
        if claim is None:
            assert not free or self.reality.jobs[job_id].failure_code == "workers_lost"
            return None
        step = before.reality.steps[claim.step_id]
        assert step in free, "a step that somebody holds is not given to another"
        assert (claim.job_id, claim.attempt) == (step.job_id, step.attempt + 1)
        hand = Hand(claim)
        assert self.reality.standing(claim) is Standing.HELD
        self.hands.append(hand)
        return hand

    def prepare(self, hand: Hand, failing: frozenset[int] = frozenset()) -> None:
        """Do the hand's work but for the write."""
        if not hand.is_ready:
            with self.bench.database.reading() as tx:
                hand.work(tx, self.shelf, failing=failing)

    def settle(self, hand: Hand) -> None:
        """Write what the hand has made: done once, in vain if it is done, refused if the claim is worth nothing."""
        job = self.job_of(hand)
        standing = self.reality.standing(hand.claim)
        if standing is Standing.DONE:
            self.act_in_vain(hand.settle)
        elif standing is Standing.HELD and job is not None and job.state is JobState.PROCESSING:
            self.act(hand.settle)
            self._write_down(hand)
        else:
            self.be_refused(ClaimLost, hand.settle)
            if hand.key is not None:
                self.shelf.remove(hand.key)  # each writer deletes only its own

    def _write_down(self, hand: Hand) -> None:
        claim = hand.claim
        if hand.bad_steps:
            self._opened_again(hand)
            return
        assert self.reality.standing(claim) is Standing.DONE
        assert self.reality.steps[claim.step_id].artifact == hand.key
        for result in hand.results:
            place = (claim.job_id, result.ordinal)
            assert place not in self.settled, "no item is settled twice"
            assert self.reality.items[place].outcome is result.outcome
            self.settled[place] = hand
        if claim.kind is StepKind.PACKAGE:
            assert self.reality.jobs[claim.job_id].state is JobState.COMPLETED

    def _opened_again(self, hand: Hand) -> None:
        job_id = hand.claim.job_id
        assert not [step for step in self.reality.steps_of(job_id) if step.kind is StepKind.PACKAGE]
        for step in (self.reality.steps[step_id] for step_id in hand.bad_steps):
            assert (step.state, step.artifact) == (StepState.READY, None)
            for ordinal in range(step.first_item, step.last_item + 1):
                if self.reality.items[job_id, ordinal].outcome is Outcome.PENDING:
                    del self.settled[job_id, ordinal]

    def forget(self, job_id: UUID) -> None:
        """The job is gone, and its id may be used again once its deletion is forgotten."""
        self.cancelled.discard(job_id)
        for known in (self.selections, self.promised, self.retried):
            known.pop(job_id, None)
        self.settled = {place: hand for place, hand in self.settled.items() if place[0] != job_id}
