"""Every document type from the request to the archive."""

import base64
import io

import pytest
from pypdf import PdfReader

from tests.shop import order
from tests.waiting import until


def previewed(client, document_type, item):
    """The document as `POST /v1/documents/preview` makes it; the first one waits for the renderer."""
    body = {"document_type": document_type, "order_id": item["order_id"], "refund_id": item["refund_id"]}
    answer = until(
        lambda: (found := client.post("/v1/documents/preview", json=body)).status_code != 503 and found, within=60
    )
    if answer.status_code == 200:
        assert answer.headers["content-type"] == "application/pdf"
        digest = base64.b64encode(bytes.fromhex(item["sha256"])).decode()
        assert answer.headers["repr-digest"] == f"sha-256=:{digest}:"
        assert answer.headers["content-disposition"] == f"inline; filename*=UTF-8''{item['file']}"
    return answer


def text_of(pdf):
    return "\n".join(page.extract_text() for page in PdfReader(io.BytesIO(pdf)).pages)


def refund(number, of, day, amount):
    moment = f"2026-11-{day:02}T10:00:00"
    dates = {"date_created": moment, "date_created_gmt": moment}
    return {"id": number, "parent_id": 5000 + of, "amount": amount, "reason": "Cracked", "line_items": [], **dates}


@pytest.fixture
def stocked(alice):
    """A store with a paid order, one that is not paid, and one that was given back in two parts."""
    paid = {"date_paid": "2026-10-09T10:00:00", "date_paid_gmt": "2026-10-09T08:00:00"}
    alice.load(
        [
            order(1, **paid),
            order(2),
            order(3, status="refunded", refunds=[{"id": 9001, "reason": "Cracked", "total": "-3.00"}], **paid),
            refund(9001, 3, 5, "3.00"),
            refund(9002, 3, 20, "4.00"),
        ]
    )
    return alice


def test_credit_notes_of_a_month_are_those_of_its_refunds(stocked):
    november = {"created": {"from": "2026-11-10", "to": "2026-11-30"}}

    export = stocked.until_over(stocked.create(document_type="credit_note", selection=november))

    assert export["counts"] == {"requested": 1, "rendered": 1, "failed": 0, "skipped": 0}
    assert export["selection"]["order_ids"] == []
    archive = stocked.archive(export)
    assert archive.documents == ["credit-note-00003-9002.pdf"]
    (item,) = archive.manifest["items"]
    assert (item["order_id"], item["refund_id"], item["number"]) == (5003, 9002, "00003-9002")
    assert (item["date"], item["net"], item["tax"], item["total"]) == ("2026-11-20", "", "", "-4.00")
    text = text_of(archive.zip.read(item["file"]))
    for words in ("Credit note", "00003-9002", "For invoice no.\n00003", "Cracked"):
        assert words in text
    assert ",5003,9002,2026-11-20," in archive.text("manifest.csv")
    assert previewed(stocked, "credit_note", item).content == archive.zip.read(item["file"])


def test_credit_notes_of_named_orders_account_for_each_of_them(stocked):
    export = stocked.until_over(stocked.create(document_type="credit_note", selection={"order_ids": [5003, 5001]}))

    items = stocked.archive(export).manifest["items"]
    assert [(item["refund_id"], item["outcome"], item["code"]) for item in items] == [
        (9001, "rendered", ""),
        (9002, "rendered", ""),
        (None, "skipped", "no_refund"),
    ]


def test_receipts_are_made_of_what_was_paid_and_packing_slips_of_what_is_sent(stocked):
    receipts = stocked.until_over(stocked.create(document_type="receipt"))
    slips = stocked.until_over(stocked.create(document_type="packing_slip"))

    assert stocked.archive(receipts).documents == ["receipt-00001.pdf", "receipt-00003.pdf"]
    (skipped,) = stocked.every(receipts["links"]["failures"])
    assert (skipped["outcome"], skipped["code"], skipped["order_id"]) == ("skipped", "not_paid", 5002)
    archive = stocked.archive(slips)
    assert archive.documents == ["packing-slip-00001.pdf", "packing-slip-00002.pdf"]
    assert [item["total"] for item in archive.manifest["items"] if item["outcome"] == "rendered"] == ["", ""]
    assert [row["code"] for row in stocked.every(slips["links"]["failures"])] == ["status_not_packed"]
    for document_type, export in (("receipt", receipts), ("packing_slip", slips)):
        made = stocked.archive(export)
        for item in made.manifest["items"]:
            answer = previewed(stocked, document_type, item)
            if item["outcome"] == "rendered":
                assert answer.content == made.zip.read(item["file"])
            else:
                told = (answer.status_code, answer.json()["code"], answer.json()["item_code"])
                assert told == (422, "document_not_owed", item["code"])
