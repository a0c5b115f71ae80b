"""A delete is decided under the job's lock: what meets it finds the job whole or gone."""

import pytest
from sqlalchemy import text

from app.database.jobs import force_cancel, lock_job, request_cancel
from app.domain.document_type import DocumentType
from app.domain.selection import Selection, Sort
from app.exports.delete import delete
from app.exports.request import ExportDeleted, ExportRequest, StillActive
from app.exports.submit import submit
from tests.database.conftest import content


@pytest.fixture
def owner(bench):
    return bench.owner()


@pytest.fixture
def cancelled(bench, owner):
    bench.load(content(1))
    job = bench.submit(owner=owner)
    with bench.database.transaction() as tx:
        request_cancel(tx, lock_job(tx, job))
    return job


def test_of_two_deletes_at_once_one_finds_the_job(bench, owner, cancelled, contender):
    with bench.database.transaction() as tx:
        first = delete(tx, owner, cancelled)
        second = contender(lambda tx: delete(tx, owner, cancelled))

    assert (first, second.result()) == (True, False)


def test_a_create_that_waits_for_the_delete_of_its_own_export_is_refused(bench, owner, cancelled, contender):
    key = bench.job(cancelled).idempotency_key
    request = ExportRequest(DocumentType.INVOICE, "separate", Selection(), Sort.CREATED)

    with bench.database.transaction() as tx:
        delete(tx, owner, cancelled)
        late = contender(lambda tx: submit(tx, owner, request, key=key, fingerprint="f", checkpoint_every=10))

    with pytest.raises(ExportDeleted):
        late.result()
    with bench.database.reading() as tx:
        assert tx.scalar(text("SELECT count(*) FROM jobs")) == 0


def test_a_delete_that_waits_for_the_end_of_a_job_sees_the_end(bench, owner, contender):
    bench.load(content(1))
    job = bench.submit(owner=owner)
    bench.claim(job)
    with bench.database.transaction() as tx:
        request_cancel(tx, lock_job(tx, job))
    with bench.database.transaction() as tx, pytest.raises(StillActive):
        delete(tx, owner, job)

    with bench.database.transaction() as tx:
        assert force_cancel(tx, job)
        late = contender(lambda tx: delete(tx, owner, job))

    assert late.result()
