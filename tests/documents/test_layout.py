"""Where things stand on an invoice, as poppler sees it: whole numbers, within the page, in reading order."""

import json
import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from itertools import groupby
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from positions import is_inside, line_of, poppler, words_of
from shop_orders import BUYER, STORE, line, order, rendered, request_for

from app.documents.invoice import invoice_view
from app.documents.view import DocumentView, PricedTable
from app.orders.payload import read_payload
from app.orders.reading import read_order

SAMPLES = json.loads((Path(__file__).parents[2] / "samples" / "orders.json").read_text(encoding="utf-8"))


def seen(arabic: str) -> str:
    """A text of Arabic letters from left to right."""
    return arabic[::-1]


def view_of(payload: Mapping[str, object], locale: str) -> DocumentView:
    request = request_for(payload)
    read = read_order(read_payload(request.payload), refunds=(), time_zone=ZoneInfo(STORE.time_zone))
    return invoice_view(read, replace(STORE, locale=locale))


def amounts_of(table: PricedTable) -> Counter[str]:
    """Every amount in a column, by how often it stands there."""
    sums = [*table.sums, *table.included, *([table.total] if table.total else [])]
    lines = [text for row in table.lines for text in (row.unit_price, row.amount)]
    return Counter(text.strip() for text in (*lines, *(row.text for row in sums)) if text)


def plain(text: str) -> str:
    return re.sub(r"[^\S\n]+", " ", text)


def check(payload: Mapping[str, object], locale: str = "en-GB") -> None:
    """Each amount is in one piece, and nothing leaves the space between the margins."""
    document = rendered(payload, store=replace(STORE, locale=locale))
    text = plain(poppler(document.pdf, "-layout"))
    for amount, count in amounts_of(view_of(payload, locale).table).items():
        assert text.count(plain(amount)) >= count, amount
    assert [word for word in words_of(document.pdf) if not is_inside(word)] == []


def costly(currency: str, amount: str, *, mixed: bool) -> dict[str, object]:
    """Lines of the amount with one rate of tax, or with two and so with a column for it."""
    rates = [("VAT", 20), ("Reduced", 8.875)]
    return order(
        currency=currency,
        total=amount,
        total_tax=amount,
        tax_lines=[
            {"rate_id": number, "label": label, "rate_percent": percent, "tax_total": amount}
            for number, (label, percent) in enumerate(rates, 1)
        ],
        line_items=[
            line(total=amount, subtotal=amount),
            line(
                "A second thing with a long name",
                total=amount,
                subtotal=amount,
                quantity=1250.5,
                taxes=[{"id": 2 if mixed else 1, "total": "1.00"}],
            ),
        ],
    )


@pytest.mark.parametrize("mixed", [False, True])
@pytest.mark.parametrize(
    ("currency", "amount", "locale"),
    [
        ("EUR", "1234567.89", "en-GB"),
        ("EUR", "1234567.89", "fr"),
        ("IDR", "123456789.00", "de"),
        ("LKR", "31991.28", "en-GB"),
        ("NGN", "115600.00", "en-GB"),
        ("KWD", "1234567.890", "en-GB"),
        ("GBP", "-9999.99", "en-GB"),
        ("MMM", "999999999999999.99", "en-GB"),
        ("", "0.1234567890123456789012345", "en-GB"),
    ],
)
def test_long_amounts_are_whole_and_within_the_page(currency, amount, locale, mixed):
    check(costly(currency, amount, mixed=mixed), locale)


@pytest.mark.parametrize("payload", SAMPLES, ids=lambda payload: str(payload["number"]))
def test_amounts_of_the_samples_are_whole_and_within_the_page(payload):
    check(payload)


def test_longest_amount_that_can_be_imported_is_whole_in_the_total():
    words = words_of(rendered(costly("KWD", "9" * 18 + "." + "9" * 60, mixed=True)).pdf)

    longest = ",".join(["999"] * 6) + "." + "9" * 60
    assert longest in [word.text for word in words]
    assert [word for word in words if not is_inside(word)] == []


def test_many_sums_go_on_over_pages():
    fees = [{"name": f"Fee {number:03}", "total": "1.00"} for number in range(1, 151)]
    document = rendered(order(fee_lines=fees, total="162.00"))

    text = poppler(document.pdf, "-layout")
    assert [found for found, _ in groupby(re.findall(r"Fee \d+", text))] == [fee["name"] for fee in fees]
    assert document.pages == len([page for page in text.split("\f") if "Fee" in page])
    assert all(word.bottom < 842 - 36 for word in words_of(document.pdf))


def test_one_address_has_the_width_of_two():
    company = "The Very Long Named Association of Sample Towns and Counties"
    email = "a.very.long.address.of.somebody@mail.sample-towns-and-counties.example"
    words = words_of(rendered(order(billing={**BUYER, "company": company, "email": email})).pdf)

    assert line_of(words, "Association").startswith(company)
    assert email in [word.text for word in words]


def test_text_of_another_direction_stays_apart():
    """The rate stands behind its label, and an attribute's value behind its name, as in English."""
    payload = order(
        prices_include_tax=True,
        tax_lines=[{"rate_id": 1, "label": "ضريبة القيمة", "rate_percent": 5, "tax_total": "2.00"}],
        line_items=[
            line(
                "قميص",
                sku="أب-12",
                meta_data=[{"display_key": "حجم", "display_value": "كبير", "key": "k", "value": "v"}],
            )
        ],
    )

    words = words_of(rendered(payload).pdf)
    assert line_of(words, "5%") == f"Includes {seen('ضريبة القيمة')} 5% £2.00"
    assert line_of(words, "SKU") == f"{seen('حجم')}: {seen('كبير')} · SKU 12-{seen('أب')}"


def test_isolates_in_a_text_cannot_end_its_own():
    payload = order(
        prices_include_tax=True,
        tax_lines=[{"rate_id": 1, "label": "ضريبة\u2069 القيمة", "rate_percent": 5, "tax_total": "2.00"}],
    )

    assert line_of(words_of(rendered(payload).pdf), "5%") == f"Includes {seen('ضريبة القيمة')} 5% £2.00"
