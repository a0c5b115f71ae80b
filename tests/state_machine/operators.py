"""What operators do to anybody's job: end it, or set free what keeps it; holders are fenced out as by everybody."""

from enum import Enum, auto
from uuid import UUID

from hypothesis import strategies as st
from hypothesis.stateful import precondition, rule

from app.domain.codes import JobFailure
from app.domain.lifecycle import JobState, StepState
from app.exports import operating
from app.exports.operating import CancelUnderway, Ending, Released, UnknownJob, UnknownStep
from app.exports.request import AlreadyFinished
from tests.state_machine.world import World

NOTE = "no paper"
NO_STEP = 2**40


class Deed(Enum):
    """What an operator may do with a job."""

    FAIL = auto()
    RELEASE = auto()
    RELEASE_STEP = auto()
    """Of one step, whoever holds it."""


class Operators(World):
    """One with little patience."""

    @precondition(lambda self: self.reality.jobs or self.reality.deleted)
    @rule(data=st.data(), deed=st.sampled_from(Deed))
    def operate(self, data: st.DataObject, deed: Deed) -> None:
        """One deed, mostly on a job that has not ended."""
        active = [job.id for job in self.reality.jobs.values() if job.state.is_active]
        one_of_them = st.sampled_from(active) if active else st.nothing()
        known = st.sampled_from([*self.reality.jobs, *self.reality.deleted])
        job_id = data.draw(one_of_them | one_of_them | known)
        if job_id not in self.reality.jobs:
            for verb in (lambda tx: operating.fail(tx, job_id, note=NOTE), lambda tx: operating.release(tx, job_id)):
                self.be_refused(UnknownJob, verb)
            return
        match deed:
            case Deed.FAIL:
                self._fail(job_id)
            case Deed.RELEASE:
                lost = {step.id for step in self.reality.steps_of(job_id) if self.moment.is_lost(step)}
                self._release(job_id, lambda tx: operating.release(tx, job_id), lost, of=None)
            case Deed.RELEASE_STEP:
                steps = self.reality.steps_of(job_id)
                step_id = data.draw(st.sampled_from([*(step.id for step in steps), NO_STEP]))
                held = {step.id for step in steps if step.id == step_id and step.state is StepState.CLAIMED}
                self._release(job_id, lambda tx: operating.release_step(tx, job_id, step_id), held, of=step_id)

    def _fail(self, job_id: UUID) -> None:
        """End a job: as failed, or as cancelled if that was promised; what has ended stays as it is."""
        before = self.reality

        def verb(tx):
            return operating.fail(tx, job_id, note=NOTE)

        match before.jobs[job_id]:
            case job if job.failure_code == JobFailure.FAILED_BY_OPERATOR:
                assert self.act_in_vain(verb) is Ending.FAILED_BEFORE
                return
            case job if job.state.is_terminal:
                self.be_refused(AlreadyFinished, verb)
                return
            case job if job.state is JobState.CANCELLING:
                assert self.act(verb) is Ending.CANCELLED
                assert self.reality.jobs[job_id].state is JobState.CANCELLED
            case _:
                assert self.act(verb) is Ending.FAILED
                assert self.reality.jobs[job_id].state is JobState.FAILED
        self.assert_fenced_out(before, job_id, {step.id for step in before.steps_of(job_id)})

    def _release(self, job_id: UUID, verb, taken: set[int], *, of: int | None) -> None:
        """Let steps be claimed that wait, or that were `taken` from their holders; others go on."""
        before, job = self.reality, self.reality.jobs[job_id]
        if job.state.is_terminal:
            self.be_refused(AlreadyFinished, verb)
            return
        if job.state is JobState.CANCELLING:
            self.be_refused(CancelUnderway, verb)
            return
        if of == NO_STEP:
            self.be_refused(UnknownStep, verb)
            return
        asked = [step for step in before.steps_of(job_id) if of in (None, step.id)]
        waiting = [step for step in asked if step.state is StepState.READY and step.not_before is not None]
        assert self.act(verb) == Released(len(waiting), tuple(sorted(taken)))
        self.assert_fenced_out(before, job_id, taken)
        freed = {step.id for step in waiting} | taken
        for step in before.steps.values():
            now = self.reality.steps[step.id]
            assert now == step if step.id not in freed else self.moment.is_claimable(now)
