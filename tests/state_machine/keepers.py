"""What the pulse and the reconciler do, and the time that passes between."""

from uuid import UUID

from hypothesis import strategies as st
from hypothesis.stateful import precondition, rule
from sqlalchemy import update

from app.database import sweeping
from app.database.clock import seconds_from_now
from app.database.hosts import sign_in, sign_out
from app.database.jobs import cancelling_jobs, force_cancel
from app.database.tables import HostRow
from app.domain.lifecycle import JobState
from tests.state_machine.passing import (
    A_DAY,
    A_MOMENT,
    A_SEASON,
    A_WHILE,
    GRACE,
    QUEUE_TTL,
    RECORD_TTL,
    RUN_TTL,
    let_pass,
)
from tests.state_machine.world import HOST_NAME, World

HOST = UUID(int=1)
AN_HOUR = 3600.0


class Keepers(World):
    """Everything here may be done by anybody, at any time, any number of times."""

    @rule(
        seconds=st.sampled_from((A_MOMENT, A_MOMENT, A_WHILE, A_WHILE, A_WHILE, A_WHILE, A_DAY, A_SEASON)),
        has_host=st.booleans(),
    )
    def wait(self, seconds: int, has_host: bool) -> None:
        """Time passes; then a host shows that it lives, or leaves in order."""
        let_pass(self.bench.database, seconds)
        self.see()
        if has_host:
            self.act(_show_life)
        else:
            self.act(lambda tx: sign_out(tx, HOST))

    @precondition(lambda self: self.reality.in_state(JobState.CANCELLING))
    @rule(data=st.data(), is_late=st.booleans())
    def hear_cancels(self, data: st.DataObject, is_late: bool) -> None:
        """A pulse ends the cancels whose grace is over, and no others; one that stood still does so by an old list."""
        if is_late:
            self.force(data.draw(st.sampled_from(list(self.reality.jobs))))
        else:
            self.end_overdue_cancels()

    def end_overdue_cancels(self) -> None:
        """End every cancel whose grace is over."""
        with self.bench.database.reading() as tx:
            overdue = [job_id for job_id, seconds in cancelling_jobs(tx).items() if seconds > GRACE]
        cancelling = self.reality.in_state(JobState.CANCELLING)
        assert set(overdue) == {job.id for job in cancelling if job.cancel_requested_at < self.moment.ago(GRACE)}
        for job_id in overdue:
            self.force(job_id)

    def force(self, job_id: UUID) -> None:
        """End a cancel over its holders' heads: their claims are worth nothing from then on."""
        before = self.reality
        if before.jobs[job_id].state is not JobState.CANCELLING:
            assert self.act_in_vain(lambda tx: force_cancel(tx, job_id)) is False
            return
        assert self.act(lambda tx: force_cancel(tx, job_id)) is True
        assert self.reality.jobs[job_id].state is JobState.CANCELLED
        self.assert_fenced_out(before, job_id, {step.id for step in before.steps_of(job_id)})

    @rule()
    def reconcile(self) -> None:
        """One sweep of the reconciler."""
        self.expire()
        self.forget_old_records()
        self.sweep_artifacts()

    def expire(self) -> None:
        """The reconciler ends what waited or stood still too long."""
        queued, running = self.reality.in_state(JobState.QUEUED), self.reality.in_state(JobState.PROCESSING)
        waited = {
            job.id for job in queued if job.created_at < self.moment.ago(QUEUE_TTL) and self.moment.has_living_host
        }
        stood = {job.id for job in running if job.progressed_at < self.moment.ago(RUN_TTL)}

        has_host = self.moment.has_living_host

        expired = self.act(
            lambda tx: sweeping.expire_queued(tx, queue_ttl=QUEUE_TTL) + sweeping.expire_running(tx, run_ttl=RUN_TTL)
        )

        assert set(expired) == stood | (waited if has_host else set())

    def forget_old_records(self) -> None:
        """Records of ended jobs go after their lifetime; those of active ones never."""
        old = self.moment.ago(RECORD_TTL)
        ended = {
            job.id
            for job in self.reality.jobs.values()
            if job.finished_at is not None and job.finished_at < old and not self.reality.is_needed(job.id)
        }
        deleted = {job_id for job_id, at in self.reality.deleted.items() if at < old}
        before = self.reality

        forgotten = self.act(lambda tx: sweeping.forget_old_jobs(tx, record_ttl=RECORD_TTL))

        assert set(forgotten) == ended == set(before.jobs) - set(self.reality.jobs)
        assert set(before.deleted) - set(self.reality.deleted) == deleted
        for job_id in ended:
            self.forget(job_id)

    def sweep_artifacts(self) -> None:
        """The reconciler removes orphans; what is needed stays."""
        with self.bench.database.reading() as tx:
            self.shelf.sweep(tx)
        self.see()


def _show_life(tx):
    sign_in(tx, host_id=HOST, name=HOST_NAME, can_render=True, slots=1)
    # it goes on showing it until the next wait: the real time of a test never decides
    tx.execute(update(HostRow).values(seen_at=seconds_from_now(AN_HOUR)))
