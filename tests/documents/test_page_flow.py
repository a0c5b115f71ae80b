"""Every type over many pages: nothing lost, headings repeated, no page blank, totals never alone, nothing overlaps."""

import re
from dataclasses import replace
from typing import NamedTuple

import pytest
from positions import is_inside, is_off_the_edge, overlapping, pages_of_words
from shop_orders import BUYER, STORE, line, order, rendered
from test_credit_note import back, refund
from test_invoice import pages_of

from app.documents.contract import DocumentType, RenderedDocument


class Flow(NamedTuple):
    """What repeats on each page of a type, and what stands once at its end."""

    column: str
    total: str


FLOWS = {
    DocumentType.INVOICE: Flow("Unit price", "Total £99.00"),
    DocumentType.PACKING_SLIP: Flow("Qty", "Total quantity "),
    DocumentType.CREDIT_NOTE: Flow("Unit price", "Total credited -£99.00"),
    DocumentType.RECEIPT: Flow("Unit price", "Amount paid £99.00"),
}
KINDS = pytest.mark.parametrize("kind", DocumentType)
OTHERS = pytest.mark.parametrize("kind", [kind for kind in DocumentType if kind is not DocumentType.INVOICE])
"""The invoice has tests of its own for what these hold."""


def document(
    kind: DocumentType, names: list[str], *, sku: str = "", paper: str = "A4", reason: str = "", **changes: object
) -> RenderedDocument:
    """A document of any type with lines of the given names."""
    return rendered(
        order(
            line_items=[line(name, sku=sku) for name in names],
            total="99.00",
            date_paid="2024-03-06T09:00:00",
            **changes,
        ),
        document_type=kind,
        store=replace(STORE, paper=paper),
        refunds=[refund(amount="99.00", reason=reason, line_items=[back(name, sku=sku) for name in names])],
        refund_id=7002 if kind is DocumentType.CREDIT_NOTE else None,
    )


def check_flow(kind: DocumentType, count: int, paper: str = "A4") -> None:
    names = [f"Item {number:04}" for number in range(1, count + 1)]

    pages = pages_of(document(kind, names, paper=paper).pdf)

    flow, text = FLOWS[kind], "\n".join(pages)
    assert re.findall(r"Item \d{4}", text) == names
    assert all(re.search(r"Item \d{4}", page) and flow.column in page for page in pages)
    assert text.count(flow.total) == 1
    assert flow.total in pages[-1]
    assert [f"Page {number} of {len(pages)}" in page for number, page in enumerate(pages, 1)] == [True] * len(pages)


@OTHERS
@pytest.mark.parametrize("count", [1, 13, 14, 16, 17, 40])
def test_lines_flow_over_pages_with_their_headings_and_the_total_keeps_company(kind, count):
    check_flow(kind, count)


@pytest.mark.long
@pytest.mark.parametrize("paper", ["A4", "Letter"])
@OTHERS
def test_no_number_of_lines_leaves_a_blank_page_or_a_total_alone(kind, paper):
    for count in range(1, 61):
        check_flow(kind, count, paper)


@pytest.mark.long
@OTHERS
def test_five_thousand_lines_are_complete(kind):
    check_flow(kind, 5000)


@KINDS
def test_row_taller_than_a_page_goes_on_over_pages(kind):
    words = [f"w{number:04}" for number in range(1000)]

    pages = pages_of(document(kind, ["Before", " ".join(words), "After"]).pdf)

    text = "\n".join(pages)
    assert re.findall(r"w\d{4}", text) == words
    assert text.index("Before") < text.index("w0000") < text.index("w0999") < text.index("After")
    assert all(FLOWS[kind].column in page and re.search(r"w\d{4}|After", page) for page in pages)


@pytest.mark.parametrize(("kind", "count"), [(DocumentType.PACKING_SLIP, 341), (DocumentType.RECEIPT, 216)])
def test_total_stays_with_the_end_of_a_last_row_that_fills_its_page(kind, count):
    """With so many words the row ends where the page does, and the total would have the next one for itself."""
    pages = pages_of(document(kind, [" ".join(f"w{number:04}" for number in range(count))]).pdf)

    assert FLOWS[kind].total in pages[-1]
    assert f"w{count - 1:04}" in pages[-1]
    assert all(FLOWS[kind].column in page for page in pages)


@KINDS
def test_words_that_cannot_be_broken_stay_in_their_columns_and_on_the_paper(kind):
    endless = "X" * 180
    long_name = "The Very Long Named Association of Sample Towns and Counties beyond the River"
    names = [endless, long_name, f"{long_name} {endless}"]

    pdf = document(
        kind,
        names,
        sku="SKU-" + "9" * 60,
        reason=f"{long_name} {endless}",
        number="N" * 70,
        payment_method_title=f"{long_name} {endless}",
        billing={**BUYER, "company": long_name, "address_1": endless},
        shipping_lines=[{"method_title": f"{long_name} {endless}", "total": "0.00", "total_tax": "0.00"}],
        customer_note=f"{long_name} {endless}",
    ).pdf

    for page in pages_of_words(pdf):
        assert [word.text for word in page if not (is_inside(word) and is_off_the_edge(word))] == []
        assert overlapping(page) == []
    text = "".join("".join(pages_of(pdf)).split())
    assert text.count("X") >= 4 * 180
    assert "".join(long_name.split()) in text


def test_a_note_that_is_longer_than_the_page_begins_under_the_totals_and_goes_on_overleaf():
    pages = pages_of(rendered(order(customer_note="word " * 600)).pdf)

    assert len(pages) == 2
    assert pages[0].index("Mug") < pages[0].index("Total") < pages[0].index("word")
    assert sum(page.count("word") for page in pages) == 600
