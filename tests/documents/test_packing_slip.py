"""What a packer and a carrier need, and no price."""

import re
from dataclasses import replace

from shop_orders import BUYER, STORE, line, order, rendered
from test_invoice import pages_of

from app.documents.contract import DocumentFacts, DocumentType
from app.documents.priceless import without_prices

ELSEWHERE = {**BUYER, "first_name": "Grace", "address_1": "9 Other Road", "email": "", "phone": "+49 30 555 0199"}


def slip(payload: dict[str, object], **store: object):
    return rendered(payload, document_type=DocumentType.PACKING_SLIP, store=replace(STORE, **store))


def test_packing_slip_says_what_goes_where():
    payload = order(
        line_items=[
            line("Mug", sku="CER-1", quantity=3, meta_data=[{"key": "pa_colour", "value": "Blue"}]),
            line("Plate", sku="CER-2", quantity=1.5),
        ],
        shipping=ELSEWHERE,
        shipping_lines=[{"method_title": "Courier", "total": "5.00", "total_tax": "1.00"}],
        customer_note="Leave it at the door",
        date_paid="2024-03-06T09:00:00",
    )

    text = pages_of(slip(payload).pdf)[0]

    for words in (
        "Packing slip",
        "7001",
        "5 March 2024",
        "Courier",
        "Grace Example",
        "9 Other Road",
        "Phone +49 30 555 0199",
    ):
        assert words in text
    assert re.findall(r"^(CER-\d .*)$", text, re.MULTILINE) == ["CER-1 Mug", "CER-2 Plate 1.5"]
    assert "Colour: Blue" in text
    assert "Total quantity 4.5" in text
    assert "Leave it at the door" in text
    assert "1 Sample Street" not in text
    assert "ada@example.com" not in text


def test_no_price_is_on_a_packing_slip_or_in_its_manifest():
    payload = order(
        currency="GBP",
        line_items=[
            line(
                "Mug",
                total="8.00",
                meta_data=[
                    {"key": "Gift wrap (+£2.50)", "value": "Stars (GBP 1.25)"},
                    {"key": "Size", "value": "L (30 cm)"},
                ],
            )
        ],
        coupon_lines=[{"code": "spring", "discount": "2.00", "discount_tax": "0.40"}],
        discount_total="2.00",
        fee_lines=[{"name": "Packing", "total": "3.00", "total_tax": "0.60"}],
        shipping_lines=[{"method_title": "Courier (£5.00)", "total": "5.00", "total_tax": "1.00"}],
    )

    document = slip(payload)

    text = pages_of(document.pdf)[0]
    assert re.findall(r"£|GBP|\d+\.\d\d", text) == []
    assert "Gift wrap: Stars · Size: L (30 cm)" in text
    assert document.facts == DocumentFacts("7001", "2024-03-05", "Ada Example", "DE", "", "", "", "")


def test_brackets_without_a_price_stay():
    assert without_prices("Ring (2 pieces) [€ 5]", currency="EUR") == "Ring (2 pieces)"
    assert without_prices("Cable (5 EUR)", currency="USD") == "Cable (5 EUR)"
    assert without_prices("(£2)", currency="") == ""


def test_parcel_goes_to_the_buyer_if_no_other_address_is_known():
    text = pages_of(
        slip(order(billing={**BUYER, "phone": "030 555"}, shipping={"first_name": "", "country": "DE"})).pdf
    )[0]

    assert "Ship to" in text
    assert "1 Sample Street" in text
    assert "Phone 030 555" in text


def test_order_without_an_address_is_packed_with_a_warning():
    document = slip(order(billing={}, shipping={}))

    assert "Ship to" not in pages_of(document.pdf)[0]
    assert document.warnings == ("The order has no address to send it to.",)


def test_deleted_products_are_packed_as_they_were_ordered():
    gone = line("Old lamp", sku=None, product_id=0, quantity=2)

    alone = pages_of(slip(order(line_items=[gone])).pdf)[0]
    beside = pages_of(slip(order(line_items=[gone, line("Mug", sku="CER-1")])).pdf)[0]

    assert "Old lamp 2" in alone
    assert "SKU" not in alone
    assert "Old lamp 2" in beside
    assert "Total quantity 3" in beside
