"""What workers do, in every order in which they can stall, die, come back and not hear that they were heard."""

from enum import Enum, auto
from uuid import uuid4

from hypothesis import strategies as st
from hypothesis.stateful import precondition, rule

from app.database.items import strike
from app.database.steps import MAX_LAPSES, Claim, ClaimLost, give_back, lapse_every_claim, renew
from app.domain.lifecycle import JobState, Outcome, StepKind, StepState
from tests.state_machine.hands import Hand
from tests.state_machine.passing import A_WHILE, LEASE, PAUSE, let_pass
from tests.state_machine.reality import Standing
from tests.state_machine.world import World

failures = st.sampled_from((frozenset(), frozenset(), frozenset({1}), frozenset({2, 3}), frozenset(range(1, 6))))
"""The ordinals that cannot be rendered this time."""


class Deed(Enum):
    """What a holder may do with its claim."""

    WRITE = auto()
    WRITE_TWICE = auto()
    """The first write was committed and its acknowledgement lost."""
    WORK = auto()
    """All but the write."""
    STRIKE = auto()
    GIVE_BACK = auto()
    RENEW = auto()
    BREAK_OFF = auto()
    """The connection breaks before the commit."""


class ConnectionBroke(Exception):
    """Ends a transaction that was not to be committed."""


class Workers(World):
    """Any number of workers; each is the sum of the claims that it was ever given."""

    @precondition(lambda self: self.reality.jobs)
    @rule(data=st.data())
    def take(self, data: st.DataObject) -> None:
        """Somebody claims a step of some job, whether or not it has one to claim."""
        self.claim(data.draw(st.sampled_from(list(self.reality.jobs))), uuid4())

    @precondition(lambda self: self.reality.in_state(JobState.QUEUED, JobState.PROCESSING))
    @rule(steps=st.integers(1, 3), failing=failures)
    def work_calmly(self, steps: int, failing: frozenset[int]) -> None:
        """A healthy worker does a few steps."""
        for _ in range(steps):
            offered = self.look_for_work()
            hand = self.claim(offered[0], uuid4()) if offered else None
            if hand is not None:
                self.prepare(hand, failing)
                self.settle(hand)

    @precondition(lambda self: self.hands)
    @rule(data=st.data())
    def go_on(self, data: st.DataObject) -> None:
        """Somebody does something with a claim, however old it is."""
        self.do_something(data, data.draw(st.sampled_from(self.hands) | st.sampled_from(self.hands[-3:])))

    @precondition(lambda self: self.live_hands())
    @rule(data=st.data(), is_ready=st.booleans(), is_done=st.booleans(), is_damaged=st.booleans())
    def overtake(self, data: st.DataObject, is_ready: bool, is_done: bool, is_damaged: bool) -> None:
        """A worker stands still past its lease, another takes over, and the first one comes back.

        What the first one found whole may be damaged when the other looks.
        """
        hand = data.draw(st.sampled_from(self.live_hands()))
        if is_ready:
            self.prepare(hand)
        let_pass(self.bench.database, A_WHILE)
        self.see()
        if is_damaged and self._whole_artifacts():
            self._damage(self._whole_artifacts()[0], is_missing=True)
        other = self.claim(hand.claim.job_id, uuid4())
        if other is not None and is_done:
            self.prepare(other)
            self.settle(other)
        self.do_something(data, hand)

    def do_something(self, data: st.DataObject, hand: Hand) -> None:
        """One deed of a holder."""
        match data.draw(st.sampled_from(Deed)):
            case Deed.WORK:
                self.prepare(hand, data.draw(failures))
            case Deed.WRITE:
                self.prepare(hand)
                self.settle(hand)
            case Deed.WRITE_TWICE:
                self.prepare(hand)
                self.settle(hand)
                self.settle(hand)
            case Deed.BREAK_OFF:
                self.prepare(hand)
                self.be_refused(Exception, lambda tx: _break_off(tx, hand))
            case Deed.STRIKE:
                self._strike(hand, data.draw(st.integers(1, 5)))
            case Deed.GIVE_BACK:
                self._give_back(
                    hand,
                    seconds=data.draw(st.sampled_from((0.0, PAUSE))),
                    waiting_for=data.draw(st.sampled_from((None, "disk"))),
                    lapses=data.draw(st.sampled_from((0, 0, 24, 25))),
                )
            case Deed.RENEW:
                self._renew({hand.claim, *(other.claim for other in data.draw(st.lists(st.sampled_from(self.hands))))})

    def _strike(self, hand: Hand, ordinal: int) -> None:
        """A child died at an item: a strike of a live claim is written down, any other's is not."""
        item = self.reality.items.get((hand.claim.job_id, ordinal))
        is_pending = item is not None and item.outcome is Outcome.PENDING
        if self.reality.standing(hand.claim) is Standing.HELD and item is not None and is_pending:
            self.act(lambda tx: strike(tx, hand.claim, ordinal, strikes=item.strikes + 1))
            assert self.reality.items[hand.claim.job_id, ordinal].strikes == item.strikes + 1
        else:
            self.be_refused(ClaimLost, lambda tx: strike(tx, hand.claim, ordinal, strikes=1))

    def _give_back(self, hand: Hand, *, seconds: float, waiting_for: str | None, lapses: int) -> None:
        """A step is returned unworked: it can be claimed again, after the pause that was asked for."""
        claim = hand.claim
        before = self.reality.steps.get(claim.step_id)

        def verb(tx):
            give_back(tx, claim, seconds=seconds, waiting_for=waiting_for, lapses=lapses)

        if self.reality.standing(claim) is not Standing.HELD or before is None:
            self.be_refused(ClaimLost, verb)
            return
        self.act(verb)
        step, job = self.reality.steps[claim.step_id], self.reality.jobs[claim.job_id]
        assert (step.state, step.attempt, step.lapses) == (StepState.READY, before.attempt, before.lapses + lapses)
        assert self.moment.is_claimable(step) == (job.state is JobState.PROCESSING and not seconds)
        if job.state is JobState.PROCESSING:
            assert step.lapses < MAX_LAPSES
            assert waiting_for is None or job.waiting_for == waiting_for
        if job.state is JobState.CANCELLING:
            assert any(one.state is StepState.CLAIMED for one in self.reality.steps_of(job.id))

    def _renew(self, claims: set[Claim]) -> None:
        """Whoever renews is told exactly which claims are worth nothing, and no other lease moves."""
        held = {claim for claim in claims if self.reality.standing(claim) is Standing.HELD}
        before = self.reality

        lost = self.act(lambda tx: renew(tx, list(claims), lease=LEASE))

        assert lost == {claim for claim in claims if claim not in held or not self._is_wanted(claim)}
        renewed = {claim.step_id for claim in held}
        for step_id, step in self.reality.steps.items():
            if step_id in renewed:
                assert step.lease_until > self.moment.ago(60 - LEASE)
            else:
                assert step == before.steps[step_id]

    @precondition(lambda self: self.live_hands())
    @rule()
    def start_over(self) -> None:
        """The embedded process begins: nobody of its predecessor lives."""
        self.act(lapse_every_claim)

        assert all(
            step.lease_until < self.moment.at for step in self.reality.steps.values() if step.state is StepState.CLAIMED
        )

    @precondition(lambda self: self._whole_artifacts())
    @rule(data=st.data(), is_missing=st.booleans())
    def damage(self, data: st.DataObject, is_missing: bool) -> None:
        """An artifact of a done step goes bad; whoever packages finds it."""
        self._damage(data.draw(st.sampled_from(self._whole_artifacts())), is_missing=is_missing)

    def _damage(self, key: str, *, is_missing: bool) -> None:
        self.damaged.add(key)
        self.shelf.remove(key)
        if not is_missing:
            self.shelf.put(key, ())

    def _whole_artifacts(self) -> list[str]:
        renders = [step for step in self.reality.steps.values() if step.kind is StepKind.RENDER]
        return [step.artifact for step in renders if step.artifact in self.shelf.objects.keys() - self.damaged]

    def _is_wanted(self, claim: Claim) -> bool:
        return self.reality.jobs[claim.job_id].state is JobState.PROCESSING

    def live_hands(self) -> list[Hand]:
        """The hands whose claims are worth something."""
        return [hand for hand in self.hands if self.reality.standing(hand.claim) is Standing.HELD]


def _break_off(tx, hand):
    hand.settle(tx)
    tx.flush()
    raise ConnectionBroke
