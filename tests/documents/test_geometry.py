"""Measured on the page, every type, short and long: nothing on anything else or near the edge, columns straight."""

import pytest
from positions import MARGIN, SLACK, WIDTH, Word, is_inside, is_off_the_edge, overlapping, pages_of_words
from shop_orders import BUYER, line, order, rendered
from test_credit_note import back, refund

from app.documents.contract import DocumentType

META = [{"id": 1, "key": "Colour", "value": "Sea green"}]
HEADINGS = {
    DocumentType.INVOICE: ("Qty", "price", "Amount"),
    DocumentType.RECEIPT: ("Qty", "price", "Amount"),
    DocumentType.CREDIT_NOTE: ("Qty", "price", "Amount"),
    DocumentType.PACKING_SLIP: ("Qty",),
}
"""The last words of the headings of figures, which stand at the right edge of their column."""


def pages(kind: DocumentType, count: int) -> list[list[Word]]:
    """The words of a document of that many lines, with amounts and quantities of several lengths."""

    def item(number: int) -> dict[str, object]:
        price = "1234.50" if number % 3 == 0 else "9.75"
        return {"id": number, "sku": f"SKU-{number}", "meta_data": META, "total": price, "subtotal": price}

    lines = [line(f"Item{number:03}", **item(number), quantity=number % 7 * 5 + 1) for number in range(1, count + 1)]
    backs = [back(f"Item{number:03}", **item(number), quantity=-number) for number in range(1, count + 1)]
    pdf = rendered(
        order(
            line_items=lines,
            total="99.00",
            date_paid="2024-03-06T09:00:00",
            shipping={**BUYER, "address_1": "2 Other Street"},
            customer_note="Please ring twice.",
            fee_lines=[{"name": "Gift wrap", "total": "2.50", "total_tax": "0.00"}],
        ),
        document_type=kind,
        refunds=[refund(amount="99.00", line_items=backs)],
        refund_id=7002 if kind is DocumentType.CREDIT_NOTE else None,
    ).pdf
    return pages_of_words(pdf)


def beside(page: list[Word], word: Word) -> list[Word]:
    """The words of a word's line, from left to right."""
    middle = (word.top + word.bottom) / 2
    return sorted((one for one in page if one.top < middle < one.bottom), key=lambda one: one.left)


@pytest.mark.parametrize("count", [2, 45])
@pytest.mark.parametrize("kind", DocumentType)
def test_pages_are_straight(kind, count):
    found = pages(kind, count)

    assert (len(found) == 1) == (count == 2)
    rights: list[set[float]] = [set() for _ in HEADINGS[kind]]
    lefts = set()
    for page in found:
        assert overlapping(page) == []
        assert [word.text for word in page if not (is_inside(word) and is_off_the_edge(word))] == []
        heading = next(word for word in page if word.text == "Qty")
        titles = [word for word in beside(page, heading) if word.text in HEADINGS[kind]]
        assert [word.text for word in titles] == list(HEADINGS[kind])
        items = [word for word in page if word.text.startswith("Item") and word.text != "Item"]
        assert items
        for item in items:
            figures = beside(page, item)[-len(titles) :]
            lefts.add(item.left)
            for column, title, figure in zip(rights, titles, figures, strict=True):
                column.update((title.right, figure.right))
    for edges in (lefts, *rights):
        assert max(edges) - min(edges) < SLACK
    if kind is not DocumentType.PACKING_SLIP:
        # the last column ends where the text does, and so do the sums beneath it
        assert max(rights[-1]) == pytest.approx(WIDTH - MARGIN, abs=SLACK)
        total = max((word for word in found[-1] if word.text.endswith("99.00")), key=lambda word: word.top)
        assert total.right == pytest.approx(WIDTH - MARGIN, abs=SLACK)
