"""The API tells what a store's orders lack for e-invoices: to its owners, page by page, and of what was asked for."""

import json

from app.api.cursors import encode
from app.domain.principal import Owner, Right
from app.domain.selection import Selection
from app.exports import checking
from tests.shop import order, orders

CHECK = "/v1/orders/check"


def look(caller, **body):
    answer = caller("POST", CHECK, json=body)
    assert answer.status_code == 200, answer.text
    return answer.json()


def test_orders_are_looked_at_page_by_page_each_once(alice):
    alice.load([*orders(5), order(6, billing={"first_name": "Ada", "city": "Kiel"}), order(7, status="failed")])

    pages, body = [], {"limit": 3}
    while True:
        pages.append(look(alice, **body))
        if pages[-1]["next"] is None:
            break
        body["cursor"] = pages[-1]["next"]

    assert [(page["checked"], page["skipped"]) for page in pages] == [(3, 0), (3, 0), (0, 1)]
    named = [one["order_id"] for page in pages for one in page["documents"]]
    assert named == list(range(5001, 5007))
    (without_country,) = [one for one in pages[1]["documents"] if one["order_id"] == 5006]
    assert "BR-11" in {found["rule"] for found in without_country["findings"]}
    counted = {row["rule"]: row["documents"] for row in pages[1]["rules"]}
    assert (counted["BR-11"], counted["BR-08"]) == (1, 3)
    (doubt,) = [row for row in pages[0]["rules"] if row["rule"] == "BR-CO-04"]
    assert (doubt["examples"], len(doubt["details"])) == (["00001", "00002", "00003"], 1)


def test_the_stores_settings_and_the_full_refunds_are_looked_at(alice):
    alice("PATCH", "/v1/store", json={
        "address": ["Lane 1"], "country": "DE", "untaxed": "Z", "bank_lines": ["Within 14 days"],
        "tax_ids": [{"number": "DE136695976"}],
    })  # fmt: skip
    alice.load([order(1), order(2, refunds=[{"id": 9, "reason": "", "total": "-1.00"}])])

    found = look(alice)

    assert (found["checked"], found["ready"]) == (3, 2)
    (note,) = found["documents"]
    assert (note["document_type"], note["refund_id"]) == ("credit_note", 9)
    assert [one["rule"] for one in note["findings"]] == ["BR-03", "BR-16"]


def test_a_selection_chooses_and_what_it_names_and_is_not_there_is_told(alice):
    alice.load([*orders(3), order(4, status="failed")])

    named = look(alice, selection={"order_ids": [5001, 77, 5004]})
    numbered = look(alice, selection={"numbers": ["no such"]})
    failed = look(alice, selection={"statuses": ["failed"]})

    assert (named["checked"], named["skipped"], named["not_found"]) == (2, 0, ["77"])
    assert (numbered["checked"], numbered["not_found"]) == (0, ["no such"])
    assert (failed["checked"], failed["skipped"]) == (1, 0)


def test_large_orders_make_short_pages(alice, monkeypatch):
    alice.load(orders(4))
    monkeypatch.setattr(checking, "MOST_CHARACTERS", 1)

    first = look(alice)
    rest = look(alice, cursor=first["next"])

    assert [len(page["documents"]) for page in (first, rest)] == [1, 1]
    assert first["documents"] != rest["documents"]


def test_another_store_is_not_looked_at_and_who_only_reads_may_look(alice, door):
    alice.load(orders(2))
    reader, stranger = door.owner("reader", "demo", Right.EXPORTS), door.owner("eve", "elsewhere")

    assert look(reader)["checked"] == 2
    assert look(stranger) | {"rules": []} == {
        "checked": 0, "ready": 0, "skipped": 0, "not_found": [], "rules": [], "documents": [], "next": None,
    }  # fmt: skip


def test_what_means_nothing_is_refused_by_name(alice):
    reversed_range = {"created": {"from": "2026-01-02", "to": "2026-01-01"}}
    cases = [
        ({"limit": 0}, "limit"),
        ({"limit": 501}, "limit"),
        ({"limit": True}, "limit"),
        ({"selection": reversed_range}, "selection.created"),
        ({"page": 1}, "page"),
        ([], "body"),
    ]

    answers = [(alice("POST", CHECK, json=body), field) for body, field in cases]

    for answer, field in answers:
        assert (answer.status_code, answer.json()["code"]) == (422, "invalid_request")
        assert [error["field"] for error in answer.json()["errors"]] == [field]


def test_a_cursor_of_another_list_or_a_forged_one_is_refused(alice):
    owner, everything = Owner(1, "demo", "alice"), f"orders/check?{json.dumps(Selection().to_json(), sort_keys=True)}"
    forged = [encode(owner, everything, values) for values in ([], ["1"], [True], [-1], [2**63], [1, 2])]
    whole = encode(owner, everything, [1])

    answers = [alice("POST", CHECK, json={"cursor": cursor}) for cursor in forged]
    answers.append(alice("POST", CHECK, json={"cursor": whole, "selection": {"numbers": ["1"]}}))

    for answer in answers:
        assert (answer.status_code, answer.json()["code"]) == (400, "cursor_invalid")
    assert alice("POST", CHECK, json={"cursor": whole}).status_code == 200
