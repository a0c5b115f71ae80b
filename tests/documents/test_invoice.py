"""What an invoice says."""

import io
from dataclasses import replace

import pytest
from pypdf import PdfReader
from shop_orders import BUYER, STORE, line, order, rendered, request_for

from app.documents.contract import DocumentFacts, UnrenderableDocument
from app.documents.render import render_document
from app.domain.store_settings import TaxId, tax_id_text


def pages_of(pdf: bytes) -> list[str]:
    return [page.extract_text() for page in PdfReader(io.BytesIO(pdf)).pages]


def text_of(payload: dict[str, object], **store: object) -> str:
    pages = pages_of(rendered(payload, store=replace(STORE, **store)).pdf)
    return "\n".join(pages).replace("\N{NO-BREAK SPACE}", " ")


def rows_of(text: str, start: str, stop: str) -> list[str]:
    """The lines of text between two marks."""
    return text.partition(start)[2].partition(stop)[0].split("\n")


def test_invoice_says_who_what_and_how_much():
    document = rendered(order(number="56AQ-0017", date_paid="2024-03-06T09:00:00"))

    text = pages_of(document.pdf)[0]
    for words in (
        "Alder & Finch",
        "14 Harbour Row",
        "Tax ID GB 123 4567 89",
        "56AQ-0017",
        "5 March 2024",
        "6 March 2024",
        "Ada Example",
        "10115 Sampletown",
        "Germany",
        "Card",
        "Mug",
        "VAT 20%",
        "£12.00",
        "Page 1 of 1",
    ):
        assert words in text
    assert document.pages == 1
    assert document.warnings == ()
    assert document.facts == DocumentFacts(
        number="56AQ-0017",
        date="2024-03-05",
        customer="Ada Example",
        country="DE",
        currency="GBP",
        net="10.00",
        tax="2.00",
        total="12.00",
    )


def test_each_tax_id_stands_under_the_address_with_its_label():
    ids = tax_id_text((TaxId("GB 123 4567 89", "VAT no."), TaxId("77/1")))

    assert "VAT no. GB 123 4567 89\nTax ID 77/1" in text_of(order(), tax_id=ids)


def test_stored_total_is_printed_even_where_lines_differ():
    document = rendered(order(total="12.01"))

    assert "£12.01" in pages_of(document.pdf)[0]
    assert document.warnings == (
        "subtotal 10.00 + tax 2.00 = 12.00, but the stored total is 12.01, 0.01 more; all are printed as stored.",
    )


def test_decimals_are_those_of_the_order():
    text = text_of(
        order(
            currency="AUD",
            total="3508",
            total_tax="0",
            tax_lines=[],
            line_items=[line(total="3508", subtotal="3508", total_tax="0", subtotal_tax="0", taxes=[])],
        ),
        locale="en-AU",
    )

    assert "$3,508" in text
    assert "35.08" not in text


def test_amounts_of_very_many_digits_are_printed_whole():
    whole, parts = "1" * 18, "1" * 60
    document = rendered(order(total=f"{whole}.{parts}", total_tax="0.00", currency="KWD"))

    text = "".join(filter(str.isdigit, pages_of(document.pdf)[0]))
    assert whole + parts in text
    assert document.facts.net == f"{whole}.{parts}"


def test_nothing_is_never_below_zero():
    lines = [line(total="-0.00", total_tax="-0.00", subtotal="0.00", subtotal_tax="0.00", taxes=[])]
    document = rendered(order(total="-0.00", total_tax="-0.00", tax_lines=[], line_items=lines))

    assert (document.facts.net, document.facts.tax, document.facts.total) == ("0.00", "0.00", "0.00")
    assert "-£" not in pages_of(document.pdf)[0]


def test_a_line_that_nobody_named_says_so():
    text = text_of(order(line_items=[line(""), line("Mug"), line(sku="AB-1") | {"name": None}]))

    assert text.count("Item without a name") == 2


def test_prices_with_tax_are_shown_as_the_customer_saw_them():
    text = text_of(
        order(
            prices_include_tax=True,
            line_items=[line(quantity=3, subtotal="25.18", subtotal_tax="4.79", total="25.18", total_tax="4.79")],
            total="29.97",
            total_tax="4.79",
            tax_lines=[{"rate_id": 1, "label": "VAT 19%", "rate_percent": 19, "tax_total": "4.79"}],
        )
    )

    assert "£9.99" in text
    assert text.index("£29.97") < text.rindex("£29.97") < text.index("Includes VAT 19%")


def test_coupons_fees_and_shipping_have_rows_of_their_own():
    text = text_of(
        order(
            line_items=[line(total="8.00", total_tax="1.60")],
            coupon_lines=[{"code": "spring", "discount": "2.00", "discount_tax": "0.40"}],
            discount_total="2.00",
            shipping_lines=[{"method_title": "Courier", "total": "5.00", "total_tax": "1.00"}],
            shipping_total="5.00",
            fee_lines=[{"name": "Loyalty", "total": "-1.00", "total_tax": "0.00"}],
            tax_lines=[{"rate_id": 1, "label": "VAT", "tax_total": "1.60", "shipping_tax_total": "1.00"}],
            total_tax="2.60",
            total="14.60",
        )
    )

    assert rows_of(text, "Subtotal", "Total") == [
        " £10.00",
        "Discount (spring) -£2.00",
        "Shipping (Courier) £5.00",
        "Loyalty -£1.00",
        "VAT £2.60",
        "",
    ]
    assert "Discount -£2.00" in text.partition("Subtotal")[0]


def test_each_rate_has_its_row_and_lines_tell_theirs():
    text = text_of(
        order(
            line_items=[
                line("Kurta", taxes=[{"id": 1, "total": "0.90"}, {"id": 2, "total": "0.90"}]),
                line("Book", taxes=[{"id": 3, "total": "0.00"}]),
            ],
            tax_lines=[
                {"rate_id": 1, "label": "CGST", "rate_percent": 9, "tax_total": "0.90"},
                {"rate_id": 2, "label": "SGST", "rate_percent": 9, "tax_total": "0.90", "compound": True},
                {"rate_id": 3, "label": "Exempt", "rate_percent": 0, "tax_total": "0.00"},
            ],
            total_tax="1.80",
            total="21.80",
        )
    )

    assert rows_of(text, "Subtotal", "Total")[1:4] == [
        "CGST 9% £0.90",
        "SGST 9% (compound) £0.90",
        "Exempt 0% £0.00",
    ]
    assert "9% + 9%" in text


def test_order_worth_nothing_is_an_invoice_of_nothing():
    document = rendered(
        order(
            line_items=[line(total="0.00", total_tax="0.00")],
            coupon_lines=[{"code": "gift", "discount": "10.00", "discount_tax": "2.00"}],
            discount_total="10.00",
            tax_lines=[],
            total_tax="-0.00",
            total="-0.00",
        )
    )

    text = pages_of(document.pdf)[0]
    assert "Total £0.00" in text
    assert "-£0.00" not in text


def test_refunds_do_not_touch_the_invoice():
    plain = rendered(order())
    refunded = rendered(order(refunds=[{"id": 9, "reason": "broken", "total": "-12.00"}]))

    assert refunded.pdf == plain.pdf


def test_shipping_address_appears_only_where_it_differs():
    elsewhere = {**BUYER, "address_1": "9 Other Road", "email": ""}

    assert "Ship to" not in text_of(order(shipping={**BUYER, "email": ""}))
    assert "9 Other Road" in text_of(order(shipping=elsewhere))


def test_order_without_lines_currency_total_and_date_still_prints():
    document = rendered(
        {"id": 5, "number": "5", "status": "completed", "fee_lines": [{"name": "Deposit", "total": "40"}]}
    )

    text = pages_of(document.pdf)[0]
    assert "This order has no items." in text
    assert "Deposit 40" in text
    assert document.facts.total == ""
    assert "The order names no currency; amounts are printed without one." in document.warnings
    assert "The shop stored no total; the document shows none." in document.warnings


def test_unreadable_order_is_a_value():
    outcome = render_document(request_for({"number": "no id"}))

    assert isinstance(outcome, UnrenderableDocument)
    assert outcome.code == "order_id_invalid"


def test_unforeseen_error_is_a_value_without_payload_or_path():
    outcome = render_document(replace(request_for(order()), payload="{'name': Jane"))

    assert isinstance(outcome, UnrenderableDocument)
    assert outcome.code == "render_error"
    assert outcome.reason.startswith("JSONDecodeError: ")
    assert "Jane" not in outcome.reason
    assert "/" not in outcome.reason


@pytest.mark.parametrize(("paper", "size"), [("A4", (595, 842)), ("Letter", (612, 792))])
def test_paper_is_the_stores(paper, size):
    box = PdfReader(io.BytesIO(rendered(order(), store=replace(STORE, paper=paper)).pdf)).pages[0].mediabox

    assert (round(box.width), round(box.height)) == size


def test_right_to_left_invoice_is_mirrored_and_keeps_latin_runs():
    arabic = order(currency="SAR", line_items=[line("قميص قطني", sku="SH-AR-001")], total="12.00")
    document = rendered(arabic, store=replace(STORE, locale="ar"))

    placed: dict[str, float] = {}
    PdfReader(io.BytesIO(document.pdf)).pages[0].extract_text(
        visitor_text=lambda text, cm, tm, font, size: placed.setdefault(text.strip(), tm[4])
    )
    text = pages_of(document.pdf)[0]
    assert "SH-AR-001" in text
    assert "14 Harbour Row" in text
    # The seller's name opens the line, which is at the right; the amount closes it at the left.
    assert next(x for words, x in placed.items() if "Alder" in words) > 300
    assert next(x for words, x in placed.items() if "12.00" in words) < 150


@pytest.mark.parametrize("lines", [1, 14, 15, 16, 40, 41])
def test_no_page_is_blank_and_sums_are_never_alone(lines):
    """At some count the sums fall on the edge of a page."""
    items = [line(f"Item {number:03}", id=number) for number in range(1, lines + 1)]
    document = rendered(order(line_items=items, total="99.00"))

    pages = pages_of(document.pdf)
    text = "\n".join(pages)
    assert [f"Item {number:03}" for number in range(1, lines + 1)] == [
        words[:8] for words in text.split("\n") if words.startswith("Item 0")
    ]
    assert all("Item 0" in page for page in pages)
    assert all("Unit price" in page for page in pages)
    assert text.count("Total £99.00") == 1
    assert "Total £99.00" in pages[-1]
    assert [f"Page {number} of {len(pages)}" in page for number, page in enumerate(pages, 1)] == [True] * len(pages)


@pytest.mark.parametrize("tag", ["eu", "et-EE", "xx-unknown", ""])
def test_language_without_texts_is_english_throughout(tag):
    document = rendered(order(), store=replace(STORE, locale=tag))

    assert "March 5, 2024" in pages_of(document.pdf)[0]
    assert document.warnings == (f"There are no texts for the language {tag!r}; English was used.",)


def test_long_words_stay_in_their_column():
    endless = "X" * 200
    document = rendered(order(number="9" * 60, line_items=[line(endless, sku=endless)]))

    edges: list[float] = []
    reader = PdfReader(io.BytesIO(document.pdf))
    reader.pages[0].extract_text(
        visitor_text=lambda text, cm, tm, font, size: edges.append(tm[4]) if "X" in text else None
    )
    assert document.pages == 1
    assert edges
    assert "".join(pages_of(document.pdf)).count("X") == 400
    assert max(edges) < 80  # in px: the left edge of the text


@pytest.mark.long
def test_order_of_five_thousand_lines_is_complete():
    items = [line(f"Item {number:04}", id=number) for number in range(1, 5001)]
    document = rendered(order(line_items=items, total="60000.00"))

    pages = pages_of(document.pdf)
    found = [words[:9] for page in pages for words in page.split("\n") if words.startswith("Item ")]
    assert [words for words in found if words[5:].isdigit()] == [item["name"] for item in items]
    assert all("Unit price" in page for page in pages)
    assert "£60,000.00" in pages[-1]


@pytest.mark.long
@pytest.mark.parametrize("paper", ["A4", "Letter"])
@pytest.mark.parametrize("lines", range(1, 61))
def test_no_number_of_lines_breaks_a_page(lines, paper):
    document = rendered(
        order(line_items=[line("Item") for _ in range(lines)], customer_note="Thanks"),
        store=replace(STORE, paper=paper),
    )

    pages = pages_of(document.pdf)
    assert all(page.count("£10.00") for page in pages[:-1])
    assert pages[-1].count("Total £12.00") == 1 or "Thanks" in pages[-1]
    assert sum(page.count("Item £") + page.count("Item 1 £") for page in pages) == lines
