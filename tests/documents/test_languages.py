"""The same order in every language: its words, its dates, its money, and room for all of them."""

import re
import unicodedata
from dataclasses import replace
from pathlib import Path

import pytest
from glyphs import glyphs_of, lines_of
from positions import is_inside, overlapping, pages_of_words
from shop_orders import BUYER, STORE, line, order, rendered, request_for
from test_wording import LANGUAGES, texts

from app.documents.contract import DocumentType, StoreSettings
from app.documents.viewing import viewed

DOCUMENTED = (Path(__file__).parents[2] / "docs" / "languages.md").read_text(encoding="utf-8")
NBSP, NARROW, RLM = "\N{NO-BREAK SPACE}", "\N{NARROW NO-BREAK SPACE}", "\N{RIGHT-TO-LEFT MARK}"
LRM = "\N{LEFT-TO-RIGHT MARK}"

TABLE = {
    # locale: its catalogue, its money, an invoice, 5 March 2024, 1234.50, 7.5 per cent
    "en-GB": ("en", "GBP", "Invoice", "5 March 2024", "£1,234.50", "7.5%"),
    "en-US": ("en", "USD", "Invoice", "March 5, 2024", "$1,234.50", "7.5%"),
    "de-DE": ("de", "EUR", "Rechnung", "5. März 2024", f"1.234,50{NBSP}€", f"7,5{NBSP}%"),
    "fr-FR": ("fr", "EUR", "Facture", "5 mars 2024", f"1{NARROW}234,50{NBSP}€", f"7,5{NBSP}%"),
    "es-ES": ("es", "EUR", "Factura", "5 de marzo de 2024", f"1.234,50{NBSP}€", f"7,5{NBSP}%"),
    "it-IT": ("it", "EUR", "Fattura", "5 marzo 2024", f"1.234,50{NBSP}€", "7,5%"),
    "nl-NL": ("nl", "EUR", "Factuur", "5 maart 2024", f"€{NBSP}1.234,50", "7,5%"),
    "pt-PT": ("pt", "EUR", "Fatura", "5 de março de 2024", f"1{NBSP}234,50{NBSP}€", "7,5%"),
    "pt-BR": ("pt_BR", "BRL", "Fatura", "5 de março de 2024", f"R${NBSP}1.234,50", "7,5%"),
    "pl-PL": ("pl", "PLN", "Faktura", "5 marca 2024", f"1{NBSP}234,50{NBSP}zł", "7,5%"),
    "cs-CZ": ("cs", "CZK", "Faktura", "5. března 2024", f"1{NBSP}234,50{NBSP}Kč", f"7,5{NBSP}%"),
    "sv-SE": ("sv", "SEK", "Faktura", "5 mars 2024", f"1{NBSP}234,50{NBSP}kr", f"7,5{NBSP}%"),
    "da-DK": ("da", "DKK", "Faktura", "5. marts 2024", f"1.234,50{NBSP}kr.", f"7,5{NBSP}%"),
    "nb-NO": ("nb", "NOK", "Faktura", "5. mars 2024", f"1{NBSP}234,50{NBSP}kr", f"7,5{NBSP}%"),
    "fi-FI": ("fi", "EUR", "Lasku", "5. maaliskuuta 2024", f"1{NBSP}234,50{NBSP}€", f"7,5{NBSP}%"),
    "tr-TR": ("tr", "TRY", "Fatura", "5 Mart 2024", "₺1.234,50", "%7,5"),
    "el-GR": ("el", "EUR", "Τιμολόγιο", "5 Μαρτίου 2024", f"1.234,50{NBSP}€", "7,5%"),
    "ru-RU": ("ru", "RUB", "Счёт", f"5 марта 2024{NARROW}г.", f"1{NBSP}234,50{NBSP}₽", f"7,5{NBSP}%"),
    "uk-UA": ("uk", "UAH", "Рахунок", f"5 березня 2024{NARROW}р.", f"1{NBSP}234,50{NBSP}₴", "7,5%"),
    "ar-AE": ("ar", "AED", "فاتورة", "5 مارس 2024", f"{RLM}1,234.50{NBSP}د.إ.{RLM}", "7.5%"),
    "fa-IR": ("fa", "IRR", "فاکتور", "5 مارس 2024", f"{LRM}ریال{NBSP}1,234.50", "7.5%"),
    "ur-PK": ("ur", "PKR", "انوائس", "5 مارچ، 2024", f"Rs{NBSP}1,234.50", "7.5%"),
    "he-IL": ("he", "ILS", "חשבונית", "5 במרץ 2024", f"{RLM}1,234.50{NBSP}{RLM}₪", "7.5%"),
    "hi-IN": ("hi", "INR", "बीजक", "5 मार्च 2024", "₹1,234.50", "7.5%"),
    "th-TH": ("th", "THB", "ใบแจ้งหนี้", "5 มีนาคม ค.ศ. 2024", "฿1,234.50", "7.5%"),
    "ja-JP": ("ja", "JPY", "請求書", "2024年3月5日", "￥1,234.50", "7.5%"),
    "ko-KR": ("ko", "KRW", "청구서", "2024년 3월 5일", "₩1,234.50", "7.5%"),
    "zh-CN": ("zh_Hans", "CNY", "账单", "2024年3月5日", "¥1,234.50", "7.5%"),
    "zh-TW": ("zh_Hant", "TWD", "帳單", "2024年3月5日", "$1,234.50", "7.5%"),
}
"""Written by hand. Thai years are those of the common era, and say so; ja-JP has the full-width sign of CLDR."""

LIKE_ENGLISH = {"attribute", "tax_rate", "sku", "sku_column", "item", "date", "subtotal", "total"}
"""Texts that a language with Latin letters may have in common with English."""


def store(locale: str) -> StoreSettings:
    return replace(STORE, name="·", address=(), tax_id="123", locale=locale, bank_lines=("1",))


def wide(currency: str = "EUR") -> dict[str, object]:
    """An order with something in every part."""
    lines = [
        line(
            "·",
            id=number,
            sku="1",
            meta_data=[{"id": 1, "key": "·", "value": "1"}],
            total="1234.50",
            subtotal="1300.00",
        )
        for number in (1, 2)
    ]
    return order(
        currency=currency,
        billing={**BUYER, "first_name": "·", "last_name": "", "address_1": "1", "city": "2", "email": "", "phone": "3"},
        shipping={**BUYER, "first_name": "·", "last_name": "", "address_1": "4", "city": "5", "email": ""},
        date_paid="2024-03-06T09:00:00",
        payment_method_title="·",
        customer_note="·",
        line_items=lines,
        shipping_lines=[{"method_title": "·", "total": "5.00", "total_tax": "0.00"}],
        shipping_total="5.00",
        fee_lines=[{"name": "", "total": "1.00", "total_tax": "0.00"}],
        coupon_lines=[{"code": "·", "discount": "131.00", "discount_tax": "0.00"}],
        discount_total="131.00",
        tax_lines=[{"rate_id": 1, "label": "", "rate_percent": 7.5, "tax_total": "4.00", "compound": True}],
        total="1234.50",
    )


@pytest.mark.parametrize("locale", TABLE)
def test_words_dates_and_money_are_those_of_the_language(locale):
    catalogue, currency, invoice, date, amount, rate = TABLE[locale]

    found = viewed(request_for(wide(currency), store=store(locale)))

    frame, table = found.view.frame, found.view.table
    assert frame.heading == texts(catalogue)["invoice"] == invoice
    assert date in [fact.text for fact in frame.facts]
    assert table.total is not None
    assert table.total.text == amount
    assert any(rate in row.label or rate in row.text for row in table.sums)
    assert not [warning for warning in found.warnings if "texts for the language" in warning or "No font" in warning]


def test_the_table_is_told():
    rows = [
        f"| `{locale}` | {invoice} | {date} | {amount} | {rate} |".replace(RLM, "").replace(LRM, "")
        for locale, (_, _, invoice, date, amount, rate) in TABLE.items()
    ]

    assert "\n".join(rows) in DOCUMENTED


def test_every_language_is_in_the_table():
    assert {catalogue for catalogue, *_ in TABLE.values()} == set(LANGUAGES)


@pytest.mark.parametrize(
    ("tag", "catalogue"),
    [
        ("zh", "zh_Hans"), ("zh-SG", "zh_Hans"), ("zh-Hant", "zh_Hant"), ("zh-HK", "zh_Hant"), ("zh-MO", "zh_Hant"),
        ("no", "nb"), ("no-NO", "nb"), ("nn-NO", "nb"), ("pt-AO", "pt"), ("de-AT", "de"), ("fr-CA", "fr"),
        ("ar-EG", "ar"),
    ],
)  # fmt: skip
def test_a_relative_of_a_language_has_its_words(tag, catalogue):
    found = viewed(request_for(wide(), store=store(tag)))

    assert found.view.frame.heading == texts(catalogue)["invoice"]
    assert not [warning for warning in found.warnings if "texts for the language" in warning]


@pytest.mark.parametrize("language", sorted(set(LANGUAGES) - {"en"}))
def test_no_text_is_left_in_english(language):
    english = texts("en")
    same = {key for key, text in texts(language).items() if text == english[key]} - LIKE_ENGLISH
    letters = "".join(re.sub(r"\{\w+\}|SKU", "", text) for text in texts(language).values())
    scripts = {unicodedata.name(char).split()[0] for char in letters if char.isalpha()}

    assert same == set()
    # a language with letters of its own has no Latin ones among them
    assert len(scripts - {"HIRAGANA", "KATAKANA", "CJK", "KATAKANA-HIRAGANA", "MASCULINE", "MODIFIER"}) <= 1


def fits(locale: str, kind: DocumentType) -> None:
    """Assert that nothing stands on anything else, and nothing outside of the margins."""
    currency = TABLE[locale][1]
    back = {"id": 7002, "amount": "5.00", "reason": "·", "date_created": "2024-04-09T09:00:00"}

    document = rendered(wide(currency), document_type=kind, store=store(locale), refunds=[back], refund_id=7002)

    assert document.pages == 1
    printed = lines_of(glyphs_of(document.pdf))
    headings = viewed(request_for(wide(currency), store=store(locale))).view.table.columns
    if kind is DocumentType.INVOICE and locale not in {"ar-AE", "fa-IR", "ur-PK", "he-IL", "hi-IN", "th-TH"}:
        # the narrowest column: a heading that is too long for it would be broken within a word
        assert any(headings["quantity"] in text for text in printed)
    for page in pages_of_words(document.pdf):
        assert overlapping(page) == []
        assert [word.text for word in page if not is_inside(word)] == []


@pytest.mark.parametrize("locale", ["pl-PL", "fi-FI", "el-GR", "ru-RU", "he-IL", "th-TH", "ja-JP"])
def test_the_longest_words_have_room_on_an_invoice(locale):
    fits(locale, DocumentType.INVOICE)


@pytest.mark.long
@pytest.mark.parametrize("kind", DocumentType)
@pytest.mark.parametrize("locale", TABLE)
def test_every_language_has_room_on_every_document(locale, kind):
    fits(locale, kind)
