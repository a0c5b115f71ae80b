"""Orders and refunds as a shop sends them, for the tests of this folder; change what a test is about."""

from copy import deepcopy

JsonObject = dict[str, object]

_ADDRESS = {
    "first_name": "Ada",
    "last_name": "Vogel",
    "company": "",
    "address_1": "Hafenstraße 7",
    "address_2": "",
    "city": "Kiel",
    "state": "",
    "postcode": "24103",
    "country": "DE",
}

_LINE = {
    "id": 31,
    "name": "Lantern",
    "product_id": 900,
    "variation_id": 0,
    "quantity": 2,
    "tax_class": "",
    "subtotal": "20.00",
    "subtotal_tax": "3.80",
    "total": "18.00",
    "total_tax": "3.42",
    "taxes": [{"id": 4, "total": "3.42", "subtotal": "3.8"}],
    "meta_data": [],
    "sku": "LAN-1",
    "price": 9,
    "image": {"id": "", "src": ""},
    "parent_name": None,
}

_ORDER = {
    "id": 501,
    "parent_id": 0,
    "status": "completed",
    "currency": "EUR",
    "version": "9.0.0",
    "prices_include_tax": False,
    "date_created": "2026-07-01T12:30:00",
    "date_created_gmt": "2026-07-01T10:30:00",
    "date_modified": "2026-07-02T09:00:00",
    "date_modified_gmt": "2026-07-02T07:00:00",
    "date_paid": "2026-07-01T12:31:00",
    "date_paid_gmt": "2026-07-01T10:31:00",
    "discount_total": "2.00",
    "discount_tax": "0.38",
    "shipping_total": "5.00",
    "shipping_tax": "0.95",
    "cart_tax": "3.42",
    "total": "27.37",
    "total_tax": "4.37",
    "customer_id": 8,
    "order_key": "wc_order_k",
    "billing": {**_ADDRESS, "email": "ada@example.com", "phone": "+49 431 555"},
    "shipping": _ADDRESS,
    "payment_method": "bacs",
    "payment_method_title": "Bank transfer",
    "customer_note": "",
    "number": "501",
    "meta_data": [],
    "line_items": [_LINE],
    "tax_lines": [
        {
            "id": 41,
            "rate_code": "DE-19",
            "rate_id": 4,
            "label": "MwSt.",
            "compound": False,
            "tax_total": "3.42",
            "shipping_tax_total": "0.95",
            "rate_percent": 19,
        }
    ],
    "shipping_lines": [
        {"id": 51, "method_title": "Parcel", "method_id": "flat_rate", "total": "5.00", "total_tax": "0.95"}
    ],
    "fee_lines": [],
    "coupon_lines": [{"id": 61, "code": "ten", "discount": "2.00", "discount_tax": "0.38"}],
    "refunds": [],
    "currency_symbol": "€",
    "_links": {"self": [{"href": "https://shop.example.com/wp-json/wc/v3/orders/501"}]},
}

_REFUND = {
    "id": 77,
    "parent_id": 501,
    "date_created": "2026-07-05T08:00:00",
    "date_created_gmt": "2026-07-05T06:00:00",
    "amount": "10.71",
    "reason": "Broken glass",
    "line_items": [{**_LINE, "id": 78, "quantity": -1, "subtotal": "-9.00", "total": "-9.00", "total_tax": "-1.71"}],
    "shipping_lines": [],
    "fee_lines": [],
    "tax_lines": [],
    "meta_data": [],
}

# The API of 2013–2016 had other names for nearly everything.
_LEGACY_ORDER = {
    "id": 60,
    "order_number": 1060,
    "created_at": "2015-03-01T23:30:00Z",
    "updated_at": "2015-03-02T08:00:00Z",
    "status": "processing",
    "currency": "USD",
    "total": "33.00",
    "total_tax": "3.00",
    "total_shipping": "5.00",
    "total_discount": "1.00",
    "cart_tax": "2.50",
    "shipping_tax": "0.50",
    "payment_details": {"method_id": "cod", "method_title": "Cash on delivery", "paid": True},
    "billing_address": {**_ADDRESS, "email": "ada@example.com"},
    "shipping_address": _ADDRESS,
    "note": "Ring twice",
    "customer_id": 3,
    "line_items": [
        {
            "id": 1,
            "name": "Kite",
            "quantity": 1,
            "price": "26.00",
            "subtotal": "26.00",
            "total": "25.00",
            "total_tax": "2.50",
            "tax_class": None,
            "product_id": 5,
            "sku": "",
            "meta": [{"key": "pa_colour", "label": "Colour", "value": "Red"}],
        }
    ],
    "shipping_lines": [{"id": 2, "method_id": "flat_rate", "method_title": "Flat", "total": "5.00"}],
    "tax_lines": [{"id": 3, "rate_id": "9", "code": "US-1", "title": "State tax", "total": "3.00", "compound": False}],
    "fee_lines": [{"id": 4, "title": "Wrapping", "total": "1.00", "total_tax": "0.00"}],
    "coupon_lines": [{"id": 5, "code": "old", "amount": "1.00"}],
}


def order(**changes: object) -> JsonObject:
    """An ordinary order of REST v3."""
    return {**deepcopy(_ORDER), **changes}


def order_without(*names: str) -> JsonObject:
    """An order that lacks some fields."""
    return {name: value for name, value in order().items() if name not in names}


def line(**changes: object) -> JsonObject:
    """One product line."""
    return {**deepcopy(_LINE), **changes}


def refund(**changes: object) -> JsonObject:
    """A full refund object of that order."""
    return {**deepcopy(_REFUND), **changes}


def legacy_order(**changes: object) -> JsonObject:
    """The same kind of order from the old API."""
    return {**deepcopy(_LEGACY_ORDER), **changes}
