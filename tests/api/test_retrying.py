"""`POST /v1/exports/{id}/retry` makes an export of what has no document, and says why where it does not."""

from uuid import UUID, uuid4

import pytest
from sqlalchemy import text

from app.database.hosts import sign_in
from app.database.planning import plan
from app.domain.identity import job_id
from tests.api.finishing import claimed, finish
from tests.shop import orders

ABSENT = 999


@pytest.fixture
def parent(door, alice):
    """A completed export of Alice's: one order rendered, one that did not exist."""
    alice.load(orders(2))
    created = alice.create(pdf="pdf_ua_1", selection={"order_ids": [5001, ABSENT]}).json()
    finish(door.database, door.artifacts, created["id"])
    return alice("GET", created["links"]["self"]).json()


def again(caller, export, **headers):
    return caller("POST", export["links"]["retry"], headers={"Idempotency-Key": "again", **headers})


def test_a_retry_is_a_new_export_that_is_linked_to_its_parent(alice, parent):
    answer = again(alice, parent)

    assert (answer.status_code, answer.headers["retry-after"]) == (202, "2")
    export = answer.json()
    assert answer.headers["location"] == export["links"]["self"] == f"/v1/exports/{export['id']}"
    assert UUID(export["id"]) == job_id(store="demo", owner="alice", key="again")
    assert (export["state"], export["retry_of"], export["idempotency_key"]) == ("queued", parent["id"], "again")
    same = ("document_type", "layout", "pdf", "sort", "selection")
    assert [export[name] for name in same] == [parent[name] for name in same]
    assert export["pdf"] == "pdf_ua_1"
    assert parent["retry_of"] is None
    assert [row["id"] for row in alice("GET", parent["links"]["retries"]).json()["items"]] == [export["id"]]
    assert alice("GET", export["links"]["retries"]).json()["items"] == []


def test_a_retry_ends_with_its_own_items_under_the_parents_ordinals(door, alice, parent):
    alice.load([{**orders(3)[2], "id": ABSENT}])
    export = again(alice, parent).json()

    finish(door.database, door.artifacts, export["id"])

    (item,) = alice("GET", export["links"]["manifest"]).json()["items"]
    assert (item["ordinal"], item["order_id"], item["file"]) == (2, ABSENT, "invoice-00003.pdf")
    assert alice("GET", export["links"]["self"]).json()["counts"] == {
        "requested": 1,
        "rendered": 1,
        "failed": 0,
        "skipped": 0,
    }
    refused = alice("POST", export["links"]["retry"])
    assert (refused.status_code, refused.json()["code"]) == (409, "nothing_to_retry")


def test_the_same_key_finds_the_same_retry_whatever_became_of_it(door, alice, parent):
    first = again(alice, parent)
    repeat = again(alice, parent)
    finish_nothing(door, first.json()["id"])
    later = again(alice, parent)
    elsewhere = alice("POST", f"/v1/exports/{uuid4()}/retry", headers={"Idempotency-Key": "again"})
    create = alice("POST", "/v1/exports", json={"document_type": "invoice"}, headers={"Idempotency-Key": "again"})

    assert "idempotent-replayed" not in first.headers
    for answer in (repeat, later):
        assert (answer.status_code, answer.headers["idempotent-replayed"]) == (202, "true")
        assert answer.json()["id"] == first.json()["id"]
    assert later.json()["state"] == "failed"
    for answer in (elsewhere, create):
        assert (answer.status_code, answer.json()["code"]) == (422, "idempotency_key_reused")


def finish_nothing(door, export_id):
    """Plan it: its one order still does not exist, so it fails."""
    with door.database.transaction() as tx:
        plan(tx, claimed(tx, UUID(export_id)), max_items=10)


def test_what_cannot_be_retried_says_why(door, alice, parent):
    active = again(alice, parent).json()
    moving = alice("POST", active["links"]["retry"])
    other = alice("POST", parent["links"]["retry"], headers={"Idempotency-Key": "more"})
    alice("POST", active["links"]["cancel"])
    stopped = alice("POST", active["links"]["retry"])
    with door.database.transaction() as tx:
        sign_in(tx, host_id=uuid4(), name="h", can_render=False, slots=1)
    unable = alice("POST", parent["links"]["retry"])
    malformed = again(alice, parent, **{"Idempotency-Key": "with space"})

    assert (moving.status_code, moving.json()["code"], moving.json()["state"]) == (409, "export_active", "queued")
    assert (other.status_code, other.json()["code"]) == (409, "active_export_exists")
    assert other.json()["export"] == active["links"]["self"]
    assert (stopped.status_code, stopped.json()["code"]) == (409, "export_cancelled")
    assert (unable.status_code, unable.json()["code"]) == (503, "renderer_unavailable")
    assert (malformed.status_code, malformed.json()["code"]) == (400, "parameter_invalid")


def test_a_parent_is_kept_while_its_retry_is_unplanned(alice, parent):
    export = again(alice, parent).json()

    refused = alice("DELETE", parent["links"]["self"])
    alice("POST", export["links"]["cancel"])
    deleted = alice("DELETE", parent["links"]["self"])

    assert (refused.status_code, refused.json()["code"]) == (409, "retry_unplanned")
    assert refused.json()["export"] == export["links"]["self"]
    assert deleted.status_code == 204
    assert alice("GET", export["links"]["self"]).json()["retry_of"] == parent["id"]


def test_an_archive_is_kept_until_its_expiry_which_is_told(door, alice, parent):
    listed = alice("GET", "/v1/exports").json()["items"][0]
    before = alice("GET", parent["links"]["archive"])
    with door.database.transaction() as tx:
        tx.execute(text("UPDATE jobs SET expires_at = created_at"))

    after = alice("GET", parent["links"]["archive"])
    shown = alice("GET", parent["links"]["self"]).json()["archive"]

    assert listed["archive"] == parent["archive"]
    assert (parent["archive"]["is_expired"], before.status_code) == (False, 200)
    assert (after.status_code, after.json()["code"]) == (410, "archive_expired")
    assert (shown["is_expired"], shown["expires_at"]) == (True, parent["created_at"])
    assert len(alice("GET", parent["links"]["manifest"]).json()["items"]) == 2
