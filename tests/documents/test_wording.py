"""Every language says the same things."""

import json
from string import Formatter

import pytest
from babel import Locale

from app.documents.wording import TEXTS, wording_for

LANGUAGES = sorted(path.stem for path in TEXTS.glob("*.json"))


def texts(language: str) -> dict[str, str]:
    return json.loads((TEXTS / f"{language}.json").read_text(encoding="utf-8"))


def placeholders(text: str) -> set[str]:
    return {name for _, name, _, _ in Formatter().parse(text) if name is not None}


@pytest.mark.parametrize("language", LANGUAGES)
def test_language_has_every_text_with_its_placeholders(language):
    english, other = texts("en"), texts(language)

    assert list(other) == list(english)
    assert {key: placeholders(text) for key, text in other.items()} == {
        key: placeholders(text) for key, text in english.items()
    }
    assert all(other.values())


@pytest.mark.parametrize("language", LANGUAGES)
def test_page_comes_before_the_count_of_pages(language):
    """The style sheet prints the two numbers in this order."""
    assert [name for _, name, _, _ in Formatter().parse(texts(language)["page"]) if name] == ["page", "pages"]


def test_unknown_language_falls_back_to_english():
    assert wording_for(Locale("fi"))("invoice") == "Invoice"
    assert wording_for(Locale("de", "AT"))("invoice") == "Rechnung"


def test_braces_of_a_customer_are_only_braces():
    assert wording_for(Locale("en"))("coupon", code="{0.__class__}{code}") == "Discount ({0.__class__}{code})"
