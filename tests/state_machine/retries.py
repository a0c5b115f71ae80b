"""Retrying: a job of its own, of what its parent has no document of, which leaves the parent as it is."""

from uuid import UUID

from hypothesis import strategies as st
from hypothesis.stateful import precondition, rule
from sqlalchemy import Row

from app.domain.lifecycle import JobState
from app.exports.request import ExportCancelled, NothingToRetry, SelectionEmpty, StillActive
from app.exports.retry import retry, retry_fingerprint
from tests.state_machine.hands import MAX_ITEMS
from tests.state_machine.owners import Owners, keys, strangers
from tests.state_machine.shop import asked_for


class Retries(Owners):
    """Owners who are not content with what came of an export."""

    @precondition(lambda self: self.reality.jobs)
    @rule(data=st.data(), stranger=strangers, key=keys, every=st.integers(1, 3))
    def ask_to_retry(self, data: st.DataObject, stranger: str | None, key: str, every: int) -> None:
        """A retry of a job, mostly of one that wants documents and whose owner has no other under way."""
        busy = {job.owner for job in self.reality.jobs.values() if job.state.is_active}
        ended = [job for job in self.reality.in_state(JobState.COMPLETED, JobState.FAILED) if job.owner not in busy]
        wanting = [job.id for job in ended if job.state is JobState.FAILED or job.failed]
        one_of_them = st.sampled_from(wanting) if wanting else st.nothing()
        parent_id = data.draw(one_of_them | one_of_them | st.sampled_from(list(self.reality.jobs)))
        self.retry(parent_id, stranger or self.reality.jobs[parent_id].owner, key, every)

    def retry(self, parent_id: UUID, name: str, key: str, every: int) -> None:
        """Retry a job in this owner's name."""
        parent, owner = self.reality.jobs[parent_id], self.owner(name)

        def verb(tx):
            return retry(tx, owner, parent_id, key=key, checkpoint_every=every, max_items=MAX_ITEMS)

        if parent.owner != name:
            assert self.act_in_vain(verb) is None
        elif parent.state.is_active:
            self.be_refused(StillActive, verb)
        elif parent.state is JobState.CANCELLED:
            self.be_refused(ExportCancelled, verb)
        elif (refusal := self._refusal(parent)) is not None:
            self.be_refused(refusal, verb)
        else:
            source = self._source(parent)
            made = self.insert(verb, owner, key=key, fingerprint=retry_fingerprint(parent_id))
            if made is not None:
                self._promise(made, parent, source)

    def _source(self, parent: Row) -> Row | None:
        """The job whose items are taken; None if the parent was never planned, nor was to be from another's."""
        return parent if parent.planned_at is not None else self.reality.jobs.get(parent.items_from)

    def _refusal(self, parent: Row) -> type[Exception] | None:
        source = self._source(parent)
        if source is not None:
            return None if self.reality.to_retry(source) else NothingToRetry
        if parent.id in self.retried:
            return NothingToRetry  # what it was to take its items from is gone
        selection = self.selections[parent.id]
        can_be_asked = selection.order_ids or asked_for(selection) & self.reality.orders.keys()
        return None if can_be_asked else SelectionEmpty

    def _promise(self, made: UUID, parent: Row, source: Row | None) -> None:
        job = self.reality.jobs[made]
        assert made != parent.id
        assert (job.retry_of, job.items_from) == (parent.id, source and source.id)
        self.selections[made] = self.selections[parent.id]
        wanted = asked_for(self.selections[made])
        if source is not None:
            self.retried[made] = self.reality.to_retry(source)
            wanted = frozenset(self.retried[made].values())
        self.promised[made] = wanted & self.reality.orders.keys()
