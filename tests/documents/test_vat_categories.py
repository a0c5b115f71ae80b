"""The VAT category of a sale is decided where its order decides it, and nowhere else."""

import json
from dataclasses import replace
from decimal import Decimal
from zoneinfo import ZoneInfo

import pytest
from shop_orders import BUYER, line, order
from test_einvoice_rules import FREE, PARCEL, STORE, TWO_RATES, UNTAXED

from app.documents.einvoices.draft import Category, Vat
from app.documents.einvoices.drafting import invoice_draft
from app.documents.einvoices.parties import seller_of
from app.documents.einvoices.units import unit_code
from app.documents.einvoices.vat_ids import country_of, vat_id
from app.orders.payload import read_payload
from app.orders.reading import read_order

AUSTRIAN = [{"key": "_billing_vat_number", "value": "ATU13585627"}]


def vat(store=STORE, **changes) -> Vat:
    """The tax of the only line of an order."""
    payload = read_payload(json.dumps(order(**changes)))
    (position,) = invoice_draft(read_order(payload, time_zone=ZoneInfo("UTC")), seller_of(store)).positions
    return position.vat


def abroad(country: str, *, state: str = "", shipping=(PARCEL,), **changes) -> Vat:
    """The tax of a line that was sold without any to an address."""
    billing = {**BUYER, "country": country, "state": state}
    return vat(billing=billing, line_items=[line(**UNTAXED)], shipping_lines=list(shipping), **FREE | changes)


def test_what_is_taxed_by_one_rate_is_standard_rated_at_it():
    assert vat() == Vat(Category.STANDARD, Decimal(20))


def test_what_is_given_away_goes_with_the_rate_it_would_have_had():
    free = line(total="0.00", total_tax="0.00", taxes=[{"id": 1, "total": "0.00", "subtotal": "2.00"}])

    assert vat(line_items=[free], total_tax="0.00", total="0.00") == Vat(Category.STANDARD, Decimal(20))


@pytest.mark.parametrize(
    ("rates", "told"),
    [
        ([("CGST", 9, ""), ("SGST", 9, "")], "taxed by CGST and SGST"),
        ([("State Tax", 6, "US-NY-STATE TAX-1")], "a sales tax"),
    ],
)
def test_what_has_no_one_rate_of_vat_is_not_decided(rates, told):
    rows = [
        {"rate_id": number, "label": label, "rate_percent": percent, "rate_code": code, "tax_total": "1.00"}
        for number, (label, percent, code) in enumerate(rates, 1)
    ]

    found = vat(line_items=[line(taxes=TWO_RATES[: len(rates)])], tax_lines=rows)

    assert found.category is None
    assert told in found.doubt


@pytest.mark.parametrize(
    ("country", "changes", "category"),
    [
        ("US", {}, Category.EXPORT),
        ("GB", {}, Category.EXPORT),
        ("CH", {}, Category.EXPORT),
        ("ES", {"state": "GC"}, Category.EXPORT),
        ("AT", {"meta_data": AUSTRIAN}, Category.INTRA_COMMUNITY),
        ("AT", {"meta_data": [{"key": "_vat_number", "value": "U13585627"}]}, Category.INTRA_COMMUNITY),
        ("XI", {"meta_data": AUSTRIAN}, Category.INTRA_COMMUNITY),
    ],
)
def test_goods_that_went_abroad_untaxed_are_told_by_where_they_went_and_to_whom(country, changes, category):
    assert abroad(country, **changes) == Vat(category, Decimal(0))


@pytest.mark.parametrize(
    ("country", "changes", "told"),
    [
        ("US", {"shipping": ()}, "nothing was shipped: G for goods, O for a service"),
        ("AT", {"shipping": (), "meta_data": AUSTRIAN}, "nothing was shipped: AE for a service, K for goods"),
        ("AT", {}, "no VAT number of the customer"),
        ("AT", {"meta_data": [{"key": "_vat_number", "value": "DE136695976"}]}, "no VAT number of the customer there"),
        ("AT", {"shipping": [{**PARCEL, "method_id": "local_pickup:3"}]}, "no tax was taken at home"),
        ("ES", {"state": "M"}, "no VAT number of the customer"),
        ("MC", {}, "no VAT number of the customer"),
        ("DE", {}, "no tax was taken at home"),
        ("DE", {"meta_data": [{"key": "is_vat_exempt", "value": "yes"}]}, "exempt from tax"),
        ("", {}, "neither address has a country"),
    ],
)
def test_what_the_order_does_not_decide_is_said_with_what_would(country, changes, told):
    found = abroad(country, **changes)

    assert found.category is None
    assert told in found.doubt


def test_one_untaxed_line_of_an_order_that_is_taxed_is_no_export():
    fee = {"name": "Wrapping", "total": "1.00", "total_tax": "0.20", "taxes": [{"id": 1, "total": "0.20"}]}

    found = abroad("US", fee_lines=[fee], total_tax="0.20", total="11.20")

    assert found.category is None
    assert "not taxed though other parts are" in found.doubt


def test_without_the_stores_country_nobody_knows_what_is_abroad():
    found = vat(replace(STORE, country=""), line_items=[line(**UNTAXED)], **FREE)

    assert (found.category, "without the store's country" in found.doubt) == (None, True)


@pytest.mark.parametrize(
    ("setting", "wanted"),
    [
        ("Z", Vat(Category.ZERO, Decimal(0))),
        ("E=VAT exempt", Vat(Category.EXEMPT, Decimal(0))),
        ("O", Vat(Category.OUT_OF_SCOPE, None)),
    ],
)
def test_what_is_untaxed_at_home_is_what_the_store_says(setting, wanted):
    assert vat(replace(STORE, untaxed=setting), line_items=[line(**UNTAXED)], **FREE) == wanted


def test_the_zero_rate_class_of_woocommerce_is_zero_rated():
    zero = line(tax_class="zero-rate", **UNTAXED | {"taxes": [{"id": 1, "total": "0", "subtotal": "0"}]})
    rate = {"rate_id": 1, "label": "Zero", "rate_percent": 0, "tax_total": "0.00"}

    assert vat(line_items=[zero], **FREE | {"tax_lines": [rate]}) == Vat(Category.ZERO, Decimal(0))


@pytest.mark.parametrize(
    ("typed", "country", "wanted"),
    [
        ("DE 136 695 976", "", "DE136695976"),
        ("de136695976", "", "DE136695976"),
        ("136695976", "DE", "DE136695976"),
        ("094259216", "GR", "EL094259216"),
        ("CHE-107.787.577 MWST", "", "CHE107787577MWST"),
        ("DE136695977", "DE", ""),
        ("136695976", "", ""),
        ("HRB 12345", "DE", ""),
        ("12/345/67890", "DE", ""),
        ("US 12-3456789", "US", ""),
        ("OS.path", "OS", ""),
        ("", "DE", ""),
    ],
)
def test_a_vat_number_is_told_by_its_countrys_form_and_check_digits(typed, country, wanted):
    assert vat_id(typed, country=country) == wanted
    assert country_of(wanted) == ("GR" if wanted.startswith("EL") else wanted[:2])


@pytest.mark.parametrize(
    ("written", "quantity", "code"),
    [
        ("", "2", "C62"), ("", "1.5", None), ("kg", "1.5", "KGM"), ("Kg.", "1", "KGM"), ("KGM", "1", "KGM"),
        ("XBX", "1", "XBX"), ("m²", "2", "MTK"), ("bunch", "1", None), ("Stück", "1", "C62"),
    ],
)  # fmt: skip
def test_a_unit_has_the_code_of_its_word(written, quantity, code):
    assert unit_code(written, Decimal(quantity)) == code
