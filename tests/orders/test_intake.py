"""What an entry of an upload is taken for, and what is stored of it."""

from datetime import UTC, datetime
from decimal import Decimal
from zoneinfo import ZoneInfo

import pytest

from app.orders.intake import (
    IncomingEntry,
    IncomingOrder,
    IncomingRefund,
    Rejection,
    classify,
    name_sort_key,
    natural_sort_key,
)
from app.orders.payload import content_hash, read_payload
from tests.orders.shop import legacy_order, line, order, order_without, refund

BERLIN = ZoneInfo("Europe/Berlin")


def taken(value: object) -> IncomingOrder:
    found = classify(value, BERLIN)
    assert isinstance(found, IncomingOrder), found
    return found


def refused(value: object, envelope: str = "") -> Rejection:
    found = classify(value, BERLIN, envelope=envelope)
    assert isinstance(found, Rejection), found
    return found


def test_an_order_is_stored_with_what_it_is_found_by() -> None:
    value = order(number="RE/7b", billing={"first_name": "Émile", "last_name": "Groß", "country": "fr"})

    found = taken(value)

    assert read_payload(found.payload_text) == value
    assert found == IncomingOrder(
        id=501,
        payload_text=found.payload_text,
        content_hash=content_hash(found.payload_text),
        number="RE/7b",
        number_sort="re/00000000000000000007b",
        status="completed",
        instant=datetime(2026, 7, 1, 10, 30, tzinfo=UTC),
        modified=datetime(2026, 7, 2, 7, tzinfo=UTC),
        customer_id=8,
        customer_name="Émile Groß",
        customer_sort="emile gross",
        currency="EUR",
        country="FR",
        total=Decimal("27.37"),
        file_stem="RE-7b",
        file_key="re-7b",
    )


@pytest.mark.parametrize(
    "value",
    [
        {"id": 1, "total": "5.00"},
        {"id": 1, "line_items": []},
        {"id": 1, "status": "draft"},
        {"id": 1, "billing": {}},
        order(id="501"),
        order(id=5309091028),
        order(parent_id=400),
        order(amount="27.37"),
        order_without("number", "date_created_gmt", "refunds", "_links", "tax_lines"),
        legacy_order(),
    ],
)
def test_an_id_and_one_order_field_make_an_order(value: object) -> None:
    taken(value)


@pytest.mark.parametrize(
    ("value", "code", "reason"),
    [
        (None, "not_an_object", "null stands where an order should be"),
        ("text", "not_an_object", "a text stands"),
        ([{"id": 1}], "not_an_object", "a list stands"),
        (Decimal(1), "not_an_object", "a number stands"),
        (False, "not_an_object", "false stands"),
        ({}, "no_order_in_it", "the object is empty"),
        (
            {"code": "denied", "message": "Sorry, <b>no</b>.", "data": {"status": 401}},
            "no_order_in_it",
            "“Sorry, no.”",
        ),
        ({"error": "x", "message": "Gift &amp; card"}, "no_order_in_it", "the shop answered: “Gift & card”"),
        (order_without("id"), "no_order_in_it", "it has no id; is it a request to create an order?"),
        ({"payment_method": "bacs", "line_items": [{"product_id": 3}]}, "no_order_in_it", "has no id"),
        ({"id": 1}, "no_order_in_it", "none of an order's fields is in it, only “id”"),
        ({"a": 1, "b": 2, "c": 3, "d": 4, "e": 5}, "no_order_in_it", "only “a”, “b”, “c”, “d” …"),
        ({"id": 1, "note": "Sent", "customer_note": False}, "no_order_in_it", "none of an order's fields"),
        ({"id": 1, "status": "publish", "regular_price": "5"}, "no_order_in_it", "this is a product, not an order"),
        ({"id": 1, "billing": {}, "username": "ada"}, "no_order_in_it", "this is a customer, not an order"),
        ({"id": 1, "status": "publish", "discount_type": "percent", "amount": "5"}, "no_order_in_it", "a coupon"),
        ({"id": 1, "status": "publish", "guid": {}}, "no_order_in_it", "a page or post"),
        ({"id": 1, "status": "active", "delivery_url": "x"}, "no_order_in_it", "a webhook"),
        (order(billing_period="month", billing_interval="1"), "no_order_in_it", "a subscription"),
        (order(id=0), "order_id_invalid", "id: the id is not a whole number above zero"),
        (order(id=-5), "order_id_invalid", "id"),
        (order(id=None), "order_id_invalid", "id"),
        (order(id="12a"), "order_id_invalid", "id"),
        (order(id=True), "order_id_invalid", "id"),
        (order(id=Decimal("1.5")), "order_id_invalid", "id"),
        (order(id=2**63), "order_id_invalid", "id"),
        (order(id={}), "order_id_invalid", "id"),
        (order(total="abc"), "number_invalid", "total: “abc” is not a number"),
        (order(total="1,234.00"), "number_invalid", "“1,234.00” is not a number"),
        (order(line_items="x"), "order_unreadable", "line_items: a text stands where a list belongs"),
        (order(billing="x"), "order_unreadable", "billing: a text stands where an object belongs"),
        (order(line_items=[{"x": 1}, 7]), "order_unreadable", "line_items[1]: a number stands where an object belongs"),
        (order(meta_data=Decimal("9" * 2000)), "order_unreadable", "a number of more than 1000 digits"),
    ],
)
def test_what_is_not_taken_says_why(value: object, code: str, reason: str) -> None:
    found = refused(value)

    assert found.code == code
    assert reason in found.reason


def test_deep_nesting_is_refused_before_it_is_stored() -> None:
    deep: object = "x"
    for _ in range(500):
        deep = [deep]

    assert refused(order(plugin=deep)).code == "order_unreadable"


@pytest.mark.parametrize(
    ("shown", "expected"),
    [(7, "7"), ("7a", "7a"), (None, None), ({"a": 1}, None), ("x\x00\ud800", "x\ufffd"), (True, None)],
)
def test_a_rejection_shows_the_id_it_found(shown: object, expected: str | None) -> None:
    assert refused({"id": shown, "name": "x"}).id == expected


@pytest.mark.parametrize(
    "value",
    [
        refund(),
        refund(parent_id="501"),
        refund(parent_id=0, _links={"up": [{"href": "https://s.example/wp-json/wc/v3/orders/501"}]}),
        refund(parent_id=None, _links={"self": [{"href": "https://s.example/wp-json/wc/v3/orders/501/refunds/77"}]}),
        {"id": 77, "amount": "5.00", "parent_id": 501},
        {"id": 77, "parent_id": 501, "status": "completed", "total": "-5.00", "line_items": []},
        {"id": 77, "parent_id": 501, "status": "completed", "total": "0", "line_items": [{"total": "-5.00"}]},
        {"id": "77", "parent_id": 501, "type": "shop_order_refund", "total": "5.00"},
    ],
)
def test_a_refund_is_never_an_order(value: object) -> None:
    found = classify(value, BERLIN)

    assert isinstance(found, IncomingRefund)
    assert (found.entry.id, found.parent_id) == (77, 501)
    assert found.content_hash == content_hash(found.payload_text)


def test_what_comes_in_a_refund_envelope_is_a_refund() -> None:
    value = {"id": 77, "parent_id": 501, "reason": "x"}

    assert isinstance(classify(value, BERLIN, envelope="order_refunds"), IncomingRefund)
    assert refused(value).code == "no_order_in_it"


@pytest.mark.parametrize(
    ("value", "code"),
    [
        (refund(parent_id=0), "refund_without_parent"),
        (
            refund(parent_id=0, _links={"up": [{"href": "https://s.example/wp-json/wc/v3/products/5"}]}),
            "refund_without_parent",
        ),
        (refund(parent_id=0, _links={"up": [None, {"href": 5}], "self": "x"}), "refund_without_parent"),
        (refund(id="x"), "refund_id_invalid"),
        (refund(amount="abc"), "number_invalid"),
        (refund(line_items=5), "order_unreadable"),
    ],
)
def test_refunds_that_cannot_be_kept(value: object, code: str) -> None:
    assert refused(value).code == code


def test_a_sub_order_of_a_marketplace_is_an_order() -> None:
    discount = line(id=32, total="-1.00", subtotal="-1.00", quantity=1)

    assert taken(order(parent_id=400, line_items=[line(), discount])).id == 501


def test_index_fields_can_be_stored_anywhere() -> None:
    nasty = "\x00\ud800" + "ẞ" * 500

    found = taken(order(number=nasty, status=nasty, currency=nasty, billing={"first_name": nasty, "country": nasty}))

    for text in (
        found.number,
        found.number_sort,
        found.status,
        found.currency,
        found.country,
        found.customer_name,
        found.customer_sort,
        found.file_stem,
    ):
        assert "\0" not in text
        assert len(text.encode()) <= 800
        assert 0 < len(text) <= 200


def test_an_order_without_number_goes_by_its_id() -> None:
    assert (taken(order(number="")).number, taken(order(number=None)).file_stem) == ("501", "501")


def test_an_order_without_dates_has_no_instant() -> None:
    found = taken(order_without("date_created", "date_created_gmt", "date_modified", "date_modified_gmt"))

    assert (found.instant, found.modified) == (None, None)


def test_warnings_of_the_reader_are_kept() -> None:
    assert taken(order(refunds=[None])).warnings == ("refunds[0] is null; it was left out.",)


def test_numbers_sort_as_people_count() -> None:
    numbers = ["B2B-00017", "a-10", "A-9", "a-10b", "7", "0010", "12345678901234567890123", "b2b-3"]

    assert sorted(numbers, key=natural_sort_key) == [
        "7", "0010", "12345678901234567890123", "A-9", "a-10", "a-10b", "b2b-3", "B2B-00017",
    ]  # fmt: skip


def test_names_sort_without_regard_to_case_and_accents() -> None:
    names = ["Zoë", "ödön", "Émile", "emil", "Odysseus"]

    assert sorted(names, key=name_sort_key) == ["emil", "Émile", "ödön", "Odysseus", "Zoë"]


def test_an_order_tells_its_refunds_and_warns_of_those_without_an_id() -> None:
    entries = [{"id": 7, "refund": "old", "total": "-2.50"}, {"total": "-1"}, {"id": 0, "total": "3"}]

    found = taken(order(refunds=entries))

    assert found.refunds == (IncomingEntry(7, None, Decimal("2.50")),)
    assert found.warnings == ("2 of its refunds have no id; no credit note can be made of them.",)
