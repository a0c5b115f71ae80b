"""What goes wrong with scripts elsewhere, each on glyphs, places and what copying gives back."""

import re
from collections import Counter
from dataclasses import replace
from decimal import Decimal
from unicodedata import normalize

import pytest
from babel import Locale
from glyphs import Glyph, boxes_in, glyphs_of, lines_of
from positions import is_inside, pages_of_words, poppler
from shop_orders import BUYER, STORE, line, order, rendered
from test_scripts import ARABIC, LONG, id_of, in_font

from app.documents.money import amount_text

MARKS = dict.fromkeys(map(ord, "\u202a\u202b\u202c\u200e\u200f\u2066\u2067\u2068\u2069"))
"""What poppler puts around a text to say which way it runs, and what we put there."""


def copied(pdf: bytes) -> str:
    """What a reader copies, with letters in one form."""
    return normalize("NFKC", poppler(pdf, "-layout").translate(MARKS))


@pytest.mark.parametrize(
    "currency", ["NGN", "INR", "BDT", "TRY", "UAH", "IRR", "KZT", "GHS", "ILS", "PYG", "GEL", "VND", "LAK", "KHR"]
)
def test_an_amount_has_its_sign_or_its_code_drawn_and_copied(currency):
    amount = amount_text(Decimal("1234.50"), currency=currency, locale=Locale("en", "GB"))

    document = rendered(order(currency=currency, total="1234.50"))

    assert not amount.startswith("1")
    assert boxes_in(document.pdf) == []
    assert any(text.endswith(amount) for text in lines_of(glyphs_of(document.pdf)))
    assert normalize("NFKC", amount) in copied(document.pdf)


def test_a_document_from_right_to_left_is_mirrored_and_copied_in_the_order_of_reading():
    buyer = {**BUYER, "first_name": "ليلى", "last_name": "المثال", "address_1": "شارع النموذج 24", "city": "الرياض"}
    payload = order(
        billing=buyer,
        line_items=[line("عباءة سوداء لا تحتاج كي Model X-200", sku="AR-1")],
        customer_note="يرجى الاتصال على الهاتف قبل التسليم",
    )

    document = rendered(payload, store=replace(ARABIC, locale="ar-AE"))

    text = copied(document.pdf)
    for written in ("ليلى المثال", "شارع النموذج 24", "عباءة سوداء لا تحتاج كي Model X-200", "على الهاتف قبل التسليم"):
        assert normalize("NFKC", written) in text
    lines = lines_of(glyphs_of(document.pdf))
    # from the left: the amount, the price, the quantity, and the name, whose Latin part runs to the right
    (row,) = [one for one in lines if "X-200" in one]
    assert row.index("10.00") < row.index("Model X-200") < row.index("كي"[::-1]) < row.index("ةءابع")
    assert any("ada@example.com" in one for one in lines)


def test_one_chinese_character_in_a_german_name_changes_no_other():
    def drawn(name: str) -> list[tuple[str, int]]:
        glyphs = glyphs_of(rendered(order(line_items=[line(name)])).pdf)
        first = next(glyph for glyph in glyphs if glyph.text == "ü")
        # the name's column ends before the quantity
        return [(one.font, one.id) for one in glyphs if one.top == first.top and one.left < first.left + 150]

    mixed, alone = drawn("Schlüsselanhänger „福“"), drawn("Schlüsselanhänger „“")

    assert [one for one in mixed if "CJK" not in one[0]] == alone
    assert [font for font, _ in mixed if "CJK" in font] == ["Noto-Sans-CJK-SC"]


def test_emoji_are_one_picture_each_and_change_no_digit():
    england = "🏴\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f"
    names = ["Mug 1234567890 #*", f"{england} 👨\u200d👩\u200d👧\u200d👦 ❤️\u200d🔥 🎁 Text ✔\ufe0e ☕\ufe0f"]

    def digits(*lines: str) -> list[tuple[str, int]]:
        glyphs = glyphs_of(rendered(order(line_items=[line(text, id=place) for place, text in enumerate(lines)])).pdf)
        return sorted({(one.font, one.id) for one in glyphs if re.fullmatch("[0-9#*]", one.text)})

    document = rendered(order(line_items=[line(text, id=place) for place, text in enumerate(names)]))

    assert len(in_font(glyphs_of(document.pdf), "Noto Color Emoji")) == 5
    assert boxes_in(document.pdf) == []
    assert digits(*names) == digits(names[0])
    assert len(document.pdf) < 1_000_000


@pytest.mark.parametrize(("script", "cluster"), [("Thai", "ที่"), ("Thai", "ปั่"), ("Lao", "ກິ່"), ("Lao", "ມື້")])
def test_marks_stand_above_their_consonant_behind_latin_text(script, cluster):
    family = f"Noto Sans {script}"

    glyphs = in_font(glyphs_of(rendered(order(line_items=[line(f"A {cluster}")])).pdf), family)

    (consonant,) = [glyph for glyph in glyphs if glyph.id == id_of(cluster[0], family)]
    marks = [glyph for glyph in glyphs if glyph is not consonant and glyph.text != " "]
    assert len(marks) == 2
    assert all(consonant.left - 2 < mark.left < consonant.left + 12 for mark in marks)


def printed_lines(pdf: bytes, first: int, last: int) -> list[str]:
    """The lines of a text without spaces, as they are copied; each of its letters is in a range of Unicode."""
    words = [word for page in pages_of_words(pdf) for word in page]
    assert [word.text for word in words if not is_inside(word)] == []
    return [word.text for word in words if all(first <= ord(char) <= last for char in word.text)]


def test_thai_is_broken_between_words():
    first = "ชุด น้ำชา เซรามิก เพ้นท์ ลาย ดอกบัว สี น้ำเงิน สำหรับ ผู้ใหญ่ ที่ ชอบ ดื่ม ชา ร้อน ใน ตอน เช้า"
    words = tuple(first.split(" "))

    document = rendered(order(line_items=[line(LONG["Thai"])]))

    lines = printed_lines(document.pdf, 0x0E00, 0x0E7F)
    assert len(lines) > 3
    assert [text for text in lines if not text.startswith(words) or not text.endswith(words)] == []


@pytest.mark.parametrize("script", ["Lao", "Khmer", "Chinese", "Japanese"])
def test_lines_without_spaces_are_filled_and_lose_nothing(script):
    document = rendered(order(line_items=[line(LONG[script])]))

    letters = [glyph for glyph in glyphs_of(document.pdf) if is_of(script, glyph)]
    tops = sorted({glyph.top for glyph in letters})
    widths = [
        max(one.left for one in letters if one.top == top) - min(one.left for one in letters if one.top == top)
        for top in tops
    ]
    assert len(widths) > 2
    assert min(widths[:-1]) > 0.8 * max(widths)
    written, given = Counter(normalize("NFKC", LONG[script])), Counter(copied(document.pdf))
    assert {char: given[char] for char in written if char not in ",()"} == {
        char: count for char, count in written.items() if char not in ",()"
    }


def is_of(script: str, glyph: Glyph) -> bool:
    return ("CJK" if script in {"Chinese", "Japanese"} else script) in glyph.font


def test_chinese_characters_have_the_form_of_the_stores_language():
    def forms(locale: str) -> tuple[int, ...]:
        glyphs = glyphs_of(rendered(order(line_items=[line("分化微")]), store=replace(STORE, locale=locale)).pdf)
        return tuple(glyph.id for glyph in glyphs if "CJK" in glyph.font and glyph.text in "分化微")

    found = {locale: forms(locale) for locale in ("zh-CN", "zh-TW", "ja-JP", "ko-KR")}

    assert all(len(ids) == 3 for ids in found.values())
    assert len(set(found.values())) == 4
