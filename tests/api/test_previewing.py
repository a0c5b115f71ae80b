"""A preview tells what an export would be, by the words of a create, and creates nothing."""

import pytest

from tests.shop import order, orders

OCTOBER = {"created": {"from": "2026-10-01", "to": "2026-10-31"}}


def preview(caller, **body):
    return caller("POST", "/v1/exports/preview", json={"document_type": "invoice", **body})


def test_a_preview_tells_what_would_be_made_and_what_would_not(alice):
    alice.load(
        [
            order(1, total="7.005"),
            order(2, status="trash"),
            order(3, date_created=None, date_created_gmt=None),
            order(4, line_items=[], total="0.00"),
        ]
    )

    answer = preview(alice, selection=OCTOBER, filename_pattern="{date} {number}", layout="both", pdf="pdf_a_3b")

    assert answer.status_code == 200, answer.text
    found = answer.json()
    first, empty = found.pop("first")
    (why,) = first.pop("warnings")
    assert "7.005" in why
    assert first == {
        "ordinal": 1,
        "order_id": 5001,
        "refund_id": None,
        "number": "00001",
        "date": "2026-10-02",
        "customer": "Greta Muster-1",
        "currency": "EUR",
        "total": "7.005",
        "file_name": "2026-10-02-00001.pdf",
        "expected": "rendered",
        "code": None,
        "reason": None,
    }
    assert (empty["order_id"], empty["expected"], empty["code"]) == (5004, "skipped", "order_empty")
    reason = "No invoice is owed for an order that is trash"
    skip = {"ordinal": 2, "order_id": 5002, "refund_id": None, "number": "00002", "reason": reason}
    unasked = {"statuses": [], "order_ids": [], "numbers": [], "customer_id": None}
    undated = "1 without a date would match if they had one in the range."
    assert found == {
        "document_type": "invoice",
        "layout": "both",
        "pdf": "pdf_a_3b",
        "sort": "created",
        "filename_pattern": "{date} {number}",
        "selection": {
            "created_from": "2026-10-01T00:00:00+00:00",
            "created_to": "2026-11-01T00:00:00+00:00",
            **unasked,
        },
        "counts": {"requested": 3, "to_render": 2, "skipped": 1, "failed": 0},
        "undated_orders": 1,
        "skipped": [{"code": "status_not_invoiced", "count": 1, "first": [skip]}],
        "failed": [],
        "estimate": {"seconds": 1, "documents_per_second": 5.0, "basis": "default"},
        "warnings": [{"code": "undated_orders", "detail": undated}],
        "active_export": None,
    }


def test_a_preview_shows_the_first_ten_and_counts_all(alice):
    alice.load(orders(40))

    found = preview(alice, selection={"order_ids": [*range(5001, 5041), *range(1, 13)]}).json()

    assert found["counts"] == {"requested": 52, "to_render": 40, "skipped": 0, "failed": 12}
    assert [document["order_id"] for document in found["first"]] == list(range(5001, 5011))
    (missing,) = found["failed"]
    assert (missing["code"], missing["count"], len(missing["first"])) == ("order_not_found", 12, 10)
    assert missing["first"][0]["reason"] == "No order with id 1 in this store"
    assert found["estimate"]["seconds"] == 8


def test_a_preview_warns_of_what_is_in_the_way_and_creates_nothing(alice):
    alice.load([order(1, status="failed"), order(2)])
    active = alice.create().json()

    found = preview(alice, selection={"statuses": ["failed"], "order_ids": [5001, 9]}).json()
    hopeless = preview(alice, document_type="credit_note", selection={"order_ids": [5002]}).json()

    assert found["active_export"] == active["links"]["self"]
    assert [warning["code"] for warning in found["warnings"]] == ["active_export_exists"]
    assert [warning["code"] for warning in hopeless["warnings"]] == ["nothing_rendered", "active_export_exists"]
    assert hopeless["skipped"][0]["code"] == "no_refund"
    assert [row["id"] for row in alice("GET", "/v1/exports").json()["items"]] == [active["id"]]


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ({"document_type": "poem"}, "invalid_request"),
        ({"document_type": "invoice", "filename_pattern": "{nope}"}, "invalid_request"),
        ({"document_type": "invoice", "sort": "given"}, "invalid_request"),
        ({"document_type": "invoice", "selection": {"statuses": ["nobody"]}}, "selection_empty"),
        ([], "invalid_request"),
    ],
)
def test_a_preview_refuses_as_a_create_does(alice, body, code):
    alice.load(orders(1))

    looked, created = (alice("POST", path, json=body) for path in ("/v1/exports/preview", "/v1/exports"))

    assert looked.json()["code"] == code
    assert (looked.status_code, looked.json()) == (created.status_code, created.json())


def test_a_preview_sees_nobody_elses_orders_or_exports(door, alice):
    alice.load(orders(3))
    alice.create()
    stranger = door.owner("alice", "elsewhere")

    assert preview(stranger).json()["code"] == "selection_empty"
    stranger.load(orders(1))
    found = preview(stranger, selection={"order_ids": [5001, 5002]}).json()

    assert (found["counts"]["to_render"], found["counts"]["failed"], found["active_export"]) == (1, 1, None)
