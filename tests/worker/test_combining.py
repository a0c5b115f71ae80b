"""Combined PDFs: in order, each document whole and findable, nothing kept twice, the same bytes again."""

import json
from dataclasses import replace
from io import BytesIO
from random import Random

import pikepdf
import pytest
from pypdf import PdfReader

from tests.worker.archives import archive_of, built_apart, item
from worker.archive import Archived, BadArtifacts, build_archive

LOGO = bytes(range(256)) * 200


def document(number, *, pages=1, logo=LOGO):
    """A small PDF of that many pages, each telling whose it is, with a logo that all documents have."""
    with pikepdf.Pdf.new() as pdf:
        pdf.docinfo["/Title"] = f"Invoice {number}"
        pdf.Root.Lang = "de"
        font = pdf.make_indirect(pikepdf.Dictionary(Type=pikepdf.Name.Font, Subtype=pikepdf.Name.Type1))
        font.BaseFont = pikepdf.Name.Helvetica
        image = pdf.make_stream(logo, Type=pikepdf.Name.XObject, Subtype=pikepdf.Name.Image)
        for page in range(1, pages + 1):
            made = pdf.add_blank_page()
            made.Resources = pikepdf.Dictionary(Font=pikepdf.Dictionary(F=font), XObject=pikepdf.Dictionary(Logo=image))
            made.StructParents = 0
            text = f"No {number}, page {page} of {pages}"
            made.Contents = pdf.make_stream(f"BT /F 12 Tf 20 20 Td ({text}) Tj ET".encode())
        content = BytesIO()
        pdf.save(content, deterministic_id=True)
    return content.getvalue()


@pytest.fixture
def combined(request_for):
    """The archive of documents with these pages (0: it failed), in one step each, in a layout."""

    def make(pages, *, layout="combined", combined_part=500):
        pdfs = [document(number, pages=count) if count else None for number, count in enumerate(pages, start=1)]
        items = [
            item(number, pdf, pages=pages[number - 1], **({"code": "render_error"} if pdf is None else {}))
            for number, pdf in enumerate(pdfs, start=1)
        ]
        if layout == "combined":
            items = [replace(one, file="") for one in items]
        steps = [(number, number, pdf or b"") for number, pdf in enumerate(pdfs, start=1)]
        request = request_for(items, steps, layout=layout, combined_part=combined_part)
        return request, build_archive(request)

    return make


def texts(pdf):
    return [page.extract_text() for page in PdfReader(BytesIO(pdf)).pages]


def test_documents_stand_in_order_under_a_bookmark_each_with_their_own_page_numbers(combined):
    request, _ = combined([2, 1, 0, 3])

    with archive_of(request) as archive:
        assert archive.namelist() == ["invoices.pdf", "manifest.json", "manifest.csv", "summary.csv", "failures.csv"]
        pdf = archive.read("invoices.pdf")
    reader = PdfReader(BytesIO(pdf), strict=True)
    assert texts(pdf) == [
        "No 1, page 1 of 2", "No 1, page 2 of 2", "No 2, page 1 of 1",
        "No 4, page 1 of 3", "No 4, page 2 of 3", "No 4, page 3 of 3",
    ]  # fmt: skip
    bookmarks = [(one.title, reader.get_destination_page_number(one)) for one in reader.outline]
    assert bookmarks == [("Invoice 1", 0), ("Invoice 2", 2), ("Invoice 4", 3)]
    assert reader.page_labels == ["1", "2", "1", "1", "2", "3"]
    assert reader.trailer["/Root"]["/Lang"] == "de"
    assert not any("/StructParents" in page for page in reader.pages)


def test_the_manifest_tells_the_file_and_the_page_of_each_document(combined):
    request, _ = combined([2, 1, 0, 3], combined_part=2)

    with archive_of(request) as archive:
        assert archive.namelist()[:2] == ["invoices-001.pdf", "invoices-002.pdf"]
        manifest = json.loads(archive.read("manifest.json"))
        lines = archive.read("manifest.csv").decode("utf-8-sig").splitlines()
        for one in manifest["items"]:
            if one["combined_file"]:
                found = texts(archive.read(one["combined_file"]))[one["combined_page"] - 1]
                assert found.startswith(f"No {one['number']}, page 1 ")
    places = [(one["file"], one["combined_file"], one["combined_page"]) for one in manifest["items"]]
    assert places == [
        ("", "invoices-001.pdf", 1),
        ("", "invoices-001.pdf", 3),
        ("", "", None),
        ("", "invoices-002.pdf", 1),
    ]
    assert lines[0].endswith(",sha256,warnings,combined_file,combined_page")
    assert lines[3].endswith(",,,")
    assert lines[4].endswith(",invoices-002.pdf,1")


def test_both_layouts_in_one_archive(combined):
    request, _ = combined([1, 1, 1], layout="both", combined_part=2)

    with archive_of(request) as archive:
        assert archive.namelist()[:5] == [
            "invoice-1.pdf", "invoice-2.pdf", "invoices-001.pdf", "invoice-3.pdf", "invoices-002.pdf",
        ]  # fmt: skip
        assert archive.read("invoice-2.pdf") == document(2)
        assert archive.testzip() is None


def test_the_same_documents_give_the_same_bytes(combined):
    (_, first), (_, second) = (combined([1, 2, 1], layout="both") for _ in range(2))

    assert first == second


def test_what_all_documents_have_is_kept_once(combined):
    request, _ = combined([1] * 20)

    with archive_of(request) as archive:
        pdf = archive.read("invoices.pdf")
    assert pdf.count(b"/Subtype /Image") == 1
    assert len(pdf) < 2 * len(LOGO)


def test_each_part_is_whole_by_itself_and_dated_by_its_own_newest_document(request_for):
    """What documents share is kept once in each part, and nothing of one part is carried into the next."""
    dates = ("2026-03-09", "2026-01-05", "2026-02-01", "2026-01-31", "2025-12-24")
    pdfs = [document(number, pages=2) for number in range(1, 6)]
    items = [
        item(number, pdf, pages=2, file="", date=date)
        for number, (pdf, date) in enumerate(zip(pdfs, dates, strict=True), start=1)
    ]
    request = request_for(items, [(1, 5, b"".join(pdfs))], layout="combined", combined_part=2)

    assert isinstance(build_archive(request), Archived)

    with archive_of(request) as archive:
        parts = archive.infolist()[:3]
        assert [part.date_time[:3] for part in parts] == [(2026, 3, 9), (2026, 2, 1), (2025, 12, 24)]
        for part, numbers in zip(parts, ((1, 2), (3, 4), (5,)), strict=True):
            pdf = archive.read(part)
            assert texts(pdf) == [f"No {number}, page {page} of 2" for number in numbers for page in (1, 2)]
            logos = [page["/Resources"]["/XObject"]["/Logo"] for page in PdfReader(BytesIO(pdf)).pages]
            assert {logo.get_object().get_data() for logo in logos} == {LOGO}
            assert pdf.count(b"/Subtype /Image") == 1


def test_a_bad_artifact_leaves_no_combined_archive_either(request_for):
    good = document(1)
    request = request_for([item(1, good), item(2, good)], [(1, 1, good), (2, 2, good[:-9])], layout="combined")

    assert build_archive(request) == BadArtifacts((2,))


@pytest.mark.long
def test_one_part_is_in_memory_at_a_time(request_for):
    letters = Random(1)
    peaks = []
    for count in (200, 1200):
        pdfs = [document(number, logo=letters.randbytes(50_000)) for number in range(1, count + 1)]
        items = [item(number, pdf, file="") for number, pdf in enumerate(pdfs, start=1)]
        request = request_for(items, [(1, count, b"".join(pdfs))], layout="combined", combined_part=100)
        outcome, peak = built_apart(request)
        assert isinstance(outcome, Archived)
        peaks.append(peak)

    # a thousand more documents have fifty million bytes
    assert peaks[1] - peaks[0] < 20_000_000
