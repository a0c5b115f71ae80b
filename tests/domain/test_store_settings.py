"""The text in which a job freezes its store's settings: equal for equal settings, read across releases."""

import json
from dataclasses import replace

from app.domain.document_type import DocumentType
from app.domain.store_settings import MissingGlyphs, OwnTemplate, StoreSettings, TaxId, frozen, tax_id_text, thawed

FIRST_RELEASE = {
    "name": "Alder & Finch",
    "address": "14 Harbour Row\n\nBristol",
    "tax_id": "GB 123",
    "locale": "en-GB",
    "time_zone": "Europe/London",
    "paper": "A4",
    "logo": "bG9nbw==",
}
STORE = StoreSettings(
    name="Alder & Finch",
    address=("14 Harbour Row", "Bristol"),
    tax_id="GB 123",
    locale="en-GB",
    time_zone="Europe/London",
    paper="A4",
    logo=b"logo",
)
MINE = OwnTemplate(DocumentType.RECEIPT, "<p>{{ view.frame.title }}", "p { color: red }")
WHOLE = replace(
    STORE,
    templates=(MINE,),
    bank_lines=("IBAN X",),
    footer=("Registered in England",),
    accent="#1a4d8f",
    number_keys=("_invoice_number",),
    missing_glyphs=MissingGlyphs.FAIL,
    country="GB",
    vat_keys=("_vat",),
    unit_keys=("_unit",),
    untaxed="E=VAT exempt",
)


def test_settings_that_the_first_release_froze_are_read():
    assert thawed(json.dumps(FIRST_RELEASE)) == STORE


def test_settings_come_back_as_they_were_frozen():
    assert thawed(frozen(WHOLE)) == WHOLE


def test_the_first_release_finds_all_that_it_reads():
    stored = json.loads(frozen(WHOLE))

    assert {key: stored[key] for key in FIRST_RELEASE} == {**FIRST_RELEASE, "address": "14 Harbour Row\nBristol"}


def test_what_is_not_set_makes_no_other_text():
    stored = {**FIRST_RELEASE, "address": "14 Harbour Row\nBristol"}

    assert frozen(STORE) == json.dumps(stored, sort_keys=True)


def test_a_type_has_one_template_of_its_own_at_most():
    other, invoice = replace(MINE, html="other"), replace(MINE, document_type=DocumentType.INVOICE)

    settings = WHOLE.with_template(invoice).with_template(other)

    assert settings.templates == (invoice, other)
    assert settings.template_of(DocumentType.RECEIPT) == other
    assert settings.without_template(DocumentType.RECEIPT).template_of(DocumentType.RECEIPT) is None


def test_tax_ids_keep_their_labels_and_their_order():
    ids = (TaxId("GB 123", "VAT no."), TaxId("77/12"), TaxId("HRB=9", "Reg."))

    assert replace(STORE, tax_id=tax_id_text(ids)).tax_ids == ids
    assert STORE.tax_ids == (TaxId("GB 123"),)
    assert replace(STORE, tax_id="").tax_ids == ()
