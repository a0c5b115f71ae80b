"""A document is previewed for its owner alone, and only if an export would make it; the renderer is not asked here."""

import pytest

from app.domain.principal import Right
from tests.shop import order


def preview(caller, document_type, number, **body):
    wanted = {"document_type": document_type, "order_id": 5000 + number, **body}
    return caller("POST", "/v1/documents/preview", json=wanted)


@pytest.fixture
def stocked(alice):
    refund = {"id": 9001, "reason": "Cracked", "total": "-3.00"}
    alice.load(
        [
            order(1, status="trash", refunds=[refund]),
            order(2, status="pending"),
            order(3),
            order(4, parent_id=5003),
            order(5, refunds=[refund | {"id": 9005}]),
        ]
    )
    return alice


@pytest.mark.parametrize(
    ("document_type", "number", "refund", "code"),
    [
        ("invoice", 1, {}, "status_not_invoiced"),
        ("receipt", 1, {}, "status_not_invoiced"),
        ("packing_slip", 2, {}, "status_not_packed"),
        ("invoice", 4, {}, "sub_order"),
        ("credit_note", 1, {"refund_id": 9001}, "status_not_invoiced"),
        ("credit_note", 3, {"refund_id": 9001}, "no_refund"),
    ],
)
def test_what_an_export_would_skip_is_refused_for_the_same_reason(stocked, document_type, number, refund, code):
    answer = preview(stocked, document_type, number, **refund)

    assert (answer.status_code, answer.json()["code"]) == (422, "document_not_owed"), answer.text
    looked = stocked("POST", "/v1/exports/preview", json={"document_type": document_type}).json()["skipped"]
    named = stocked(
        "POST",
        "/v1/exports/preview",
        json={"document_type": document_type, "selection": {"order_ids": [5000 + number]}},
    )
    skips = looked if code != "no_refund" else named.json()["skipped"]
    reasons = {
        group["code"]: item["reason"] for group in skips for item in group["first"] if item["order_id"] == 5000 + number
    }
    assert answer.json()["item_code"] == code
    assert answer.json()["detail"] == f"{reasons[code]}."


def test_a_refund_of_another_order_is_no_refund_of_this_one(stocked):
    answer = preview(stocked, "credit_note", 5, refund_id=9001)

    assert (answer.status_code, answer.json()["code"]) == (422, "document_failed")
    assert (answer.json()["item_code"], answer.json()["detail"]) == (
        "refund_not_found",
        "The order has no refund with the id 9001.",
    )


@pytest.mark.parametrize("document_type", ["invoice", "credit_note"])
def test_a_foreign_order_is_answered_like_an_unknown_one(door, stocked, document_type):
    stranger = door.owner("alice", "elsewhere")
    refund = {"refund_id": 9005} if document_type == "credit_note" else {}

    answers = [preview(stranger, document_type, 5, **refund), preview(stocked, document_type, 999, **refund)]

    assert [answer.status_code for answer in answers] == [404, 404]
    assert answers[0].content == answers[1].content
    assert answers[0].json()["code"] == "not_found"
    assert preview(stranger, document_type, 5, order_id=2**63 - 1, **refund).status_code == 404


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"document_type": "invoice"}, "order_id"),
        ({"document_type": "invoice", "order_id": "5001"}, "order_id"),
        ({"document_type": "poem", "order_id": 5001}, "document_type"),
        ({"document_type": "invoice", "order_id": 5001, "refund_id": 9001}, "refund_id"),
        ({"document_type": "credit_note", "order_id": 5001}, "refund_id"),
        ({"document_type": "invoice", "order_id": 5001, "paper": "A4"}, "paper"),
        ({"document_type": "credit_note", "order_id": None, "refund_id": 9001}, "refund_id"),
        ({"document_type": "invoice", "order_id": None, "settings": {"logo": None}}, "settings.logo"),
        ({"document_type": "invoice", "order_id": None, "settings": {"footer": ["x" * 81]}}, "settings.footer.0"),
        ({"document_type": "invoice", "order_id": None, "settings": {"accent": "#ffcc00"}}, "settings.accent"),
    ],
)
def test_a_body_that_means_nothing_names_its_field(alice, body, field):
    answer = alice("POST", "/v1/documents/preview", json=body)

    assert (answer.status_code, answer.json()["code"]) == (422, "invalid_request")
    assert [error["field"] for error in answer.json()["errors"]] == [field]


def test_only_who_may_change_the_store_sees_documents_as_if_it_were_changed(door, stocked):
    without = door.owner("bob", "demo", Right.EXPORTS, Right.ORDERS)

    answer = preview(without, "invoice", 3, settings={"bank_lines": ["IBAN of mine"]})

    assert (answer.status_code, answer.json()["code"]) == (403, "right_missing")
