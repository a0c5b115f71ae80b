"""Layouts, end to end: real documents in combined PDFs, in the order of their owner."""

from io import BytesIO

from pypdf import PdfReader

from app.domain.pdf_variants import PdfVariant
from tests.archive_rules.checking import broken_rules
from tests.shop import order, orders


def test_a_combined_export_holds_every_document_in_the_order_of_its_owner(settled):
    settled.load([*orders(4), order(5, line_items=[{"name": f"Nail {n}", "quantity": 1} for n in range(80)])])

    wanted = [5005, 999, 5002, 5004]
    export = settled.until_over(settled.create(layout="combined", selection={"order_ids": wanted}))

    assert (export["state"], export["layout"]) == ("completed", "combined")
    archive = settled.archive(export)
    assert archive.names == ["invoices.pdf", "manifest.json", "manifest.csv", "summary.csv", "failures.csv"]
    reader = PdfReader(BytesIO(archive.zip.read("invoices.pdf")), strict=True)
    assert [one.title for one in reader.outline] == ["Invoice 00005", "Invoice 00002", "Invoice 00004"]
    first_pages = [reader.get_destination_page_number(one) for one in reader.outline]
    assert settled.every(f"{export['links']['manifest']}?limit=2") == archive.manifest["items"]
    csv = settled.get(export["links"]["manifest"], headers={"Accept": "text/csv"})
    assert csv.content.decode() == archive.zip.read("manifest.csv").decode()
    rendered = [item for item in archive.manifest["items"] if item["outcome"] == "rendered"]
    assert [item["combined_page"] - 1 for item in rendered] == first_pages
    assert len(reader.pages) == sum(item["pages"] for item in rendered)
    for item, page in zip(rendered, first_pages, strict=True):
        text = reader.pages[page].extract_text()
        assert item["number"] in text
        assert f"Page 1 of {item['pages']}" in text


def test_a_retry_names_and_combines_what_it_has_made_itself(settled):
    settled.load(orders(2))
    wanted = {
        "layout": "both",
        "pdf": "pdf_a_3b",
        "filename_pattern": "{date} {customer}",
        "selection": {"order_ids": [5001, 5003, 5002]},
    }
    first = settled.until_over(settled.create(**wanted))
    settled.load([order(3)])

    retry = settled.until_over(settled.post(first["links"]["retry"]).json())

    names = ["2026-10-02-Greta-Muster-1.pdf", "2026-10-03-Greta-Muster-2.pdf", "invoices.pdf"]
    assert settled.archive(first).documents == names
    archive = settled.archive(retry)
    assert archive.documents == ["2026-10-04-Greta-Muster-3.pdf", "invoices.pdf"]
    reader = PdfReader(BytesIO(archive.zip.read("invoices.pdf")))
    assert [one.title for one in reader.outline] == ["Invoice 00003"]
    assert (first["pdf"], archive.manifest["pdf"]) == ("pdf_a_3b", "pdf_a_3b")
    assert [broken_rules(archive.zip.read(name), PdfVariant.PDF_A_3B) for name in archive.documents] == [{}, {}]
