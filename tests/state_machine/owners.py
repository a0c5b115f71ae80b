"""What owners do: create exports with new and used keys, cancel, delete, all of it again. See `retries` too."""

from collections.abc import Callable
from uuid import UUID

from hypothesis import strategies as st
from hypothesis.stateful import initialize, precondition, rule
from sqlalchemy.orm import Session

from app.domain.document_type import DocumentType
from app.domain.identity import job_id
from app.domain.lifecycle import JobState
from app.domain.principal import Owner
from app.domain.selection import Selection, Sort
from app.exports.cancel import cancel
from app.exports.delete import delete
from app.exports.request import (
    ActiveExportExists,
    AlreadyFinished,
    ExportDeleted,
    ExportRequest,
    IdempotencyKeyReused,
    RetryUnplanned,
    StillActive,
)
from app.exports.submit import Submitted, submit
from tests.state_machine.shop import SELECTIONS, asked_for
from tests.state_machine.world import World

names = st.sampled_from(("ann", "ben", "cleo"))
strangers = st.sampled_from((None, None, None, None, "ann", "ben"))
"""Who asks for something of a job, if not its owner."""
keys = st.sampled_from(("first", "second", "third", "fourth"))


class Owners(World):
    """Three owners of one store."""

    def owner(self, name: str) -> Owner:
        """An owner by name."""
        return Owner(self.bench.store_id, "demo", name)

    @initialize(every=st.integers(1, 3), has_second=st.booleans())
    def begin(self, every: int, has_second: bool) -> None:
        """There is always something to do."""
        self.create("ann", "first", SELECTIONS[1], every)
        if has_second:
            self.create("ben", "first", SELECTIONS[0], every)

    @rule(name=names, key=keys, selection=st.sampled_from(SELECTIONS), every=st.integers(1, 3))
    def create(self, name: str, key: str, selection: Selection, every: int) -> None:
        """A create: the same key is the same job, a deleted one's is used up, one active job per owner."""
        owner = self.owner(name)
        request = ExportRequest(DocumentType.INVOICE, "separate", selection, Sort.CREATED)
        body = str(selection)[:64]

        def verb(tx):
            return submit(tx, owner, request, key=key, fingerprint=body, checkpoint_every=every)

        made = self.insert(verb, owner, key=key, fingerprint=body)
        if made is not None:
            self.selections[made] = selection
            self.promised[made] = asked_for(selection) & self.reality.orders.keys()

    def insert(self, verb: Callable[[Session], Submitted], owner: Owner, *, key: str, fingerprint: str) -> UUID | None:
        """A new job, if nothing is in the way of it: the key's own job, its deletion, or the owner's active one."""
        wanted = job_id(store=owner.store, owner=owner.name, key=key)
        earlier = self.reality.jobs.get(wanted)
        if earlier is not None and earlier.fingerprint != fingerprint:
            self.be_refused(IdempotencyKeyReused, verb)
        elif earlier is not None:
            submitted = self.act_in_vain(verb)
            assert (submitted.job.id, submitted.is_replay) == (wanted, True)
        elif wanted in self.reality.deleted:
            self.be_refused(ExportDeleted, verb)
        elif any(job.owner == owner.name and job.state.is_active for job in self.reality.jobs.values()):
            self.be_refused(ActiveExportExists, verb)
        else:
            submitted = self.act(verb)
            assert (submitted.job.id, submitted.is_replay) == (wanted, False)
            assert self.reality.jobs[wanted].state is JobState.QUEUED
            return wanted
        return None

    @precondition(lambda self: self.reality.jobs)
    @rule(stranger=strangers, data=st.data())
    def ask_to_cancel(self, stranger: str | None, data: st.DataObject) -> None:
        """A cancel: idempotent, refused to whoever comes too late, and nothing at all to another owner."""
        job_id = data.draw(st.sampled_from(list(self.reality.jobs)))
        self.cancel(job_id, stranger or self.reality.jobs[job_id].owner)

    def cancel(self, job_id: UUID, name: str) -> None:
        """Cancel a job in this owner's name."""
        job = self.reality.jobs[job_id]

        def verb(tx):
            return cancel(tx, self.owner(name), job.id)

        if job.owner != name:
            assert self.act_in_vain(verb) is None
        elif job.state in (JobState.COMPLETED, JobState.FAILED):
            self.be_refused(AlreadyFinished, verb)
        elif job.state in (JobState.CANCELLING, JobState.CANCELLED):
            assert self.act_in_vain(verb).id == job.id
        else:
            answered = self.act(verb)
            assert answered.state in (JobState.CANCELLING, JobState.CANCELLED)
            self.cancelled.add(job.id)

    @precondition(lambda self: self.reality.jobs)
    @rule(stranger=strangers, data=st.data())
    def delete(self, stranger: str | None, data: st.DataObject) -> None:
        """A delete: never of an active job, never of another's; all of it goes and its id is used up."""
        job = self.reality.jobs[data.draw(st.sampled_from(list(self.reality.jobs)))]
        name = stranger or job.owner

        def verb(tx):
            return delete(tx, self.owner(name), job.id)

        if job.owner != name:
            assert self.act_in_vain(verb) is False
        elif job.state.is_active:
            self.be_refused(StillActive, verb)
        elif self.reality.is_needed(job.id):
            self.be_refused(RetryUnplanned, verb)
        else:
            assert self.act(verb) is True
            assert job.id not in self.reality.jobs
            assert job.id in self.reality.deleted
            self.forget(job.id)
