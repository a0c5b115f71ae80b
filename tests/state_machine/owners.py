"""What owners do: create exports with new and used keys, cancel, delete, all of it again."""

from uuid import UUID

from hypothesis import strategies as st
from hypothesis.stateful import initialize, precondition, rule

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
    StillActive,
)
from app.exports.submit import submit
from tests.database.conftest import content
from tests.state_machine.world import World

ORDERS = (
    *(content(shop_id) for shop_id in (1, 2, 3)),
    content(4, customer_id=8),
    content(5, customer_id=8, status="draft"),
    content(6, customer_id=9, status="draft"),
)
SELECTIONS = (
    Selection(customer_id=7),
    Selection(order_ids=(1, 2, 3, 4, 99)),  # one does not exist
    Selection(customer_id=8),  # one is skipped
    Selection(customer_id=9),  # all are skipped
    Selection(customer_id=404),  # empty
)
names = st.sampled_from(("ann", "ben", "cleo"))
strangers = st.sampled_from((None, None, None, None, "ann", "ben"))
"""Who asks for something of a job, if not its owner."""
keys = st.sampled_from(("first", "second", "third", "fourth"))


class Owners(World):
    """Three owners of one store."""

    def _owner(self, name: str) -> Owner:
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
        owner = self._owner(name)
        wanted = job_id(store="demo", owner=name, key=key)
        request = ExportRequest(DocumentType.INVOICE, "separate", selection, Sort.CREATED)
        body = str(selection)
        earlier = self.reality.jobs.get(wanted)
        active = [job.id for job in self.reality.jobs.values() if job.owner == name and job.state.is_active]

        def verb(tx):
            return submit(tx, owner, request, key=key, fingerprint=body[:64], checkpoint_every=every)

        if earlier is not None and earlier.fingerprint != body[:64]:
            self.be_refused(IdempotencyKeyReused, verb)
        elif earlier is not None:
            submitted = self.act_in_vain(verb)
            assert (submitted.job.id, submitted.is_replay) == (wanted, True)
        elif wanted in self.reality.deleted:
            self.be_refused(ExportDeleted, verb)
        elif active:
            self.be_refused(ActiveExportExists, verb)
        else:
            submitted = self.act(verb)
            assert (submitted.job.id, submitted.is_replay) == (wanted, False)
            assert self.reality.jobs[wanted].state is JobState.QUEUED

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
            return cancel(tx, self._owner(name), job.id)

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
            return delete(tx, self._owner(name), job.id)

        if job.owner != name:
            assert self.act_in_vain(verb) is False
        elif job.state.is_active:
            self.be_refused(StillActive, verb)
        else:
            assert self.act(verb) is True
            assert job.id not in self.reality.jobs
            assert job.id in self.reality.deleted
            self.forget(job.id)
