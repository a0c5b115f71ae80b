"""PDF/A-3b and PDF/UA-1: what comes out keeps the rules, alone and combined, looks like the usual, and says it all."""

import re
import subprocess
from io import BytesIO

import pikepdf
import pypdfium2
import pytest

from app.documents.contract import DocumentType
from app.domain.pdf_variants import PdfVariant
from tests.archive_rules.checking import broken_rules
from tests.archive_rules.documents import VARIANTS, combined, document
from tests.documents.shop_orders import order

READ_OUT = """\
Document
  Figure:
    ""
  P (block)
    "Alder & Finch"
    "14 Harbour Row"
    "Bristol BS1 4QA"
    "Tax ID GB 123 4567 89"
  H1 (block)
    "Invoice"
  Sect
    H2 (block)
      "Bill to"
    P (block)
      "Ada Example"
      "1 Sample Street"
      "10115 Sampletown"
      "Germany"
      "ada@example.com"
    L (block)
      LI (block)
        Lbl (block)
          "Invoice no."
        LBody (block)
          "7001"
      LI (block)
        Lbl (block)
          "Date"
        LBody (block)
          "5 March 2024"
      LI (block)
        Lbl (block)
          "Payment"
        LBody (block)
          "Card"
  Table (block)
    THead
      TR
        TH:
          "Item"
        TH:
          "Qty"
        TH:
          "Unit price"
        TH:
          "Amount"
    TBody
      TR
        TD
          "Mug"
        TD
          "1"
        TD
          "£10.00"
        TD
          "£10.00"
  Table (block)
    TBody
      TR
        TH:
          P (block)
            "Subtotal"
        TD
          "£10.00"
      TR
        TH:
          P (block)
            "VAT 20%"
        TD
          "£2.00"
      TR
        TH:
          P (block)
            "Total"
        TD
          "£12.00"
  H2 (block)
    "Bank details"
  P (block)
    "IBAN GB00 1234"
    "BIC X"
  P (block)
    "Call us"
"""
"""As `pdfinfo -struct-text` prints it, without attributes."""


@pytest.fixture(scope="module")
def made():
    """A long invoice and a short packing slip in each variant, and the usual ones."""
    return {
        variant: [document(variant), document(variant, DocumentType.PACKING_SLIP, payload=order())]
        for variant in PdfVariant
    }


@pytest.mark.parametrize("variant", VARIANTS)
def test_documents_keep_the_rules_of_their_variant_alone_and_combined(made, variant):
    alone = made[variant]

    together = combined(variant, [*alone, *alone])

    assert [broken_rules(pdf, variant) for pdf in (*alone, together)] == [{}] * 3
    assert combined(variant, [*alone, *alone]) == together


def test_each_piece_of_content_belongs_to_one_element_that_knows_it(made):
    alone = made[PdfVariant.PDF_UA_1]

    for pdf in (*alone, combined(PdfVariant.PDF_UA_1, [*alone, *alone])):
        assert [(marked, owned) for marked, owned in ways(pdf) if marked != owned or not marked] == []


@pytest.mark.parametrize("variant", VARIANTS)
def test_the_usual_documents_do_not_keep_them_so_the_check_sees_something(made, variant):
    assert len(broken_rules(made[PdfVariant.STANDARD][0], variant)) >= 3


@pytest.mark.parametrize("variant", VARIANTS)
def test_a_variant_looks_like_the_usual_document_dot_for_dot(made, variant):
    assert [dots(pdf) for pdf in made[variant]] == [dots(pdf) for pdf in made[PdfVariant.STANDARD]]


def test_what_is_read_out_has_headings_lists_and_tables_in_their_order():
    pdf = document(PdfVariant.PDF_UA_1, payload=order())

    assert read_out(pdf) == READ_OUT
    with pikepdf.open(BytesIO(pdf)) as opened:
        figure = opened.Root.StructTreeRoot.K[0].K[0]
        assert (figure.S, figure.Alt) == ("/Figure", "Alder & Finch")


def test_a_table_over_many_pages_is_one_and_what_stands_on_every_page_is_said_once(made):
    told = read_out(made[PdfVariant.PDF_UA_1][0])

    assert told.count('"Unit price"') == told.count('"Call us"') == told.count('"Bank details"') == 1
    assert told.count("  Table (block)") == 2  # the lines and the sums
    assert told.count("S-") == 40
    assert "Page 1" not in told


def test_a_combined_one_reads_out_its_documents_one_after_the_other(made):
    told = read_out(combined(PdfVariant.PDF_UA_1, made[PdfVariant.PDF_UA_1]))

    assert [row.strip() for row in told.splitlines() if "H1" in row or "Part" in row] == ["Part", "H1 (block)"] * 2
    apart = [read_out(pdf).splitlines()[1:] for pdf in made[PdfVariant.PDF_UA_1]]
    assert [row.strip() for row in told.splitlines() if "Part" not in row][1:] == [
        row.strip() for rows in apart for row in rows
    ]


@pytest.mark.parametrize("variant", VARIANTS)
def test_a_document_tells_its_title_author_language_and_the_day_of_its_order(variant):
    pdf = document(variant, payload=order())

    for one in (pdf, combined(variant, [pdf])):
        with pikepdf.open(BytesIO(one)) as opened:
            xmp = opened.open_metadata()
            info = {name: str(value) for name, value in opened.docinfo.items()}
            assert opened.Root.Lang == "en-GB"
            assert (xmp["dc:title"], xmp["dc:creator"]) == (info["/Title"], ["Alder & Finch"])
            assert (xmp["xmp:CreateDate"][:19], info["/CreationDate"]) == ("2024-03-05T10:20:30", "D:20240305102030Z")
            assert (xmp["xmp:ModifyDate"], info["/ModDate"]) == (xmp["xmp:CreateDate"], info["/CreationDate"])


def ways(pdf: bytes) -> list[tuple[set[int], set[int]]]:
    """For each page, the pieces that its content marks, and those whose element says that it has them."""
    with pikepdf.open(BytesIO(pdf)) as opened:
        numbers = list(opened.Root.StructTreeRoot.ParentTree.Nums)
        owners = {int(key): list(value) for key, value in zip(numbers[::2], numbers[1::2], strict=True)}
        return [
            (
                {int(number) for number in re.findall(rb"/MCID (\d+)", page.Contents.read_bytes())},
                {number for number, owner in enumerate(owners[page.StructParents]) if has(owner, number, page)},
            )
            for page in opened.pages
        ]


def has(owner: pikepdf.Object | None, number: int, page: pikepdf.Page) -> bool:
    pieces = [] if owner is None else list(owner.K)
    here = [piece for piece in pieces if isinstance(piece, int) and owner.Pg.objgen == page.obj.objgen]
    here += [piece.MCID for piece in pieces if "MCR" in str(getattr(piece, "Type", "")) and piece.Pg == page.obj]
    return number in here


def dots(pdf: bytes) -> list[bytes]:
    with pypdfium2.PdfDocument(pdf) as opened:
        return [bytes(page.render(scale=1).buffer) for page in opened]


def read_out(pdf: bytes) -> str:
    """The structure as poppler tells it; a line of its own for each piece of text, none for attributes."""
    told = subprocess.run(["pdfinfo", "-struct-text", "-"], input=pdf, capture_output=True, check=True).stdout.decode()
    return "".join(f"{row}\n" for row in told.splitlines() if not row.lstrip().startswith("/") and row.strip())
