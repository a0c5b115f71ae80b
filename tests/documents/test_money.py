"""Amounts are printed as the shop stored them."""

from decimal import Decimal

import pytest
from babel import Locale

from app.documents.money import amount_text, percent_text, quantity_text, unit_price

NBSP = "\N{NO-BREAK SPACE}"


@pytest.mark.parametrize(
    ("stored", "currency", "tag", "printed"),
    [
        ("7.90", "GBP", "en-GB", "£7.90"),
        ("-4.00", "GBP", "en-GB", "-£4.00"),
        ("-0.00", "GBP", "en-GB", "£0.00"),
        ("0", "GBP", "en-GB", "£0"),
        ("5456", "JPY", "en", "¥5,456"),
        ("8.00", "JPY", "en", "¥8.00"),
        ("3508", "AUD", "en-AU", "$3,508"),
        ("3508", "AUD", "de", f"3.508{NBSP}AU$"),
        ("449990", "CLP", "es-CL", "$449.990"),
        ("449990", "CLP", "en", f"CLP{NBSP}449,990"),
        ("-449990", "CLP", "en", f"-CLP{NBSP}449,990"),
        ("12.50", "USD", "en", "$12.50"),
        ("12.50", "USD", "de", f"12,50{NBSP}USD"),
        ("12.50", "USD", "en-GB", "US$12.50"),
        ("99.00", "SEK", "sv", f"99,00{NBSP}kr"),
        ("99.00", "SEK", "de", f"99,00{NBSP}SEK"),
        ("1234567.5", "INR", "en-IN", "₹12,34,567.5"),
        ("29.272727", "EUR", "fr", f"29,272727{NBSP}€"),
        ("1.00", "XXQ", "en", f"XXQ{NBSP}1.00"),
        ("1234.50", "", "en", "1,234.50"),
        ("-1234.50", "", "de", "-1.234,50"),
    ],
)
def test_amount_keeps_its_decimals_and_names_its_currency(stored, currency, tag, printed):
    assert amount_text(Decimal(stored), currency=currency, locale=Locale.parse(tag, sep="-")) == printed


@pytest.mark.parametrize("tag", ["en", "de", "fr", "es", "ar", "he", "fa", "ur", "nl", "de-CH", "pt-BR", "hi", "th"])
@pytest.mark.parametrize("currency", ["USD", "EUR", "JPY", "CLP", "SAR"])
def test_digits_are_never_scaled_in_any_language(tag, currency):
    text = amount_text(Decimal("-1234.560"), currency=currency, locale=Locale.parse(tag, sep="-"))

    assert "".join(filter(str.isdigit, text)) == "1234560"


@pytest.mark.parametrize(
    ("amount", "quantity", "price"),
    [
        ("10.00", "4", "2.50"),
        ("-7.05", "-2", "3.525"),
        ("10.00", "3", "3.333"),
        ("20.00", "420", "0.04762"),
        ("2.00", "1.5", "1.33"),
        ("10", "3", "3"),
        ("1000000.00", "30000001", "0.03"),
        ("0.00", "3", "0.00"),
        ("5.00", "0", None),
    ],
)
def test_unit_price_times_quantity_is_the_amount_wherever_decimals_can_tell(amount, quantity, price):
    assert unit_price(Decimal(amount), Decimal(quantity)) == (None if price is None else Decimal(price))


def test_quantities_and_rates_lose_idle_zeros_only():
    english = Locale("en")

    assert [quantity_text(Decimal(text), locale=english) for text in ("2", "2.00", "1.50", "0.125", "1200")] == [
        "2",
        "2",
        "1.5",
        "0.125",
        "1,200",
    ]
    assert [percent_text(Decimal(text), locale=english) for text in ("19", "7.70", "9.975", "0")] == [
        "19%",
        "7.7%",
        "9.975%",
        "0%",
    ]
