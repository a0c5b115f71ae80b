"""What is said of a document before it is laid out is what rendering says of it."""

import pytest
import shop_orders

from app.documents.contract import DocumentType, RenderedDocument
from app.documents.render import render_document
from app.documents.viewing import Foreseen, foresee

CASES = {
    "odd figures": shop_orders.order(total="13.00"),
    "nothing in it": shop_orders.order(line_items=[], total="0.00"),
    "not paid, not readable": shop_orders.order(id=0),
    "paid": shop_orders.order(date_paid="2024-03-06T10:00:00", date_created=None, date_created_gmt=None),
}


@pytest.mark.parametrize("kind", DocumentType)
@pytest.mark.parametrize("case", CASES)
def test_rendering_says_what_was_foreseen(case, kind):
    request = shop_orders.request_for(CASES[case], document_type=kind, refund_id=1)

    foreseen, document = foresee(request), render_document(request)

    if isinstance(document, RenderedDocument):
        assert foreseen == Foreseen(document.facts, document.warnings)
    else:
        assert foreseen == document
