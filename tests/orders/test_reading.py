"""Orders of every shape that shops send, read into our own."""

from dataclasses import replace
from datetime import UTC, datetime
from decimal import Decimal
from zoneinfo import ZoneInfo

import pytest

from app.orders.model import Address, Charge, Coupon, Line, Meta, Order, TaxLine, TaxShare
from app.orders.reading import UnreadableOrder, read_order
from tests.orders.shop import legacy_order, line, order, order_without, refund

BERLIN = ZoneInfo("Europe/Berlin")
at = datetime.fromisoformat
ADA = Address(
    first_name="Ada", last_name="Vogel", address_1="Hafenstraße 7", city="Kiel", postcode="24103", country="DE"
)
LANTERN = Line(
    id=31,
    name="Lantern",
    sku="LAN-1",
    quantity=Decimal(2),
    subtotal=Decimal("20.00"),
    subtotal_tax=Decimal("3.80"),
    total=Decimal("18.00"),
    total_tax=Decimal("3.42"),
    price=Decimal(9),
    tax_class="",
    taxes=(TaxShare("4", Decimal("3.42"), Decimal("3.8")),),
    meta=(),
    product_id=900,
)


def read(payload: dict[str, object], *refunds: dict[str, object]) -> Order:
    return read_order(payload, refunds, time_zone=BERLIN)


def meta_of(*entries: object) -> list[tuple[str, str]]:
    [only] = read(order(line_items=[line(meta_data=list(entries))])).lines
    return [(meta.label, meta.value) for meta in only.meta]


def test_an_ordinary_order() -> None:
    assert read(order()) == Order(
        id=501,
        number="501",
        status="completed",
        currency="EUR",
        currency_symbol="€",
        date=at("2026-07-01T12:30"),
        instant=datetime(2026, 7, 1, 10, 30, tzinfo=UTC),
        paid_date=at("2026-07-01T12:31"),
        modified=datetime(2026, 7, 2, 7, tzinfo=UTC),
        prices_include_tax=False,
        customer_id=8,
        billing=replace(ADA, email="ada@example.com", phone="+49 431 555"),
        shipping=ADA,
        payment_method="Bank transfer",
        customer_note="",
        lines=(LANTERN,),
        shipping_lines=(Charge("Parcel", Decimal("5.00"), Decimal("0.95"), method="flat_rate"),),
        fees=(),
        coupons=(Coupon("ten", Decimal("2.00"), Decimal("0.38")),),
        taxes=(TaxLine("4", "MwSt.", Decimal(19), False, Decimal("3.42"), Decimal("0.95"), "DE-19"),),
        refunds=(),
        discount_total=Decimal("2.00"),
        shipping_total=Decimal("5.00"),
        shipping_tax=Decimal("0.95"),
        cart_tax=Decimal("3.42"),
        total=Decimal("27.37"),
        total_tax=Decimal("4.37"),
        meta=(),
    )


def test_an_order_of_the_old_api() -> None:
    found = read(legacy_order())

    assert found.number == "1060"
    assert found.instant == datetime(2015, 3, 1, 23, 30, tzinfo=UTC)
    assert found.date == at("2015-03-02T00:30")
    assert found.modified == datetime(2015, 3, 2, 8, tzinfo=UTC)
    assert found.billing == replace(ADA, email="ada@example.com")
    assert found.shipping == ADA
    assert found.payment_method == "Cash on delivery"
    assert found.customer_note == "Ring twice"
    assert found.taxes == (TaxLine("9", "State tax", None, False, Decimal("3.00"), None, "US-1"),)
    assert found.fees == (Charge("Wrapping", Decimal("1.00"), Decimal("0.00")),)
    assert found.coupons == (Coupon("old", Decimal("1.00"), None),)
    assert found.lines[0].meta == (Meta("Colour", "Red"),)
    assert (found.discount_total, found.shipping_total, found.total) == (
        Decimal("1.00"),
        Decimal("5.00"),
        Decimal("33.00"),
    )


def as_text(value: object) -> object:
    """What a form encoder makes of a payload."""
    match value:
        case dict():
            return {key: as_text(member) for key, member in value.items()}
        case list():
            return [as_text(member) for member in value]
        case None | False:
            return ""
        case True:
            return "1"
        case _:
            return str(value)


def test_an_order_whose_values_all_became_texts_is_the_same_order() -> None:
    texts = as_text(order())
    assert isinstance(texts, dict)

    assert read(texts) == read(order())


def test_an_order_whose_amounts_became_numbers_is_the_same_order() -> None:
    found = read(order(total=Decimal("27.37"), number=501, customer_id=8, line_items=[line(sku=4711, total=18)]))

    assert (found.total, found.number) == (Decimal("27.37"), "501")
    assert (found.lines[0].sku, found.lines[0].total) == ("4711", Decimal(18))


def test_an_order_of_nothing_but_its_id_has_nothing_and_invents_nothing() -> None:
    found = read({"id": 5})

    assert (found.number, found.total, found.total_tax, found.date, found.instant) == ("5", None, None, None, None)
    assert (found.lines, found.taxes, found.refunds, found.currency) == ((), (), (), "")
    assert found.billing.is_empty()
    assert found.warnings == ()


@pytest.mark.parametrize("empty", [None, "", [], {}, False])
@pytest.mark.parametrize(
    "name", ["billing", "shipping", "line_items", "tax_lines", "refunds", "meta_data", "fee_lines"]
)
def test_all_that_php_writes_for_empty_is_empty(name: str, empty: object) -> None:
    read(order(**{name: empty}))


def test_null_leaves_are_empty() -> None:
    assert read(order(billing=dict.fromkeys(["first_name", "email", "country"]))).billing == Address()


def test_a_list_with_a_gap_is_still_a_list() -> None:
    found = read(order(line_items={"0": line(id=1), "2": line(id=3)}))

    assert [each.id for each in found.lines] == [1, 3]


def test_a_deleted_product_keeps_its_line() -> None:
    gone = {"id": 31, "name": "Old lamp", "quantity": 3, "total": "9.00", "product_id": 0, "sku": None, "image": None}

    [found] = read(order(line_items=[gone])).lines

    assert (found.name, found.sku, found.product_id, found.quantity, found.total) == (
        "Old lamp", "", None, Decimal(3), Decimal("9.00"),
    )  # fmt: skip


def test_a_missing_quantity_is_one_with_a_warning() -> None:
    found = read(order(line_items=[{"name": "x"}]))

    assert found.lines[0].quantity == 1
    assert found.warnings == ("line_items[0].quantity is missing; it was taken for 1.",)


def test_a_null_line_is_left_out_with_a_warning() -> None:
    found = read(order(line_items=[None, line()]))

    assert len(found.lines) == 1
    assert found.warnings == ("line_items[0] is null; it was left out.",)


@pytest.mark.parametrize(
    ("stored", "expected"),
    [
        ("3508", "3508"),
        ("7.90", "7.90"),
        ("-40.00", "-40.00"),
        ("29.272727272727", "29.272727272727"),
        ("-0.00", "-0.00"),
        (" 5.00 ", "5.00"),
        (".5", "0.5"),
        ("5.", "5"),
        ("+1.5", "1.5"),
        ("4.440892098500626e-16", "4.440892098500626E-16"),
        (8, "8"),
        (Decimal("7.9051383333333334"), "7.9051383333333334"),
        ("99999999999999999.99", "99999999999999999.99"),
    ],
)
def test_amounts_keep_the_digits_that_are_stored(stored: object, expected: str) -> None:
    assert str(read(order(total=stored)).total) == expected


@pytest.mark.parametrize("stored", [None, "", "  ", False])
def test_no_amount_is_none_and_not_zero(stored: object) -> None:
    assert read(order(total=stored)).total is None


@pytest.mark.parametrize(
    "stored",
    ["abc", "12,50", "1 000", "1_000", "NaN", "Infinity", "-", "1e", "٣", "0x10", "€5", True, [], {}, ["1"],
     "1" * 19, "1e18", "1e999", "1e-61", "9" * 5000, 10**18, Decimal("1E+400")],
)  # fmt: skip
def test_what_is_no_amount_is_refused_by_the_name_of_its_field(stored: object) -> None:
    with pytest.raises(UnreadableOrder) as caught:
        read(order(line_items=[line(), line(), line(total=stored)]))

    assert (caught.value.code, caught.value.path) == ("number_invalid", "line_items[2].total")
    assert str(caught.value) == f"line_items[2].total: {caught.value.reason}"


@pytest.mark.parametrize(
    ("changes", "path"),
    [
        ({"line_items": [line(taxes=[{"id": 1, "total": "x"}])]}, "line_items[0].taxes[0].total"),
        ({"tax_lines": [{"rate_percent": "x"}]}, "tax_lines[0].rate_percent"),
        ({"refunds": [{"id": 1, "total": "x"}]}, "refunds[0].total"),
        ({"shipping_lines": [{"total": "x"}]}, "shipping_lines[0].total"),
        ({"billing": 5}, "billing"),
        ({"fee_lines": 5}, "fee_lines"),
        ({"coupon_lines": [5]}, "coupon_lines[0]"),
        ({"id": 0}, "id"),
    ],
)
def test_a_refusal_names_the_path(changes: dict[str, object], path: str) -> None:
    with pytest.raises(UnreadableOrder) as caught:
        read(order(**changes))

    assert caught.value.path == path


def test_a_broken_full_refund_is_named() -> None:
    with pytest.raises(UnreadableOrder) as caught:
        read(order(), refund(amount="x"))

    assert caught.value.path == "refund[0].amount"


@pytest.mark.parametrize(
    ("fields", "date", "instant"),
    [
        ({"date_created": "2026-03-01T00:30:00", "date_created_gmt": "2026-02-28T23:30:00"}, (3, 1, 0), (2, 28, 23)),
        ({"date_created": "2026-03-01T00:30:00"}, (3, 1, 0), (2, 28, 23)),
        ({"date_created": "2026-07-01 00:30:00"}, (7, 1, 0), (6, 30, 22)),
        ({"date_created_gmt": "2026-02-28T23:30:00"}, (3, 1, 0), (2, 28, 23)),
        ({"date_created_gmt": "2026-02-28T23:30:00Z"}, (3, 1, 0), (2, 28, 23)),
        ({"date_created": "2026-02-28T15:30:00-08:00"}, (3, 1, 0), (2, 28, 23)),
        ({"date_created": "2026-03-01T00:30:00.123Z"}, (3, 1, 1), (3, 1, 0)),
        ({"date_created": "", "date_created_gmt": "2026-02-28T23:30:00"}, (3, 1, 0), (2, 28, 23)),
        ({"date_created": "2026-03-01"}, (3, 1, 0), (2, 28, 23)),
    ],
)
def test_dates_are_local_and_instants_are_utc(
    fields: dict[str, object], date: tuple[int, int, int], instant: tuple[int, int, int]
) -> None:
    found = read({"id": 1, **fields})

    assert found.date is not None
    assert found.instant is not None
    assert (found.date.month, found.date.day, found.date.hour, found.date.tzinfo) == (*date, None)
    assert (found.instant.month, found.instant.day, found.instant.hour, found.instant.tzinfo) == (*instant, UTC)


@pytest.mark.parametrize("none", [None, "", "0000-00-00 00:00:00", "0000-00-00T00:00:00", "0001-01-01T00:00:00", False])
def test_the_many_ways_to_have_no_date(none: object) -> None:
    found = read(order(date_created=none, date_created_gmt=none))

    assert (found.date, found.instant, found.warnings) == (None, None, ())


@pytest.mark.parametrize(
    "stored",
    ["2026-02-30T10:00:00", "2026-13-01T10:00:00", "1970-01-01T00:00:00", "yesterday", "01/03/2026", "{{now}}",
     1700000000, {"date": "x"}, "2026-01-01T25:00:00", "9999-12-31T23:59:59", True],
)  # fmt: skip
def test_an_impossible_date_is_none_with_a_warning(stored: object) -> None:
    found = read(order(date_created=stored, date_created_gmt=None))

    assert (found.date, found.instant) == (None, None)
    assert found.warnings == ("date_created is not a date; it was left out.",)


@pytest.mark.parametrize(
    ("stored", "expected"),
    [
        *((true, True) for true in (True, "1", 1, "true", "yes")),
        *((false, False) for false in (False, "", "0", None, "no", {}, [])),
    ],
)
def test_booleans_in_all_their_clothes(stored: object, expected: bool) -> None:
    assert read(order(prices_include_tax=stored)).prices_include_tax is expected


def test_statuses_lose_their_prefix_and_may_be_anything() -> None:
    assert read(order(status="wc-partially-shipped")).status == "partially-shipped"


def test_entities_are_decoded_once_everywhere_but_in_the_number() -> None:
    found = read(
        order(
            number="A&amp;B",
            currency_symbol="&euro;",
            billing={"company": "Smith &amp; Sons"},
            line_items=[line(name="AT&amp;amp;T &times; <b>2</b>")],
            tax_lines=[{"label": "GST &amp; PST"}],
        )
    )

    assert found.number == "A&amp;B"
    assert (found.currency_symbol, found.billing.company, found.taxes[0].label) == ("€", "Smith & Sons", "GST & PST")
    assert found.lines[0].name == "AT&amp;T × <b>2</b>"


def test_a_text_that_is_an_object_is_left_out_with_a_warning() -> None:
    found = read(order(customer_note={"a": 1}, billing={"city": ["x"]}))

    assert (found.customer_note, found.billing.city) == ("", "")
    assert set(found.warnings) == {
        "customer_note is an object, not a text; it was left out.",
        "billing.city is a list, not a text; it was left out.",
    }


@pytest.mark.parametrize(
    ("entry", "expected"),
    [
        ({"key": "Size", "value": "XL"}, ("Size", "XL")),
        ({"key": "pa_size", "value": "xl"}, ("Size", "xl")),
        (
            {"key": "pa_size", "value": "xl", "display_key": "Size", "display_value": "Extra large"},
            ("Size", "Extra large"),
        ),
        ({"key": "attribute_pa_thread-count", "value": "4"}, ("Thread count", "4")),
        ({"key": "pa_size", "value": "xl", "display_key": "pa_size"}, ("Size", "xl")),
        ({"key": "pa_size", "label": "Size", "value": "xl"}, ("Size", "xl")),
        (
            {"key": "Text", "value": "x", "display_value": "<p>Hello<br />World &amp; all</p>\n"},
            ("Text", "Hello\nWorld & all"),
        ),
        ({"key": "Text", "value": "<p>typed</p>"}, ("Text", "<p>typed</p>")),
        ({"key": "Extra (&#36;20)", "value": "Yes &amp; no"}, ("Extra ($20)", "Yes & no")),
        ({"key": "n", "value": 5}, ("n", "5")),
        ({"key": "n", "value": Decimal("1.50")}, ("n", "1.50")),
        ({"key": "gift", "value": True}, ("gift", "yes")),
        ({"key": "tags", "value": ["a", 2, None, {"x": 1}]}, ("tags", "a, 2")),
        ({"key": "a", "value": "shown", "display_value": {"x": 1}}, ("a", "shown")),
        ({"key": "b", "value": "[brackets]"}, ("b", "[brackets]")),
        ({"key": "b", "value": "a:b"}, ("b", "a:b")),
    ],
)
def test_attributes_that_people_can_read(entry: object, expected: tuple[str, str]) -> None:
    assert meta_of(entry) == [expected]


@pytest.mark.parametrize(
    "entry",
    [
        *(None, "x", 5, [], {}, {"key": "a"}, {"value": "x"}, {"key": 5, "value": "x"}, {"key": "", "value": "x"}),
        {"key": "_reduced_stock", "value": "2"},
        {"key": "_secret", "value": "x", "display_key": "Secret", "display_value": "x"},
        {"key": "a", "value": "<p></p>", "display_value": "<p></p>"},
        *(
            {"key": "a", "value": value}
            for value in ("", None, {"x": 1}, 'a:1:{s:1:"x";i:1;}', '{"x":1}', '[{"x":1}]', "[]", [[["x"]]])
        ),
    ],
)
def test_what_is_nobodys_attribute_is_hidden(entry: object) -> None:
    assert meta_of(entry) == []


def test_refunds_inside_an_order_read_from_either_key_and_sign() -> None:
    found = read(
        order(
            refunds=[
                {"id": 1, "refund": "old key", "total": "-10.00"},
                {"id": 2, "reason": None, "total": "10.00"},
                None,
            ]
        )
    )

    assert [(each.id, each.reason, each.amount) for each in found.refunds] == [
        (1, "old key", Decimal("10.00")),
        (2, "", Decimal("10.00")),
    ]
    assert found.warnings == ("refunds[2] is null; it was left out.",)


def test_a_full_refund_wins_over_the_short_entry_and_comes_once() -> None:
    short = [{"id": 70, "reason": "first", "total": "-1.00"}, {"id": 77, "reason": "short", "total": "-10.71"}]

    found = read(order(refunds=short), refund(), refund(id=79, amount="2.00"))

    assert [each.id for each in found.refunds] == [70, 77, 79]
    full = found.refunds[1]
    assert (full.reason, full.amount, full.date) == ("Broken glass", Decimal("10.71"), at("2026-07-05T08:00"))
    assert full.instant == datetime(2026, 7, 5, 6, tzinfo=UTC)
    assert (full.lines[0].quantity, full.lines[0].total) == (Decimal(-1), Decimal("-9.00"))


def test_a_refund_has_its_charges_and_taxes() -> None:
    found = read(
        order(),
        refund(
            shipping_lines=[{"method_title": "Parcel", "total": "-5.00", "total_tax": "-0.95"}],
            fee_lines=[{"name": "Wrapping", "total": "-1.00"}],
            tax_lines=[{"rate_id": 4, "label": "MwSt.", "tax_total": "-1.71"}],
        ),
    )

    [only] = found.refunds
    assert only.shipping_lines == (Charge("Parcel", Decimal("-5.00"), Decimal("-0.95")),)
    assert only.fees == (Charge("Wrapping", Decimal("-1.00"), None),)
    assert only.taxes == (TaxLine("4", "MwSt.", None, False, Decimal("-1.71"), None),)


def test_what_e_invoices_need_is_read_and_a_shape_that_cannot_be_spoils_no_order() -> None:
    found = read_order(
        order(
            date_completed="2026-07-03T09:00:00",
            meta_data=[{"key": "is_vat_exempt", "value": "yes"}, {"key": "_ours", "value": "DE 1"}],
            line_items=[line(meta_data=[{"key": "_unit", "value": "kg"}])],
            shipping_lines=[{"method_id": "local_pickup:2", "total": "5", "taxes": [{"id": 4, "total": "0.95"}]}],
            fee_lines=[{"name": "Wrapping", "total": "1", "taxes": {"total": []}}],
        ),
        time_zone=BERLIN,
        vat_keys=("_absent", "_ours"),
        unit_keys=("_unit",),
    )

    assert (found.completed_date, found.is_vat_exempt, found.vat_number) == (at("2026-07-03T09:00"), True, "DE 1")
    assert found.lines[0].unit == "kg"
    [parcel] = found.shipping_lines
    assert (parcel.method, parcel.taxes) == ("local_pickup", (TaxShare("4", Decimal("0.95"), None),))
    assert found.fees[0].taxes == ()


def test_more_refunded_than_paid_is_read_as_stored_with_a_warning() -> None:
    found = read(order(refunds=[{"id": 1, "total": "-100.00"}]))

    assert found.refunds[0].amount == Decimal("100.00")
    assert found.warnings == ("The refunds are larger than the order's total; both are shown as stored.",)


def test_fields_that_are_missing_do_not_matter() -> None:
    for name in order():
        if name != "id":
            read(order_without(name))
