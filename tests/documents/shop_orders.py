"""Orders as a shop sends them, invented, with only what a test does not care about filled in."""

import json
from collections.abc import Mapping, Sequence

from app.documents.contract import DocumentType, RenderedDocument, RenderRequest, StoreSettings

STORE = StoreSettings(
    name="Alder & Finch",
    address=("14 Harbour Row", "Bristol BS1 4QA"),
    tax_id="GB 123 4567 89",
    locale="en-GB",
    time_zone="Europe/London",
    paper="A4",
)

BUYER = {
    "first_name": "Ada",
    "last_name": "Example",
    "company": "",
    "address_1": "1 Sample Street",
    "address_2": "",
    "city": "Sampletown",
    "state": "",
    "postcode": "10115",
    "country": "DE",
    "email": "ada@example.com",
}


def line(name: str = "Mug", **changes: object) -> dict[str, object]:
    """A product line of 10.00 net and 2.00 tax."""
    return {
        "id": 1,
        "name": name,
        "product_id": 5,
        "quantity": 1,
        "subtotal": "10.00",
        "subtotal_tax": "2.00",
        "total": "10.00",
        "total_tax": "2.00",
        "taxes": [{"id": 1, "total": "2.00", "subtotal": "2.00"}],
        "sku": "",
        "price": 10,
        "meta_data": [],
    } | changes


def order(**changes: object) -> dict[str, object]:
    """An order of one mug: 10.00 net, 2.00 tax, 12.00 in all."""
    return {
        "id": 7001,
        "number": "7001",
        "status": "completed",
        "currency": "GBP",
        "date_created": "2024-03-05T10:20:30",
        "date_created_gmt": "2024-03-05T10:20:30",
        "date_paid": None,
        "prices_include_tax": False,
        "billing": BUYER,
        "shipping": {},
        "payment_method_title": "Card",
        "customer_note": "",
        "line_items": [line()],
        "shipping_lines": [],
        "fee_lines": [],
        "coupon_lines": [],
        "tax_lines": [
            {"rate_id": 1, "label": "VAT", "rate_percent": 20, "tax_total": "2.00", "shipping_tax_total": "0.00"}
        ],
        "refunds": [],
        "discount_total": "0.00",
        "shipping_total": "0.00",
        "shipping_tax": "0.00",
        "cart_tax": "2.00",
        "total_tax": "2.00",
        "total": "12.00",
        "meta_data": [],
    } | changes


def request_for(
    payload: Mapping[str, object],
    *,
    document_type: DocumentType = DocumentType.INVOICE,
    store: StoreSettings = STORE,
    refunds: Sequence[Mapping[str, object]] = (),
    refund_id: int | None = None,
) -> RenderRequest:
    """Ask for a document of an order, its invoice if no other is named."""
    return RenderRequest(
        document_type=document_type,
        payload=json.dumps(payload),
        refunds=json.dumps(list(refunds)),
        store=store,
        refund_id=refund_id,
    )


def rendered(
    payload: Mapping[str, object],
    *,
    document_type: DocumentType = DocumentType.INVOICE,
    store: StoreSettings = STORE,
    refunds: Sequence[Mapping[str, object]] = (),
    refund_id: int | None = None,
) -> RenderedDocument:
    """Render a document that must succeed."""
    from app.documents.render import render_document  # here, since not every user of this module renders

    document = render_document(
        request_for(payload, document_type=document_type, store=store, refunds=refunds, refund_id=refund_id)
    )
    assert isinstance(document, RenderedDocument), document
    return document
