"""What an order holds decides whether a document is owed, and nothing of it is counted twice."""

import pytest
from shop_orders import line, order, rendered, request_for
from test_invoice import pages_of

from app.documents.contract import DocumentType, SkippedDocument
from app.documents.render import render_document

EMPTY = {"line_items": [], "tax_lines": [], "total_tax": "0.00", "total": "0.00", "date_paid": "2024-03-05T10:20:30"}


@pytest.mark.parametrize("kind", [DocumentType.INVOICE, DocumentType.RECEIPT])
def test_an_order_that_nothing_was_sold_by_is_skipped(kind):
    skipped = render_document(request_for(order(**EMPTY), document_type=kind))

    assert isinstance(skipped, SkippedDocument)
    assert skipped.code == "order_empty"


@pytest.mark.parametrize(
    "something",
    [{"total": "5.00"}, {"fee_lines": [{"name": "Deposit", "total": "0.00"}]}, {"shipping_total": "5.00"}],
)
def test_an_order_without_lines_that_has_anything_to_say_is_an_invoice(something):
    assert "no items" in pages_of(rendered(order(**{**EMPTY, **something})).pdf)[0]


def test_an_order_without_lines_is_nothing_to_pack():
    payload = order(line_items=[], fee_lines=[{"name": "Deposit", "total": "12.00"}])

    skipped = render_document(request_for(payload, document_type=DocumentType.PACKING_SLIP))

    assert isinstance(skipped, SkippedDocument)
    assert skipped.code == "nothing_to_pack"


def test_parts_stand_under_their_bundle_and_only_they_are_counted():
    free = {"subtotal": "0.00", "subtotal_tax": "0.00", "total": "0.00", "total_tax": "0.00", "taxes": []}
    bundle = [
        line("Spoon", id=3, bundled_by=1, quantity=6, **free),
        line("Tea set", id=1, bundled_items=[2, 3]),
        line("Pot", id=2, bundled_by=1, **free),
    ]

    invoice = rendered(order(line_items=bundle))
    slip = rendered(order(line_items=bundle), document_type=DocumentType.PACKING_SLIP)

    for document in (invoice, slip):
        text = pages_of(document.pdf)[0].replace("\N{NO-BREAK SPACE}", " ")
        assert text.index("Tea set") < text.index("– Spoon") < text.index("– Pot")
        assert document.warnings == ()
    assert "Total quantity 7" in pages_of(slip.pdf)[0].replace("\N{NO-BREAK SPACE}", " ")
