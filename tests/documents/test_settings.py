"""A store's settings are checked in one place, which names the field and says what it takes."""

from dataclasses import replace

import pytest
from shop_orders import STORE

from app.documents.settings import NAMES, SettingRefused, changed
from app.domain.store_settings import TaxId


@pytest.mark.parametrize(
    ("field", "value", "told"),
    [
        ("name", " ", "cannot be empty"),
        ("name", None, "cannot be empty"),
        ("name", "x" * 201, "at most 200 printable characters"),
        ("address", ["one", "two\nlines"], "one line"),
        ("address", ["turned \u202e around"], "printable"),
        ("address", ["half \ud800"], "printable"),
        ("address", ["x"] * 9, "room for 8 lines"),
        ("tax_ids", [TaxId("1")] * 6, "room for 5"),
        ("tax_ids", [TaxId(" ", "VAT")], "needs its number"),
        ("tax_ids", [TaxId("1", "a\tb")], "one line"),
        ("bank_lines", ["x"] * 5, "room for 4 lines"),
        ("footer", ["x" * 81], "at most 80"),
        ("accent", "blue", "such as #1a4d8f"),
        ("accent", "#FFCC00", "#ffcc00 has a contrast of 1.51 to 1 against white"),
        ("accent", "#777777", "4.47 to 1 against white, and text needs at least 4.5 to 1"),
        ("logo", b"<svg xmlns='http://www.w3.org/2000/svg'/>", "neither PNG nor JPEG"),
        ("paper", "A5", "A4 or Letter"),
        ("locale", "xx-nowhere", "no locale"),
        ("locale", "en-" + "x" * 40, "no locale"),
        ("time_zone", "Mars/Olympus", "no IANA time zone"),
        ("time_zone", "../../etc/passwd", "no IANA time zone"),
        ("number_keys", ["k"] * 6, "room for 5 lines"),
        ("missing_glyphs", "hide", "neither of warn and fail"),
        ("country", "EU", "no country code"),
        ("vat_keys", ["k"] * 6, "room for 5 lines"),
        ("unit_keys", ["k" * 201], "at most 200"),
        ("untaxed", "S", "none of Z"),
        ("untaxed", "E=", "needs its reason"),
    ],
)
def test_what_no_document_can_show_is_refused_by_name(field, value, told):
    with pytest.raises(SettingRefused) as refused:
        changed(STORE, {field: value})

    assert refused.value.field == field
    assert told in refused.value.reason


def test_what_is_given_is_changed_and_nothing_else():
    new = changed(
        STORE,
        {
            "tax_ids": [TaxId(" GB 1 ", " VAT "), TaxId("2")],
            "accent": "#1A4D8F",
            "paper": "letter",
            "bank_lines": ["IBAN\N{NO-BREAK SPACE}DE02", "", " "],
        },
    )

    assert new == replace(
        STORE, tax_id="VAT\tGB 1\n2", accent="#1a4d8f", paper="Letter", bank_lines=("IBAN\N{NO-BREAK SPACE}DE02",)
    )


def test_none_stands_for_the_default():
    whole = changed(
        STORE,
        {
            "accent": "#1a4d8f",
            "footer": ["x"],
            "number_keys": ["_k"],
            "missing_glyphs": "fail",
            "country": "de",
            "vat_keys": ["_v"],
            "unit_keys": ["_u"],
            "untaxed": "o",
        },
    )

    bare = changed(whole, dict.fromkeys(set(NAMES) - {"name"}))

    assert bare == replace(STORE, address=(), tax_id="", locale="en", time_zone="UTC", paper="A4")
