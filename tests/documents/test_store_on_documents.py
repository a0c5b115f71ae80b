"""What a store sets stands on every type of document, in its place, on every page that it belongs on."""

import io
from dataclasses import replace

import pytest
from positions import HEIGHT, MILLIMETRE, is_inside, is_off_the_edge, overlapping, pages_of_words
from pypdf import PdfReader
from shop_orders import STORE, line, order, rendered
from test_credit_note import back, refund
from test_invoice import pages_of

from app.documents.contract import DocumentType, RenderedDocument, StoreSettings
from app.domain.store_settings import TaxId, tax_id_text

KINDS = pytest.mark.parametrize("kind", DocumentType)
WHOLE = replace(
    STORE,
    tax_id=tax_id_text((TaxId("GB 123 4567 89", "VAT no."), TaxId("EORI-1"))),
    bank_lines=("Bank of Samples", "IBAN GB33 BUKB", "BIC BUKBGB22"),
    footer=("Registered in England", "no. 01234567"),
    accent="#1a4d8f",
)
WIDEST = replace(WHOLE, bank_lines=("W" * 80,) * 4, footer=(" ".join(["Wider"] * 13),) * 4)
META = [{"id": 1, "key": "_invoice_number", "value": "2026-0042"}, {"id": 2, "key": "_number", "value": 17}]


def document(kind: DocumentType, store: StoreSettings, *, lines: int = 18, **changes: object) -> RenderedDocument:
    names = [f"Item {number:04}" for number in range(1, lines + 1)]
    return rendered(
        order(
            line_items=[line(name) for name in names],
            total="99.00",
            date_paid="2024-03-06T09:00:00",
            meta_data=META,
            **changes,
        ),
        document_type=kind,
        store=store,
        refunds=[refund(amount="99.00", line_items=[back(name) for name in names])],
        refund_id=7002 if kind is DocumentType.CREDIT_NOTE else None,
    )


def colours_of(pdf: bytes) -> bytes:
    """The drawing of all pages, in which a colour stands as three fractions."""
    return b"".join(page.get_contents().get_data() for page in PdfReader(io.BytesIO(pdf)).pages)


@KINDS
def test_footer_and_title_stand_on_each_page_tax_ids_on_the_first_and_the_bank_where_money_is_asked_for(kind):
    pages = pages_of(document(kind, WHOLE).pdf)

    assert len(pages) > 1
    bank_times = 1 if kind is DocumentType.INVOICE else 0
    for page in pages:
        assert [page.count(text) for text in WHOLE.footer] == [1] * len(WHOLE.footer)
        assert [page.count(text) for text in ("Bank details", *WHOLE.bank_lines)] == [bank_times] * 4
        assert f" · {kind.replace('_', ' ').capitalize()} " in page
    assert ["VAT no. GB 123 4567 89\nTax ID EORI-1" in page for page in pages] == [True] + [False] * (len(pages) - 1)


@pytest.mark.parametrize(
    ("kind", "store"),
    [*((kind, WIDEST) for kind in DocumentType), (DocumentType.INVOICE, replace(WIDEST, footer=(), locale="ar"))],
)
def test_however_wide_the_foot_is_nothing_overlaps_or_nears_the_edge(kind, store):
    for page in pages_of_words(document(kind, store).pdf):
        assert [word.text for word in page if not (is_inside(word) and is_off_the_edge(word))] == []
        assert overlapping(page) == []


def test_without_a_foot_the_last_line_of_a_page_stands_where_it_stands_with_one():
    bare, footed = (pages_of_words(document(DocumentType.INVOICE, store).pdf)[0] for store in (STORE, WHOLE))

    lowest = [max(word.bottom for word in page) for page in (bare, footed)]
    assert lowest[0] == pytest.approx(lowest[1], abs=1)
    assert HEIGHT - lowest[0] > 8 * MILLIMETRE


@KINDS
def test_the_accent_is_the_colour_of_headings(kind):
    blue, plain = (colours_of(document(kind, store, lines=1).pdf) for store in (WHOLE, replace(WHOLE, accent="")))

    assert b"0.101961 0.301961 0.560784" in blue
    assert b"0.101961 0.301961 0.560784" not in plain


def test_what_is_no_colour_never_reaches_the_style_sheet():
    evil, plain = (
        document(DocumentType.INVOICE, replace(STORE, accent=accent), lines=1).pdf
        for accent in ("red } .total { display: none", "")
    )

    assert colours_of(evil) == colours_of(plain)


def test_an_invoice_has_the_number_that_another_plugin_gave_it():
    store = replace(STORE, number_keys=("_absent", "_invoice_number", "_number"))

    invoice = document(DocumentType.INVOICE, store, lines=1)
    credit_note = document(DocumentType.CREDIT_NOTE, store, lines=1)
    receipt = document(DocumentType.RECEIPT, store, lines=1)
    slip = document(DocumentType.PACKING_SLIP, store, lines=1)

    texts = [pages_of(one.pdf)[0] for one in (invoice, credit_note, receipt, slip)]
    assert "Invoice no.\n2026-0042" in texts[0]
    assert "Order no.\n7001" in texts[0]
    assert "Credit note no.\n2026-0042-7002" in texts[1]
    assert "For invoice no.\n2026-0042" in texts[1]
    assert "Order no.\n7001" in texts[2]
    assert "Invoice no.\n2026-0042" in texts[2]
    assert "2026-0042" not in texts[3]
    numbers = [one.facts.number for one in (invoice, credit_note, receipt, slip)]
    assert numbers == ["2026-0042", "2026-0042-7002", "7001", "7001"]
    assert not any("invoice number" in warning for one in (invoice, credit_note) for warning in one.warnings)


def test_a_number_may_be_a_number():
    assert document(DocumentType.INVOICE, replace(STORE, number_keys=("_number",)), lines=1).facts.number == "17"


@pytest.mark.parametrize("kind", [DocumentType.INVOICE, DocumentType.CREDIT_NOTE])
def test_an_order_without_its_invoice_number_keeps_its_own_and_warns(kind):
    found = document(kind, replace(STORE, number_keys=("_absent", "_other")), lines=1)

    assert found.facts.number.startswith("7001")
    assert "The order has no invoice number (_absent, _other); its own number was printed." in found.warnings
