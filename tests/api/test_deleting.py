"""A deleted export is gone with all that belongs to it, and nothing late brings it back."""

from uuid import UUID

import pytest
from sqlalchemy import select

from app.artifacts.store import ArtifactsUnavailable
from app.artifacts.sweeping import found_in
from app.database.jobs import lock_job
from app.database.steps import ClaimLost, hold
from app.database.sweeping import forget_old_jobs, living_artifacts
from app.database.tables import DeletedJobRow, ItemRow, JobRow, StepRow
from tests.api.finishing import claimed, finish
from tests.shop import orders
from worker.reconciler import is_left

KEY = {"Idempotency-Key": "k-1"}


@pytest.fixture
def export(door, alice):
    """A completed export of Alice's, made with the key `k-1`."""
    alice.load(orders(2))
    created = alice("POST", "/v1/exports", json={"document_type": "invoice"}, headers=KEY).json()
    finish(door.database, door.artifacts, created["id"])
    return created


def rows(door):
    """What is left of any export."""
    with door.database.reading() as tx:
        return [row for table in (JobRow, StepRow, ItemRow) for row in tx.scalars(select(table))]


def test_a_deleted_export_is_gone_with_its_items_and_its_archive(door, alice, export):
    assert alice("GET", export["links"]["archive"]).status_code == 200

    deleted = alice("DELETE", export["links"]["self"])

    assert (deleted.status_code, deleted.content) == (204, b"")
    addresses = [address for name, address in export["links"].items() if name not in {"cancel", "retry", "retries"}]
    assert {alice("GET", address).status_code for address in addresses} == {404}
    assert alice("GET", "/v1/exports").json()["items"] == []
    assert rows(door) == []
    assert list(door.artifacts.keys()) == []
    assert not (door.artifacts.root / export["id"]).exists()


def test_deleting_twice_finds_nothing_the_second_time(alice, export):
    first, again = (alice("DELETE", export["links"]["self"]) for _ in range(2))

    assert (first.status_code, again.status_code, again.json()["code"]) == (204, 404, "not_found")


def test_an_export_that_has_not_ended_is_kept(door, alice):
    alice.load(orders(2))
    export = alice.create().json()

    queued = alice("DELETE", export["links"]["self"])
    with door.database.transaction() as tx:
        claimed(tx, UUID(export["id"]))
    working = alice("DELETE", export["links"]["self"])
    alice("POST", export["links"]["cancel"])
    stopping = alice("DELETE", export["links"]["self"])

    for answer, state in ((queued, "queued"), (working, "processing"), (stopping, "cancelling")):
        assert (answer.status_code, answer.json()["code"], answer.json()["state"]) == (409, "export_active", state)
    assert alice("GET", export["links"]["self"]).json()["state"] == "cancelling"


def test_a_cancelled_export_can_be_deleted_and_another_one_created(alice):
    alice.load(orders(2))
    export = alice.create().json()
    alice("POST", export["links"]["cancel"])

    assert alice("DELETE", export["links"]["self"]).status_code == 204
    assert alice.create().status_code == 202


def test_a_create_that_comes_after_the_delete_brings_nothing_back(door, alice, export):
    alice("DELETE", export["links"]["self"])

    late = alice("POST", "/v1/exports", json={"document_type": "invoice"}, headers=KEY)
    new = alice("POST", "/v1/exports", json={"document_type": "invoice"}, headers={"Idempotency-Key": "k-2"})

    assert (late.status_code, late.json()["code"]) == (409, "export_deleted")
    assert (new.status_code, new.json()["id"] != export["id"]) == (202, True)
    assert door.owner("bob")("POST", "/v1/exports", json={"document_type": "invoice"}, headers=KEY).status_code == 202


def test_a_key_is_forgotten_when_the_record_would_have_been(door, alice, export):
    alice("DELETE", export["links"]["self"])

    with door.database.transaction() as tx:
        forget_old_jobs(tx, record_ttl=3600)
        assert tx.get(DeletedJobRow, UUID(export["id"])) is not None
    with door.database.transaction() as tx:
        forget_old_jobs(tx, record_ttl=-3600)

    again = alice("POST", "/v1/exports", json={"document_type": "invoice"}, headers=KEY)
    assert (again.status_code, again.json()["id"]) == (202, export["id"])


def test_bytes_that_cannot_be_removed_now_do_not_fail_the_answer_and_are_swept_later(door, alice, export, monkeypatch):
    def away(*_, **__):
        raise ArtifactsUnavailable("the share is not mounted")

    monkeypatch.setattr(door.artifacts, "clear", away)

    deleted = alice("DELETE", export["links"]["self"])

    assert deleted.status_code == 204
    (found,) = found_in(door.artifacts)
    assert str(found.key.job_id) == export["id"]
    with door.database.reading() as tx:
        living = living_artifacts(tx, [found.key.step], archive_grace=3600).get(found.key.job_id)
    assert is_left(found, living)


def test_a_worker_whose_export_was_deleted_has_lost_its_claim(door, alice):
    alice.load(orders(2))
    export = alice.create().json()
    with door.database.transaction() as tx:
        claim = claimed(tx, UUID(export["id"]))
    with door.database.transaction() as tx:
        job = lock_job(tx, claim.job_id)
        job.state, job.failure_code, job.finished_at = "failed", "run_expired", job.created_at

    assert alice("DELETE", export["links"]["self"]).status_code == 204

    with door.database.transaction() as tx, pytest.raises(ClaimLost):
        hold(tx, claim)
