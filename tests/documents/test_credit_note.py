"""A credit note says what was given back, with one sign throughout, and names the invoice it corrects."""

import pytest
from shop_orders import line, order, rendered, request_for
from test_invoice import pages_of, rows_of

from app.documents.contract import DocumentFacts, DocumentType, RenderedDocument, UnrenderableDocument
from app.documents.render import render_document


def refund(**changes: object) -> dict[str, object]:
    """The whole of an order of one mug, given back."""
    return {
        "id": 7002,
        "parent_id": 7001,
        "date_created": "2024-04-09T09:00:00",
        "amount": "12.00",
        "reason": "Customer withdrew",
        "line_items": [back()],
        "shipping_lines": [],
        "fee_lines": [],
        "tax_lines": [{"rate_id": 1, "label": "VAT", "tax_total": "-2.00", "shipping_tax_total": "0.00"}],
    } | changes


def back(name: str = "Mug", **changes: object) -> dict[str, object]:
    """A refunded line of 10.00 net and 2.00 tax."""
    return line(
        name, quantity=-1, subtotal="-10.00", subtotal_tax="-2.00", total="-10.00", total_tax="-2.00",
        taxes=[{"id": 1, "total": "-2", "subtotal": "-2"}],
    ) | changes  # fmt: skip


def credit(payload: dict[str, object], *refunds: dict[str, object], refund_id: int = 7002) -> RenderedDocument:
    return rendered(payload, document_type=DocumentType.CREDIT_NOTE, refunds=refunds, refund_id=refund_id)


def text_of(document: RenderedDocument) -> str:
    return "\n".join(pages_of(document.pdf)).replace("\N{NO-BREAK SPACE}", " ")


def test_credit_note_says_what_was_given_back_when_and_why():
    document = credit(order(number="56AQ-0017"), refund())

    text = text_of(document)
    for words in (
        "Credit note no.\n56AQ-0017-7002",
        "Date\n9 April 2024",
        "For invoice no.\n56AQ-0017",
        "Invoice date\n5 March 2024",
        "Reason\nCustomer withdrew",
        "Mug -1 £10.00 -£10.00",
        "Subtotal -£10.00",
        "VAT 20% -£2.00",
        "Total credited -£12.00",
    ):
        assert words in text
    assert document.facts == DocumentFacts(
        number="56AQ-0017-7002",
        date="2024-04-09",
        customer="Ada Example",
        country="DE",
        currency="GBP",
        net="-10.00",
        tax="-2.00",
        total="-12.00",
    )
    assert document.warnings == ()


def test_refund_that_is_stored_without_minus_is_the_same_credit_note():
    unsigned = refund(
        line_items=[line(quantity=1)],
        tax_lines=[{"rate_id": 1, "label": "VAT", "tax_total": "2.00", "shipping_tax_total": "0.00"}],
    )

    assert credit(order(), unsigned).pdf == credit(order(), refund()).pdf


def test_shipping_and_fees_are_given_back_with_their_taxes():
    parts = refund(
        amount="20.40",
        shipping_lines=[{"method_title": "Courier", "total": "-5.00", "total_tax": "-1.00"}],
        fee_lines=[{"name": "Wrapping", "total": "-2.00", "total_tax": "-0.40"}],
        tax_lines=[{"rate_id": 1, "label": "VAT", "tax_total": "-2.40", "shipping_tax_total": "-1.00"}],
    )

    document = credit(order(total="40.00"), parts)

    assert rows_of(text_of(document), "Subtotal", "Total") == [
        " -£10.00",
        "Shipping (Courier) -£5.00",
        "Wrapping -£2.00",
        "VAT 20% -£3.40",
        "",
    ]
    assert (document.facts.net, document.facts.tax) == ("-17.00", "-3.40")
    assert document.warnings == ()


def test_refund_of_shipping_alone_says_that_no_item_came_back():
    shipping = [{"method_title": "Courier", "total": "-5.00", "total_tax": "-1.00"}]
    rates = [{"rate_id": 1, "label": "VAT", "tax_total": "0.00", "shipping_tax_total": "-1.00"}]

    text = text_of(credit(order(), refund(amount="6.00", line_items=[], shipping_lines=shipping, tax_lines=rates)))

    assert "No items were refunded." in text
    assert "Shipping (Courier) -£5.00" in text
    assert "VAT 20% -£1.00" in text


def test_amount_alone_is_credited_without_inventing_a_tax():
    document = credit(order(), refund(amount="5.00", line_items=[], tax_lines=[]))

    text = text_of(document)
    assert "Only the amount of this refund is recorded, without items or tax." in text
    assert "Total credited -£5.00" in text
    assert "VAT" not in text
    assert (document.facts.net, document.facts.tax, document.facts.total) == ("", "", "-5.00")


def test_tax_of_lines_is_told_where_the_refund_has_no_rows_of_tax():
    one_rate = credit(order(), refund(tax_lines=[]))
    other = {"rate_id": 2, "label": "Reduced", "rate_percent": 7, "tax_total": "0.70"}
    two_rates = credit(order(tax_lines=[*order()["tax_lines"], other]), refund(tax_lines=[]))

    assert "VAT 20% -£2.00" in text_of(one_rate)
    assert "Tax -£2.00" in text_of(two_rates)
    assert two_rates.facts.tax == "-2.00"


def test_prices_with_tax_are_credited_as_they_were_charged():
    text = text_of(credit(order(prices_include_tax=True), refund()))

    assert "Mug -1 £12.00 -£12.00" in text
    assert "Includes VAT 20% -£2.00" in text


def test_each_refund_has_its_own_credit_note_and_none_knows_the_other():
    first = refund(amount="5.00", line_items=[], tax_lines=[], reason="First")
    second = refund(id=7003, amount="7.00", line_items=[], tax_lines=[], reason="Second")

    one, two = credit(order(), first, second), credit(order(), first, second, refund_id=7003)

    assert "-£5.00" in text_of(one)
    assert "Second" not in text_of(one)
    assert "-£7.00" in text_of(two)
    assert credit(order(), first).pdf == one.pdf


@pytest.mark.parametrize(
    "entry",
    [
        {"refund": "old key", "total": "-10.00"},
        {"reason": "old key", "total": "10.00"},
        {"reason": "old key", "total": -10.0},
    ],
    ids=["v2", "no minus", "number"],
)
def test_short_entry_of_an_order_is_a_credit_note_without_a_date(entry):
    document = credit(order(refunds=[None, {"id": 7002, **entry}]))

    text = text_of(document)
    assert "old key" in text
    assert "Total credited -£10.00" in text
    assert document.facts.date == ""
    assert "The refund has no date: the shop's full refund was not imported." in document.warnings


def test_more_than_was_paid_is_credited_as_stored_with_a_warning():
    document = credit(order(), refund(amount="100.00", line_items=[], tax_lines=[]))

    assert "Total credited -£100.00" in text_of(document)
    assert "The refunds are larger than the order's total; both are shown as stored." in document.warnings


def test_parts_that_do_not_add_up_are_printed_with_a_warning():
    document = credit(order(), refund(amount="11.00"))

    assert document.warnings == (
        "subtotal -10.00 + tax -2.00 = -12.00, but the stored total is -11.00, 1.00 more; all are printed as stored.",
    )


@pytest.mark.parametrize("refund_id", [9, None])
def test_refund_that_does_not_exist_is_a_value(refund_id):
    request = request_for(
        order(refunds=[{"total": "-1.00"}]),
        document_type=DocumentType.CREDIT_NOTE,
        refunds=[refund()],
        refund_id=refund_id,
    )

    outcome = render_document(request)

    assert outcome == UnrenderableDocument("refund_not_found", f"The order has no refund with the id {refund_id}")
