"""Patterns of file names: which are refused and why, and names that every system takes."""

import re
import unicodedata
from dataclasses import replace

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from app.domain.filename_patterns import (
    DEFAULT_PATTERN,
    MAX_NAME_BYTES,
    PATTERN_SHAPE,
    Named,
    PatternRefused,
    check_pattern,
    stem_by,
)
from app.domain.filenames import prefix, stem

ADA = Named(document_type="packing_slip", number="RE/7", order_id=9, date="2026-11-30", customer="Ada & Söhne: GmbH.")


@pytest.mark.parametrize(
    ("pattern", "why"),
    [
        ("", "is empty"),
        ("  ", "is empty"),
        ("{number}" + "x" * 100, "more than 100 characters"),
        ("{number}-{colour}", "unknown placeholder {colour}; there are {type}, {number}, {date}, {customer}"),
        ("{Number}", "unknown placeholder {Number}"),
        ("{}", "unknown placeholder {}"),
        ("{number}{number}", "{number} twice"),
        ("invoice", "no placeholder"),
        ("{number}}", "brace"),
        ("{{number}}", "brace"),
        ("{number", "no placeholder"),
        ("../{number}", "a path"),
        ("{date}/{number}", "a path"),
        ("{date}\\{number}", "a path"),
        ("{number}:{date}", "':'"),
        ("{number}~{date}", "'~'"),
        ("{number}\x00", r"'\x00'"),
        ("{number}\u202e", r"'\u202e'"),
        ("{number}.PDF", ".pdf"),
        ("{number}" + "注" * 21, "60 bytes"),
    ],
)
def test_what_names_no_file_is_refused_with_the_reason(pattern, why):
    with pytest.raises(PatternRefused) as refused:
        check_pattern(pattern)

    assert why in refused.value.reason


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        ("{type}-{number}-{date}-{customer}", "packing-slip-RE-7-2026-11-30-Ada-&-Söhne-GmbH"),
        ("{date} {number}", "2026-11-30-RE-7"),
        ("{customer}.{number}.", "Ada-&-Söhne-GmbH.RE-7"),
        ("Lieferung_{number}", "Lieferung_RE-7"),
        (".{number}", "RE-7"),
    ],
)
def test_names_are_made_of_what_is_known(pattern, expected):
    check_pattern(pattern)

    assert stem_by(pattern, ADA) == expected


def test_what_is_unknown_is_called_so():
    nothing = Named(document_type="invoice", number="///", order_id=None, date="", customer="\u202e")

    assert stem_by("{number}-{date}-{customer}", nothing) == "unnamed-undated-unnamed"
    assert stem_by("{number}", replace(nothing, order_id=9)) == "9"


@pytest.mark.parametrize(
    ("customer", "expected"),
    [
        ("CON", "_CON"),
        ("nul.x", "_nul.x"),
        ("Packing-Slips", "_Packing-Slips"),
        ("packing slips-001", "_packing-slips-001"),
    ],
)
def test_no_name_is_a_devices_or_a_combined_pdfs(customer, expected):
    assert stem_by("{customer}", replace(ADA, customer=customer)) == expected


@given(
    st.text(), st.text(), st.sampled_from(["{customer}{number}", "{date}-{customer}", "x {number} {type}{customer}"])
)
@example("x" * 500, "ü" * 500, "{customer}{number}")
def test_any_names_are_portable(number, customer, pattern):
    name = stem_by(pattern, replace(ADA, number=number, customer=customer))

    assert name
    assert len(name.encode()) <= MAX_NAME_BYTES
    assert name == unicodedata.normalize("NFC", name)
    assert not set(name) & set('<>:"/\\|?*~')
    assert not any(char.isspace() or unicodedata.category(char).startswith("C") for char in name)
    assert name.strip(" .-") == name


def test_the_default_pattern_gives_the_names_that_imports_have_prepared():
    assert stem_by(DEFAULT_PATTERN, ADA) == prefix("packing_slip") + stem("RE/7", "9")


@pytest.mark.parametrize("pattern", [DEFAULT_PATTERN, "{date} {customer}", "Rechnung {number}"])
def test_what_is_taken_has_the_shape_that_openapi_tells(pattern):
    check_pattern(pattern)

    assert re.match(PATTERN_SHAPE, pattern)
