"""Pages of text in every field of an order: whole, on the paper, and laid out in the time that its length takes."""

import time

import pytest
from positions import is_inside, is_off_the_edge, pages_of_words
from shop_orders import BUYER, line, order, rendered
from test_credit_note import back, refund

from app.documents.contract import DocumentType

PARAGRAPH = '<p class="note">Handle <b>with</b> care</p> '
LONG = (PARAGRAPH * 30).strip()
"""Some 1,300 characters: words, and what is not a word."""
CPU_SECONDS = 10
"""Ten times what it takes. A table that looks for its narrowest column takes this for each of its labels."""

FIELDS = {
    "number": LONG,
    "billing": {**BUYER, "company": LONG},
    "payment_method_title": LONG,
    "customer_note": LONG,
    "line_items": [line("Mug", sku=LONG), line(LONG, meta_data=[{"id": 1, "key": "Engraving", "value": LONG}])],
    "fee_lines": [{"name": LONG, "total": "1.00", "total_tax": "0.00"}],
    "shipping_lines": [{"method_title": LONG, "total": "1.00", "total_tax": "0.00"}],
    "shipping_total": "1.00",
    "coupon_lines": [{"code": LONG, "discount": "1.00", "discount_tax": "0.00"}],
    "discount_total": "1.00",
    "tax_lines": [{"rate_id": 1, "label": LONG, "rate_percent": 20, "tax_total": "4.00"}],
    "date_paid": "2024-03-06T09:00:00",
}
SHOWN = {DocumentType.INVOICE: 10, DocumentType.CREDIT_NOTE: 6}
"""Fields that a type prints, at least. A receipt is set as an invoice is; a packing slip has no sums."""


@pytest.mark.parametrize("kind", SHOWN)
def test_long_texts_are_whole_and_take_no_more_than_their_length(kind):
    began = time.process_time()

    pdf = rendered(
        order(**FIELDS),
        document_type=kind,
        refunds=[refund(reason=LONG, line_items=[back(LONG, sku=LONG)])],
        refund_id=7002 if kind is DocumentType.CREDIT_NOTE else None,
    ).pdf

    assert time.process_time() - began < CPU_SECONDS
    pages = pages_of_words(pdf)
    assert [word.text for page in pages for word in page if not (is_inside(word) and is_off_the_edge(word))] == []
    text = "".join(word.text for page in pages for word in page)
    assert text.count("".join(PARAGRAPH.split())) >= 28 * SHOWN[kind]
