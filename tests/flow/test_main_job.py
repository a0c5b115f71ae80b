"""The main job, end to end, embedded and distributed: orders in, an archive of invoices out."""

import hashlib
import json
from base64 import b64decode
from io import BytesIO

import pytest
from pypdf import PdfReader

from tests.installation import ROOT, embedded, run
from tests.shop import order, orders


def text_of(pdf: bytes) -> str:
    return "\n".join(page.extract_text() for page in PdfReader(BytesIO(pdf)).pages)


def test_orders_become_an_archive_that_accounts_for_each(alice):
    alice.load([*orders(23), order(24, status="cancelled")])

    export = alice.until_over(alice.create())

    assert export["state"] == "completed"
    assert export["counts"] == {"requested": 24, "rendered": 23, "failed": 0, "skipped": 1}
    assert export["percent"] == 100
    archive = alice.archive(export)
    assert len(archive.documents) == 23
    assert archive.names[23:] == ["manifest.json", "manifest.csv", "summary.csv", "failures.csv"]
    manifest = archive.manifest
    assert [manifest[name] for name in ("requested", "rendered", "failed", "skipped")] == [24, 23, 0, 1]
    assert [item["ordinal"] for item in manifest["items"]] == list(range(1, 25))
    for item in manifest["items"]:
        if item["outcome"] == "rendered":
            pdf = archive.zip.read(item["file"])
            assert hashlib.sha256(pdf).hexdigest() == item["sha256"]
            assert len(pdf) == item["bytes"]
    skipped = next(item for item in manifest["items"] if item["outcome"] == "skipped")
    assert (skipped["code"], skipped["order_id"], skipped["file"]) == ("status_not_invoiced", 5024, "")
    assert archive.text("failures.csv").splitlines()[1].startswith("24,skipped,status_not_invoiced,")
    total = f"{sum(10_000 + number for number in range(1, 24)) / 100:.2f}"
    assert archive.text("summary.csv").splitlines()[1:] == [
        f"EUR,rendered,23,{total},0.00,{total}",
        "EUR,skipped,1,0,0,0",
    ]


def test_each_document_holds_its_own_orders_number_and_total(alice):
    alice.load(orders(12))

    archive = alice.archive(alice.until_over(alice.create(sort="number")))

    for number, name in enumerate(archive.documents, start=1):
        text = text_of(archive.zip.read(name))
        assert name == f"invoice-{number:05}.pdf"
        assert f"{number:05}" in text
        assert f"{100 + number / 100:.2f}" in text
        others = {other for other in range(1, 13) if other != number}
        assert not any(f"Muster-{other}\n" in f"{text}\n" for other in others)


def test_the_archives_digest_is_published_everywhere(alice):
    alice.load(orders(2))

    export = alice.until_over(alice.create())
    answer = alice.get(export["links"]["archive"])

    digest = hashlib.sha256(answer.content).hexdigest()
    assert export["archive"]["sha256"] == digest
    assert answer.headers["etag"] == f'"{digest}"'
    assert b64decode(answer.headers["repr-digest"].removeprefix("sha-256=:").removesuffix(":")).hex() == digest
    assert answer.headers["content-type"] == "application/zip"
    part = alice.get(export["links"]["archive"], headers={"Range": "bytes=10-19", "If-Range": answer.headers["etag"]})
    assert (part.status_code, part.content) == (206, answer.content[10:20])
    stale = alice.get(export["links"]["archive"], headers={"Range": "bytes=10-19", "If-Range": '"other"'})
    assert (stale.status_code, stale.content) == (200, answer.content)
    for asked, status, code in (
        ("bytes=abc", 400, "parameter_invalid"),
        ("items=0-1", 400, "parameter_invalid"),
        ("bytes=5-2", 400, "parameter_invalid"),
        ("bytes=999999999-", 416, "range_not_satisfiable"),
        ("bytes=-0", 416, "range_not_satisfiable"),
    ):
        refused = alice.get(export["links"]["archive"], headers={"Range": asked})
        assert (refused.status_code, refused.json()["code"]) == (status, code), asked
    assert refused.headers["content-range"] == f"bytes */{len(answer.content)}"
    head = alice.head(export["links"]["archive"])
    assert (head.status_code, head.content, head.headers["content-length"]) == (200, b"", str(len(answer.content)))


def test_the_same_orders_give_the_same_bytes_and_numbers_in_two_exports_at_once(installation, shop):
    first, second = (installation.owner("alice", f"{shop}-{name}") for name in ("a", "b"))
    for name in ("a", "b"):
        # what is printed belongs to the content: the two stores are alike but for their keys
        settings = ("--name", "Twin", "--number-key", "_invoice_number")
        run("stores", "set", f"{shop}-{name}", *settings, *installation.data, environment=installation.environment)
    numbered = [
        order(number, meta_data=[{"id": 1, "key": "_invoice_number", "value": f"RE-{2026 + number % 2}-{number // 2}"}])
        for number in range(1, 16)
    ]
    with first, second:
        first.load(numbered)
        second.load(numbered[::-1])

        exports = [client.create(sort="number") for client in (first, second)]
        archives = [
            client.archive(client.until_over(export)) for client, export in zip((first, second), exports, strict=True)
        ]

    assert archives[0].content == archives[1].content
    told = [item["number"] for item in archives[0].manifest["items"]]
    assert told == [f"RE-{2026 + number % 2}-{number // 2}" for number in range(1, 16)]
    for item in archives[0].manifest["items"]:
        assert f"Invoice no.\n{item['number']}\n" in text_of(archives[0].zip.read(item["file"]))


def test_an_archive_holds_nothing_but_its_documents_once_it_is_done(alice, installation):
    alice.load(orders(12))

    export = alice.until_over(alice.create())

    alice.until(export, lambda _: len(list((installation.artifacts / export["id"]).iterdir())) == 1, within=20)


def test_what_was_asked_for_by_name_and_does_not_exist_is_a_failed_item(alice):
    alice.load(orders(3))

    export = alice.until_over(alice.create(selection={"order_ids": [5003, 777, 5001]}))

    assert export["state"] == "completed"
    assert export["counts"] == {"requested": 3, "rendered": 2, "failed": 1, "skipped": 0}
    (failure,) = alice.every(export["links"]["failures"])
    assert (failure["ordinal"], failure["code"], failure["order_id"]) == (2, "order_not_found", 777)
    assert alice.archive(export).documents == ["invoice-00003.pdf", "invoice-00001.pdf"]


def test_an_export_of_which_nothing_can_be_rendered_fails(alice):
    alice.load(orders(1))

    export = alice.until_over(alice.create(selection={"order_ids": [1, 2]}))

    assert (export["state"], export["failure"]["code"]) == ("failed", "nothing_rendered")
    refused = alice.get(export["links"]["archive"])
    assert (refused.status_code, refused.json()["code"]) == (409, "no_archive")


def test_a_status_is_asked_for_again_only_when_it_changed(alice):
    alice.load(orders(1))
    export = alice.until_over(alice.create())

    answer = alice.get(export["links"]["self"])
    again = alice.get(export["links"]["self"], headers={"If-None-Match": answer.headers["etag"]})

    assert answer.headers["etag"] == f'"{export["revision"]}"'
    assert (again.status_code, again.content) == (304, b"")
    assert "retry-after" not in answer.headers


def test_the_manifest_is_paged_and_comes_as_csv_too(alice):
    alice.load(orders(7))
    export = alice.until_over(alice.create(sort="number"))

    rows = alice.every(f"{export['links']['manifest']}?limit=3")
    csv = alice.get(export["links"]["manifest"], headers={"Accept": "text/csv"})

    assert [row["number"] for row in rows] == [f"{number:05}" for number in range(1, 8)]
    archive = alice.archive(export)
    assert csv.content.decode() == archive.zip.read("manifest.csv").decode()
    assert rows == archive.manifest["items"]


def test_what_is_odd_about_an_order_stands_in_the_manifest_of_archive_and_api(alice):
    alice.load([order(1), order(2, total="100.50"), order(3, parent_id=5001), order(4, line_items=[], total="0.00")])

    export = alice.until_over(alice.create(sort="number"))

    rows = alice.every(export["links"]["manifest"])
    sentence = "lines 100.02 = 100.02, but the stored total is 100.50, 0.48 more; all are printed as stored."
    assert [row["warnings"] for row in rows] == [[], [sentence], [], []]
    assert [row["code"] for row in rows] == ["", "", "sub_order", "order_empty"]
    assert export["counts"] == {"requested": 4, "rendered": 2, "failed": 0, "skipped": 2}
    archive = alice.archive(export)
    assert archive.manifest["items"] == rows
    assert f'"{sentence}"' in archive.text("manifest.csv")


def test_text_that_a_database_refuses_hurts_nobody(alice):
    odd = "\x00Gr\ud83deta\u202e"
    order_with = [order(1, billing={"first_name": odd, "country": odd}, number=odd, currency=odd), order(2)]
    content = json.dumps([*order_with, order(3, customer_note=odd, line_items=[{"name": odd, "quantity": 1}])])
    assert alice.post("/v1/orders/import", content=content).json()["rejected"] == 0

    export = alice.until_over(alice.create())

    assert export["counts"] == {"requested": 3, "rendered": 3, "failed": 0, "skipped": 0}, alice.every(
        export["links"]["failures"]
    )
    assert len(alice.archive(export).documents) == 3


@pytest.mark.long
def test_two_data_folders_give_the_same_archive_however_the_work_was_cut(tmp_path):
    digests = []
    for name, every, slots in (("one", "2", "1"), ("two", "7", "2")):
        (tmp_path / name).mkdir()
        with (
            embedded(tmp_path / name, SHEAF_CHECKPOINT_EVERY=every, SHEAF_WORKER_SLOTS=slots) as installation,
            installation.owner() as client,
        ):
            client.load([*orders(8), order(9, status="trash")])
            digests.append(client.until_over(client.create())["archive"]["sha256"])

    assert digests[0] == digests[1]


def test_every_sample_order_becomes_an_invoice_with_its_number_and_total(tmp_path):
    samples = json.loads((ROOT / "samples" / "orders.json").read_text())
    with embedded(tmp_path) as installation, installation.owner() as client:
        report = client.load(samples)
        export = client.until_over(client.create())

        assert (report["new"], report["rejected"]) == (len(samples), 0)
        counts = export["counts"]
        assert counts["requested"] == len(samples) == counts["rendered"] + counts["skipped"]
        archive = client.archive(export)
    for item in archive.manifest["items"]:
        if item["outcome"] == "rendered":
            text = text_of(archive.zip.read(item["file"]))
            assert item["number"] in text
            assert digits_of(item["total"]) in digits_of(text), item


def digits_of(text):
    return "".join(letter for letter in text if letter.isdecimal())
