"""Creating an export: accepted once, refused with a reason, never in between."""

import threading
from uuid import UUID, uuid4

import pytest

from app.database.hosts import sign_in
from app.domain.identity import job_id
from tests.shop import order, orders


def test_an_accepted_export_says_where_it_is(alice):
    alice.load(orders(2))

    answer = alice.create()

    assert answer.status_code == 202
    export = answer.json()
    assert answer.headers["location"] == export["links"]["self"] == f"/v1/exports/{export['id']}"
    assert answer.headers["retry-after"] == "2"
    assert (export["state"], export["percent"], export["queue_position"]) == ("queued", 0, 1)
    assert alice("GET", answer.headers["location"]).json() == export


def test_the_same_key_twice_is_one_export(alice):
    alice.load(orders(2))

    first = alice("POST", "/v1/exports", json={"document_type": "invoice"}, headers={"Idempotency-Key": "k-1"})
    again = alice("POST", "/v1/exports", json={"document_type": "invoice"}, headers={"Idempotency-Key": "k-1"})
    other = alice(
        "POST", "/v1/exports", json={"document_type": "invoice", "sort": "total"}, headers={"Idempotency-Key": "k-1"}
    )

    assert (first.status_code, again.status_code) == (202, 202)
    assert first.json() == again.json()
    assert "idempotent-replayed" not in first.headers
    assert again.headers["idempotent-replayed"] == "true"
    assert (other.status_code, other.json()["code"]) == (422, "idempotency_key_reused")
    assert UUID(first.json()["id"]) == job_id(store="demo", owner="alice", key="k-1")
    found = alice("GET", "/v1/exports?idempotency_key=k-1").json()["items"]
    assert [row["id"] for row in found] == [first.json()["id"]]


def test_a_key_is_replayed_in_whatever_state_even_when_the_selection_is_empty_by_then(alice):
    alice.load(orders(1))
    headers = {"Idempotency-Key": "k-2"}
    export = alice("POST", "/v1/exports", json={"document_type": "invoice"}, headers=headers).json()
    alice("POST", export["links"]["cancel"])

    again = alice("POST", "/v1/exports", json={"document_type": "invoice"}, headers=headers)

    assert (again.status_code, again.json()["state"]) == (202, "cancelled")
    assert "retry-after" not in again.headers


def test_a_second_export_of_an_owner_names_the_active_one(door, alice):
    alice.load(orders(2))
    export = alice.create().json()

    refused = alice.create()

    assert (refused.status_code, refused.json()["code"]) == (409, "active_export_exists")
    assert refused.json()["export"] == export["links"]["self"]
    assert door.owner("bob").create().status_code == 202


def test_of_many_creates_at_once_one_is_accepted(alice):
    alice.load(orders(2))
    gate = threading.Barrier(6)
    answers = []

    def create():
        gate.wait()
        answers.append(alice.create())

    threads = [threading.Thread(target=create) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    accepted = [answer for answer in answers if answer.status_code == 202]
    refused = [answer for answer in answers if answer.status_code == 409]
    assert (len(accepted), len(refused)) == (1, 5)
    assert {answer.json()["export"] for answer in refused} == {accepted[0].headers["location"]}


def test_the_same_key_many_times_at_once_is_one_export(alice):
    alice.load(orders(2))
    gate = threading.Barrier(6)
    answers = []

    def create():
        gate.wait()
        answers.append(
            alice("POST", "/v1/exports", json={"document_type": "invoice"}, headers={"Idempotency-Key": "same"})
        )

    threads = [threading.Thread(target=create) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert [answer.status_code for answer in answers] == [202] * 6
    assert len({answer.json()["id"] for answer in answers}) == 1
    assert sum("idempotent-replayed" not in answer.headers for answer in answers) == 1
    assert len(alice("GET", "/v1/exports").json()["items"]) == 1


REFUSED = [
    ({}, "invalid_request", "document_type"),
    ([], "invalid_request", "body"),
    ("text", "invalid_request", "body"),
    ({"document_type": "invoice", "colour": "red"}, "invalid_request", "colour"),
    ({"document_type": "bill"}, "invalid_request", "document_type"),
    ({"document_type": "invoice", "layout": "stapled"}, "invalid_request", "layout"),
    ({"document_type": "invoice", "pdf": "pdf_x_4"}, "invalid_request", "pdf"),
    ({"document_type": "invoice", "filename_pattern": "{num}"}, "invalid_request", "filename_pattern"),
    ({"document_type": "invoice", "filename_pattern": ""}, "invalid_request", "filename_pattern"),
    ({"document_type": "invoice", "filename_pattern": 7}, "invalid_request", "filename_pattern"),
    ({"document_type": "invoice", "selection": {"status": ["completed"]}}, "invalid_request", "selection.status"),
    ({"document_type": "invoice", "selection": {"order_ids": ["1"]}}, "invalid_request", "selection.order_ids.0"),
    ({"document_type": "invoice", "selection": {"order_ids": [2**63]}}, "invalid_request", "selection.order_ids.0"),
    ({"document_type": "invoice", "selection": {"order_ids": [True]}}, "invalid_request", "selection.order_ids.0"),
    ({"document_type": "invoice", "selection": {"numbers": ["a\x00"]}}, "invalid_request", "selection.numbers.0"),
    ({"document_type": "invoice", "selection": {"numbers": [""]}}, "invalid_request", "selection.numbers.0"),
    ({"document_type": "invoice", "sort": "given"}, "invalid_request", "sort"),
    ({"document_type": "invoice", "sort": "colour"}, "invalid_request", "sort"),
    (
        {"document_type": "invoice", "selection": {"created": {"from": "2026-11-30", "to": "2026-11-01"}}},
        "invalid_request",
        "selection.created",
    ),
    (
        {
            "document_type": "invoice",
            "selection": {"created": {"from": "2026-11-01", "to": "2026-11-30T00:00:00Z"}},
        },
        "invalid_request",
        "selection.created",
    ),
    (
        {"document_type": "invoice", "selection": {"created": {"from": "2026-11-01T00:00:00", "to": "x"}}},
        "invalid_request",
        "selection.created.from",
    ),
    (
        {
            "document_type": "invoice",
            "selection": {"created": {"from": "2026-11-01", "to": "2026-11-30", "time_zone": "Mars/Base"}},
        },
        "invalid_request",
        "selection.created.time_zone",
    ),
    (
        {"document_type": "invoice", "selection": {"created": {"from": "9999-12-31", "to": "9999-12-31"}}},
        "invalid_request",
        "selection.created",
    ),
    ({"document_type": "invoice", "selection": {"statuses": ["no-such"]}}, "selection_empty", None),
    ({"document_type": "invoice", "selection": {"customer_id": 99}}, "selection_empty", None),
]
"""A body, the code and the field that its refusal names."""


def test_a_body_that_is_refused_says_where_and_creates_nothing(alice):
    alice.load(orders(2))

    for body, code, field in REFUSED:
        answer = alice("POST", "/v1/exports", json=body)

        assert (answer.status_code, answer.json()["code"]) == (422, code), body
        assert answer.headers["content-type"] == "application/problem+json"
        assert field is None or field in [error["field"] for error in answer.json()["errors"]], body
    assert alice("GET", "/v1/exports").json()["items"] == []


def test_a_body_that_is_no_json_says_the_line_and_column(alice):
    answer = alice(
        "POST", "/v1/exports", content=b'{"document_type":\n  invoice}', headers={"Content-Type": "application/json"}
    )

    assert (answer.status_code, answer.json()["code"]) == (400, "malformed_json")
    assert "Line 2, column 3" in answer.json()["detail"]


def test_a_body_that_is_nested_too_deep_is_a_clear_error(alice):
    for depth in (17, 200, 700, 945, 990, 5000):
        deep = b'{"document_type":"invoice","selection":' + b'{"a":' * depth + b"1" + b"}" * depth + b"}"

        answer = alice("POST", "/v1/exports", content=deep)

        assert (answer.status_code, answer.json()["code"]) == (400, "malformed_json"), depth


def test_a_body_with_a_great_many_errors_names_a_few_of_them(alice):
    ids = alice("POST", "/v1/exports", json={"document_type": "invoice", "selection": {"order_ids": ["x"] * 9000}})
    fields = alice("POST", "/v1/exports", json={f"k{number}": 1 for number in range(5000)})
    statuses = alice("POST", "/v1/exports", json={"document_type": "invoice", "selection": {"statuses": [1] * 100}})

    assert [answer.json()["code"] for answer in (ids, fields, statuses)] == ["invalid_request"] * 3
    assert ids.json()["errors"][0]["field"] == "selection.order_ids.0"
    assert len(statuses.json()["errors"]) == 100


@pytest.mark.parametrize("content", [b"\xff\xfe", b"[" * 40_000, b'{"a": 1' + b"0" * 5000 + b"}"])
def test_a_body_that_cannot_be_read_is_a_clear_error(alice, content):
    answer = alice("POST", "/v1/exports", content=content)

    assert answer.json()["code"] in {"malformed_json", "invalid_request"}


def test_a_body_that_is_too_large_or_of_another_type_is_refused(alice):
    large = alice("POST", "/v1/exports", content=b" " * 70_000)
    xml = alice("POST", "/v1/exports", content=b"<a/>", headers={"Content-Type": "text/xml"})

    assert (large.status_code, large.json()["code"]) == (413, "payload_too_large")
    assert (xml.status_code, xml.json()["code"]) == (415, "unsupported_media_type")


@pytest.mark.parametrize("key", ["", "with space", "ü", "x" * 256])
def test_a_key_that_is_malformed_is_a_clear_error(alice, key):
    answer = alice("POST", "/v1/exports", json={"document_type": "invoice"}, headers={"Idempotency-Key": key.encode()})

    assert (answer.status_code, answer.json()["code"]) == (400, "parameter_invalid")
    assert "Idempotency-Key" in answer.json()["detail"]


def test_dates_are_whole_days_of_the_stores_zone(door, alice):
    late, early = "2026-11-30T23:30:00", "2026-12-01T00:30:00"
    alice.load(
        [
            order(1, date_created_gmt=late, date_created=late),
            order(2, date_created_gmt=early, date_created=early),
        ]
    )
    november = {"created": {"from": "2026-11-01", "to": "2026-11-30"}}

    in_utc = alice.create(selection=november).json()
    alice("POST", in_utc["links"]["cancel"])
    in_tokyo = alice.create(selection={"created": {**november["created"], "time_zone": "Asia/Tokyo"}})
    of_an_hour = alice.create(
        selection={"created": {"from": "2026-12-01T00:00:00Z", "to": "2026-12-01T02:00:00+01:00"}}
    )

    assert in_utc["selection"]["created_to"] == "2026-12-01T00:00:00+00:00"
    assert in_tokyo.json()["code"] == "selection_empty"
    assert of_an_hour.status_code == 202


def test_live_hosts_of_which_none_can_render_refuse_the_export(door, alice):
    alice.load(orders(1))
    with door.database.transaction() as tx:
        sign_in(tx, host_id=uuid4(), name="h", can_render=False, slots=1)

    refused = alice.create()

    assert (refused.status_code, refused.json()["code"]) == (503, "renderer_unavailable")
    assert refused.headers["retry-after"] == "30"
    with door.database.transaction() as tx:
        sign_in(tx, host_id=uuid4(), name="h", can_render=True, slots=1)
    assert alice.create().status_code == 202


def test_without_any_host_the_export_is_accepted_and_says_what_it_waits_for(alice):
    alice.load(orders(1))

    export = alice.create().json()

    assert export["waiting_for"] == "worker"


def test_a_body_of_nothing_but_brackets_is_refused_before_it_is_read(alice):
    body = '{"document_type": "invoice", "selection": [' + "[]," * 12_000 + "[]]}"

    answer = alice("POST", "/v1/exports", content=body, headers={"Content-Type": "application/json"})

    assert answer.status_code == 400
    assert answer.json()["code"] == "malformed_json"
    assert "10000 lists and objects" in answer.json()["detail"]
