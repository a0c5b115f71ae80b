"""An order is ready for an e-invoice, or the check names the rule, the place and what to do."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from shop_orders import BUYER, line, order
from test_credit_note import back, refund

from app.documents.einvoices.check import MAX_PLACES, Checked, checked
from app.documents.einvoices.rules import RULES
from app.domain.document_type import DocumentType
from app.domain.store_settings import StoreSettings
from app.orders.payload import read_payload
from app.orders.vat_keys import VAT_KEYS

DOCUMENTED = (Path(__file__).parents[2] / "docs" / "e-invoices.md").read_text(encoding="utf-8")
STORE = StoreSettings(
    name="Alder & Finch",
    address=("Hafenstraße 7", "24103 Kiel"),
    tax_id="VAT no.\tDE 136 695 976",
    locale="de-DE",
    time_zone="Europe/Berlin",
    paper="A4",
    country="DE",
)
UNTAXED = {"subtotal_tax": "0.00", "total_tax": "0.00", "taxes": []}
FREE = {"total_tax": "0.00", "cart_tax": "0.00", "tax_lines": [], "total": "10.00"}
PARCEL = {"method_title": "Parcel", "method_id": "flat_rate", "total": "0.00", "total_tax": "0.00"}
IN_AUSTRIA = {"billing": {**BUYER, "country": "AT"}, "meta_data": [{"key": "_vat_number", "value": "ATU13585627"}]}
TWO_RATES = [{"id": 1, "total": "1.00", "subtotal": "1.00"}, {"id": 2, "total": "1.00", "subtotal": "1.00"}]


def found(payload: dict[str, object], store: StoreSettings = STORE, *refunds: dict[str, object]) -> list[Checked]:
    return checked(read_payload(json.dumps(payload)), [read_payload(json.dumps(one)) for one in refunds], store)


def rules_of(document: Checked) -> set[str]:
    return {finding.rule.id for finding in document.findings}


def untaxed(**changes: object) -> dict[str, object]:
    return order(line_items=[line(**UNTAXED)], **FREE | changes)


def test_an_ordinary_order_and_its_full_refund_are_ready():
    whole = refund(amount="12.00", line_items=[back()])

    documents = found(order(), STORE, whole)

    assert [(one.document_type, one.number, one.refund_id) for one in documents] == [
        (DocumentType.INVOICE, "7001", None),
        (DocumentType.CREDIT_NOTE, "7001-7002", 7002),
    ]
    assert [one.findings for one in documents] == [[], []]


BROKEN: dict[str, tuple[dict[str, object], dict[str, Any]]] = {
    # what is changed of the order, and of the store's settings
    "BR-02": ({}, {"number_keys": ("_invoice_number",)}),
    "BR-03": (order(date_created=None, date_created_gmt=None), {}),
    "BR-05": (order(currency="XYZ"), {}),
    "BR-08": ({}, {"address": ()}),
    "BR-09": ({}, {"country": ""}),
    "BR-CO-26": ({}, {"tax_id": "12/345/67890"}),
    "BR-S-02": ({}, {"tax_id": ""}),
    "BR-G-02": (
        untaxed(billing={**BUYER, "country": "US"}, shipping_lines=[PARCEL]),
        {"tax_id": "12/345/67890"},
    ),
    "BR-O-02": (untaxed(), {"untaxed": "O"}),
    "BR-O-11": (
        order(line_items=[line(), line(id=2, **UNTAXED)], total="22.00"),
        {"untaxed": "O", "tax_id": "12/345/67890"},
    ),
    "BR-07": (order(billing={**BUYER, "first_name": "", "last_name": ""}), {}),
    "BR-10": (order(billing={**BUYER, "address_1": "", "city": "", "postcode": ""}), {}),
    "BR-11": (order(billing={**BUYER, "country": "Germany"}), {}),
    "BR-CO-09": (order(meta_data=[{"key": "_vat_number", "value": "DE136695977"}]), {}),
    "BR-IC-11": (untaxed(**IN_AUSTRIA, shipping_lines=[PARCEL]), {}),
    "BR-CO-25": (order(status="on-hold"), {}),
    "BR-14": (order(total=""), {}),
    "BR-16": (order(line_items=[], tax_lines=[], total_tax="0", total="0"), {}),
    "BR-25": (order(line_items=[line("")]), {}),
    "BR-23": (order(line_items=[line(quantity=1.5)]), {}),
    "BR-24": (order(line_items=[line(total="")]), {}),
    "BR-26": (order(line_items=[line(quantity=0)]), {}),
    "BR-27": (
        order(line_items=[line(), line(id=2, total="-1.00", total_tax="0", taxes=[])], total="11.00"),
        {"untaxed": "Z"},
    ),
    "BR-CO-04": (untaxed(), {}),
    "BR-32": (order(fee_lines=[{"name": "Gift", "total": "-1.00", "total_tax": "0"}], total="11.00"), {}),
    "BR-37": (order(fee_lines=[{"name": "Wrapping", "total": "1.00", "total_tax": "0"}], total="13.00"), {}),
    "BR-33": (
        order(fee_lines=[{"name": "", "total": "-1.00", "total_tax": "0"}], total="11.00"),
        {"untaxed": "Z"},
    ),
    "BR-38": (
        order(fee_lines=[{"name": "", "total": "1.00", "total_tax": "0"}], total="13.00"),
        {"untaxed": "Z"},
    ),
    "BR-S-05": (order(tax_lines=[{"rate_id": 1, "label": "VAT", "tax_total": "2.00"}]), {}),
    "BR-E-10": (untaxed(), {"untaxed": "E"}),
    "BR-S-09": (
        order(tax_lines=[{"rate_id": 1, "label": "VAT", "rate_percent": 19, "tax_total": "2.00"}]),
        {},
    ),
    "BR-CO-14": (
        order(total_tax="2.50", total="12.50"),
        {},
    ),
    "BR-CO-15": (order(total="11.00"), {}),
    "BR-DEC-14": (order(total="12.001"), {}),
}


@pytest.mark.parametrize("rule", BROKEN)
def test_what_breaks_one_rule_is_told_by_that_rule_alone(rule):
    payload, settings = BROKEN[rule]

    invoice = found(payload or order(), replace(STORE, **settings))[0]

    assert rules_of(invoice) == {rule}
    assert all(finding.where and finding.detail for finding in invoice.findings)


def test_every_rule_has_an_order_that_breaks_it_and_is_told():
    rows = [f"| `{rule.id}` | {rule.terms} | {rule.severity} | {rule.title} | {rule.remedy} |" for rule in RULES]

    # an order always has a number, so the rule speaks only if that is no longer so
    assert {rule.id for rule in RULES} - set(BROKEN) == {"BR-55"}
    assert len({rule.id for rule in RULES}) == len(RULES)
    assert "\n".join(rows) in DOCUMENTED
    assert all(f"| `{key}` | {plugin} |" in DOCUMENTED for key, plugin in VAT_KEYS.items())


def test_a_refund_of_an_amount_alone_is_of_no_rate():
    amount_only = found(order(), STORE, refund(amount="5.00", line_items=[]))[1]
    short = found(order(refunds=[{"id": 7003, "reason": "", "total": "-5.00"}]))[1]

    assert rules_of(amount_only) == {"BR-16"}
    assert rules_of(short) == {"BR-03", "BR-16"}


def test_many_lines_that_lack_the_same_are_one_finding():
    lines = [line(quantity=0.5, id=number, name=f"Cheese {number}") for number in range(1, 9)]
    payload = order(line_items=lines, total_tax="16.00", total="96.00", tax_lines=[
        {"rate_id": 1, "label": "VAT", "rate_percent": 20, "tax_total": "16.00"}
    ])  # fmt: skip

    (only,) = found(payload)[0].findings

    assert only.where.startswith("line 1 (Cheese 1), line 2 (Cheese 2)")
    assert only.where.endswith(f"and {8 - MAX_PLACES} more")


def test_what_was_rounded_line_by_line_is_ready_and_what_was_edited_is_not():
    """Three lines of 0.33 at 20 %: 0.07 each is 0.21, and 20 % of 0.99 is 0.20."""

    def lines(tax: str) -> dict[str, object]:
        small = {"subtotal": "0.33", "total": "0.33", "total_tax": "0.07", "subtotal_tax": "0.07"}
        shares = [{"id": 1, "total": "0.07", "subtotal": "0.07"}]
        rate = {"rate_id": 1, "label": "VAT", "rate_percent": 20, "tax_total": tax}
        total = {"0.21": "1.20", "0.30": "1.29"}[tax]
        return order(
            line_items=[line(id=number, **small | {"taxes": shares}) for number in (1, 2, 3)],
            tax_lines=[rate],
            total_tax=tax,
            total=total,
        )

    assert rules_of(found(lines("0.21"))[0]) == set()
    assert rules_of(found(lines("0.30"))[0]) == {"BR-S-09"}


@pytest.mark.parametrize("key", VAT_KEYS)
def test_the_customers_vat_number_is_found_wherever_a_plugin_keeps_it(key):
    payload = order(meta_data=[{"key": key, "value": "DE136695977"}])

    assert rules_of(found(payload)[0]) == {"BR-CO-09"}


def test_a_store_names_keys_of_its_own():
    own = replace(STORE, vat_keys=("_our_vat",), unit_keys=("Sold by",))
    payload = order(
        meta_data=[{"key": "_our_vat", "value": "no number"}, {"key": "_vat_number", "value": "DE136695976"}],
        line_items=[line(quantity=1.5, meta_data=[{"key": "Sold by", "value": "kg"}])],
    )

    assert rules_of(found(payload, own)[0]) == {"BR-CO-09"}
    assert rules_of(found(payload)[0]) == {"BR-23"}
