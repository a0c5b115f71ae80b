"""Every language says the same things, and nothing is said but by a catalogue."""

import json
import re
from dataclasses import replace
from string import Formatter

import pytest
from babel import Locale
from shop_orders import STORE, line, order, rendered
from test_invoice import pages_of

from app.documents import wording
from app.documents.contract import DocumentType
from app.documents.wording import TEXTS, wording_for

LANGUAGES = sorted(path.stem for path in TEXTS.glob("*.json"))


def catalogue(language: str) -> dict[str, object]:
    return json.loads((TEXTS / f"{language}.json").read_text(encoding="utf-8"))


def texts(language: str) -> dict[str, str]:
    return catalogue(language)["texts"]


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
def test_texts_are_machine_made_until_a_speaker_signs_them(language):
    signed_by = catalogue(language)["signed_by"]

    assert signed_by is None or signed_by.strip()


def test_first_languages_are_there():
    assert {"en", "de", "fr", "es", "it", "nl"} <= set(LANGUAGES)


@pytest.mark.parametrize("language", LANGUAGES)
def test_page_comes_before_the_count_of_pages(language):
    """The style sheet prints the two numbers in this order."""
    assert [name for _, name, _, _ in Formatter().parse(texts(language)["page"]) if name] == ["page", "pages"]


def test_unknown_language_falls_back_to_english():
    assert wording_for(Locale("et"))("invoice") == "Invoice"
    assert wording_for(Locale("de", "AT"))("invoice") == "Rechnung"


def test_braces_of_a_customer_are_only_braces():
    assert wording_for(Locale("en"))("coupon", code="{0.__class__}{code}") == "Discount ({0.__class__}{code})"


@pytest.fixture
def pseudo_greek(tmp_path, monkeypatch):
    """Greek with our English texts in letters that are not English."""
    for language in ("en", "el"):
        pseudo = {key: pseudonymous(text) if language == "el" else text for key, text in texts("en").items()}
        (tmp_path / f"{language}.json").write_text(json.dumps({"signed_by": None, "texts": pseudo}))
    monkeypatch.setattr(wording, "TEXTS", tmp_path)
    wording._load.cache_clear()
    yield "el"
    wording._load.cache_clear()


def pseudonymous(text: str) -> str:
    """The text with each letter outside of its placeholders replaced, so that it can still be set and read."""
    return re.sub(r"\{\w+\}|[A-Za-z]", lambda found: found[0] if len(found[0]) > 1 else "Ж", text)


@pytest.mark.parametrize("kind", DocumentType)
def test_pseudo_locale_finds_no_word_that_is_not_from_a_catalogue(kind, pseudo_greek):
    """All that the shop and its customer say here is in Cyrillic, all that Babel says is in Greek."""
    person = {"first_name": "Ада", "address_1": "Улица 1", "city": "Город", "postcode": "10115", "country": "DE"}
    lines = [
        line("Чашка", sku="АА-1", meta_data=[{"key": "Цвет", "value": "синий"}], total="8.00", total_tax="1.60"),
        line("Книга", taxes=[{"id": 2, "total": "0.70"}], subtotal="10.00", subtotal_tax="0.70", total_tax="0.70"),
    ]
    payload = order(
        currency="EUR",
        billing={**person, "phone": "030 555", "email": "1@2"},
        shipping={**person, "city": "Сад"},
        date_paid="2024-03-06T09:00:00",
        payment_method_title="Карта",
        customer_note="Спасибо",
        line_items=lines,
        shipping_lines=[{"method_title": "Почта", "total": "5.00", "total_tax": "1.00"}],
        shipping_total="5.00",
        fee_lines=[{"name": "", "total": "1.00", "total_tax": "0.20"}],
        coupon_lines=[{"code": "скидка", "discount": "2.00", "discount_tax": "0.40"}],
        discount_total="2.00",
        tax_lines=[
            {"rate_id": 1, "label": "НДС", "rate_percent": 20, "tax_total": "2.80", "compound": True},
            {"rate_id": 2, "label": "", "rate_percent": 7, "tax_total": "0.70"},
        ],
        total_tax="3.50",
        total="27.50",
        prices_include_tax=kind is DocumentType.RECEIPT,
    )
    refund = {"id": 7002, "amount": "5.00", "reason": "Брак", "date_created": "2024-04-09T09:00:00"}
    store = replace(STORE, name="Лавка", address=("Площадь 1",), tax_id="123", locale=pseudo_greek)

    document = rendered(payload, document_type=kind, store=store, refunds=[refund], refund_id=7002)

    printed = "\n".join(pages_of(document.pdf))
    assert "Ж" in printed
    assert re.findall(r"[A-Za-z]+", printed) == []
    assert document.warnings == ()
