"""What was paid, when and how."""

from dataclasses import replace

import pytest
from shop_orders import order, rendered, request_for
from test_invoice import pages_of

from app.documents.contract import DocumentType, SkippedDocument
from app.documents.render import render_document

PAID = {"date_paid": "2024-03-06T09:00:00", "payment_method_title": "Bank transfer"}


def test_receipt_says_what_was_paid_when_and_how():
    document = rendered(order(**PAID), document_type=DocumentType.RECEIPT)

    text = pages_of(document.pdf)[0]
    for words in (
        "Receipt",
        "Paid\n6 March 2024",
        "Bank transfer",
        "Order no.\n7001",
        "5 March 2024",
        "Amount paid £12.00",
    ):
        assert words in text
    assert document.facts.date == "2024-03-06"
    assert document.facts.total == "12.00"


def test_refund_does_not_undo_a_receipt():
    refunds = [{"id": 9, "amount": "12.00", "date_created": "2024-04-01T10:00:00", "reason": "broken"}]

    plain = rendered(order(**PAID), document_type=DocumentType.RECEIPT)
    refunded = rendered(order(**PAID), document_type=DocumentType.RECEIPT, refunds=refunds)

    assert refunded.pdf == plain.pdf


@pytest.mark.parametrize("status", ["pending", "on-hold", "completed"])
def test_order_without_a_date_of_payment_is_owed_no_receipt(status):
    request = request_for(order(status=status, date_paid=None))

    outcome = render_document(replace(request, document_type=DocumentType.RECEIPT))

    assert outcome == SkippedDocument("not_paid", "The shop stored no date of payment for this order")
