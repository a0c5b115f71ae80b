"""Every script is set as its readers write it: held on glyphs and their places, which text alone does not tell."""

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import replace
from functools import cache

import pytest
from fontTools.ttLib import TTFont
from glyphs import Glyph, boxes_in, glyphs_of, lines_of
from positions import is_inside, pages_of_words
from shop_orders import BUYER, STORE, line, order, rendered

from app.documents import fonts

DOTTED_CIRCLE = 0x25CC
ARABIC = replace(STORE, name="متجر السدر", address=("شارع النموذج",), locale="ar")
NUMBERS = ("+966 5 5550 0100", "050-555", "2024-03-05", "05/03/2024", "10:30", "42-X-7", "SH-AR-001", "1234.50")

SAMPLES = {
    "Greek": "Ελληνικό ελαιόλαδο",
    "Cyrillic": "Съешь ещё этих булок",
    "Vietnamese": "Phở bò tái chín đặc biệt",
    "Latin": "Zażółć gęślą İstanbul ışıkları Ḫaṭṭuša ẞ № ½ e\u0301",
    "Persian": "گلدان می\u200cشود پروانه",
    "Urdu": "لکڑی کا کھلونا ٹرین",
    "Hebrew": "שָׁלוֹם עליכם",
    "Gujarati": "ગુજરાતી ક્ષ",
    "Oriya": "ଓଡ଼ିଆ କ୍ଷ",
    "Sinhala": "සිංහල",
    "Thai": "A วันที่ น้ำชา ปั่น",
    "Lao": "ຊາຂຽວ ນ້ຳເຜິ້ງ",
    "Khmer": "ខ្មែរ ស្ត្រី",
    "Myanmar": "မြန်မာ",
    "Georgian": "ქართული ᲥᲐᲠᲗᲣᲚᲘ",
    "Armenian": "Հայերեն և",
    "Ethiopic": "አማርኛ",
    "Tibetan": "བོད་སྐད",
    "Han": "\U00020bb7野家 佐々木 〻 時〱 いすゞ バナヽ",
    "Korean": "유기농 녹차",
    "Emoji": "👨\u200d👩\u200d👧\u200d👦 ❤\ufe0f\u200d🔥 🇩🇪🇯🇵 👍🏽 ☕\ufe0f ✔\ufe0e ©\ufe0e",
    "Currencies": "".join(chr(code) for code in range(0x20A0, 0x20C0)) + "﷼৳฿៛¢£¤¥₽",
}
"""Beside those of the tests below."""


@cache
def numbered(family: str) -> dict[int, int]:
    """The font's own table: the glyph of each character."""
    with TTFont(fonts.FILES[family], fontNumber=0, lazy=True) as font:
        return {code: font.getGlyphID(name) for code, name in font.getBestCmap().items()}


def id_of(char: str, family: str) -> int:
    return numbered(family)[ord(char)]


def in_font(glyphs: Sequence[Glyph], family: str) -> list[Glyph]:
    """The glyphs of one family, from the left to the right."""
    name = family.replace(" ", "-")
    return sorted((glyph for glyph in glyphs if glyph.font == name), key=lambda glyph: (glyph.top, glyph.left))


def test_every_script_is_drawn_without_a_box_and_without_a_lonely_mark():
    document = rendered(order(line_items=[line(text, id=number) for number, text in enumerate(SAMPLES.values(), 1)]))

    assert boxes_in(document.pdf) == []
    circles = {family: numbered(family).get(DOTTED_CIRCLE) for family in fonts.FILES if "CJK" not in family}
    glyphs = glyphs_of(document.pdf)
    assert [glyph for glyph in glyphs if glyph.id == circles.get(glyph.font.replace("-", " "))] == []
    # a picture made of several is one glyph, and nothing of a text is drawn by the emoji font
    assert len(in_font(glyphs, "Noto Color Emoji")) == 6
    assert not [warning for warning in document.warnings if "No font" in warning]


def test_digits_and_latin_signs_are_the_same_in_every_script():
    names = ["قميص 42 #1", "שלום 42", "नमस्ते 42", "สวัสดี 42", "你好 42", "유기 42", "🎁 42 #1 *", "1\ufe0f\u20e3 ok"]

    glyphs = glyphs_of(rendered(order(line_items=[line(name, id=place) for place, name in enumerate(names)])).pdf)

    assert {glyph.font for glyph in glyphs if re.fullmatch("[0-9#*]", glyph.text)} <= {"Noto-Sans", "Noto-Sans-Bold"}
    keycap = [glyph for glyph in glyphs if glyph.text.startswith("1\ufe0f")]
    assert [glyph.font for glyph in keycap] == ["Noto-Color-Emoji"]


@pytest.mark.parametrize("word", ["مقاس", "מידה"])
@pytest.mark.parametrize("store", [STORE, ARABIC], ids=["ltr", "rtl"])
def test_numbers_among_words_from_right_to_left_are_not_turned_around(word, store):
    note = "\n".join(f"{word} {number} {word}" for number in NUMBERS)

    printed = lines_of(glyphs_of(rendered(order(customer_note=note), store=store).pdf))

    turned = word[::-1]
    assert [text for text in printed if turned in text] == [f"{turned} {number} {turned}" for number in NUMBERS]


def test_what_is_only_a_number_is_not_turned_around_in_a_document_from_right_to_left():
    buyer = {**BUYER, "address_1": "شارع ١٢", "phone": "+966 5 5550 0100", "country": "SA"}
    payload = order(number="2024/17-B", billing=buyer, line_items=[line("قميص", sku="100-200 A", quantity=12)])

    printed = "\n".join(lines_of(glyphs_of(rendered(payload, store=ARABIC).pdf)))

    assert all(text in printed for text in ("2024/17-B", "100-200 A", "ada@example.com", "2024 سرام 5", "12.00"))
    assert "١٢ عراش" in printed


def test_arabic_letters_join_and_lam_and_alef_become_one():
    arabic = "Noto Sans Arabic"
    glyphs = in_font(
        glyphs_of(rendered(order(line_items=[line("ببب"), line("ب ب", id=2), line("لا", id=3)])).pdf), arabic
    )

    letters = [glyph for glyph in glyphs if glyph.text.strip()]
    joined, lonely, ligature = letters[:3], letters[3:5], letters[5:]

    assert len({glyph.id for glyph in joined}) == 3
    assert {glyph.id for glyph in lonely} == {id_of("ب", arabic)}
    assert id_of("ب", arabic) not in {glyph.id for glyph in joined}
    assert [unicodedata.normalize("NFKC", glyph.text) for glyph in ligature] == ["لا"]


def test_letters_that_arabic_does_not_have_are_drawn_for_persian_and_urdu_each_by_its_own_glyph():
    letters = "پچژگکی" + "ٹڈڑںھہےۓؤئ"

    document = rendered(order(line_items=[line(" ".join(letters))]))

    drawn = [glyph for glyph in in_font(glyphs_of(document.pdf), "Noto Sans Arabic") if glyph.text.strip()]
    assert [glyph.id for glyph in drawn] == [id_of(letter, "Noto Sans Arabic") for letter in reversed(letters)]
    assert boxes_in(document.pdf) == []


BEFORE = {
    "Devanagari": "कि",
    "Bengali": "কে",
    "Gurmukhi": "ਕਿ",
    "Gujarati": "કિ",
    "Oriya": "କେ",
    "Tamil": "கெ",
    "Malayalam": "കെ",
    "Sinhala": "කෙ",
    "Khmer": "កេ",
    "Myanmar": "ကေ",
}


def test_a_vowel_that_is_written_before_its_consonant_stands_before_it():
    """It comes after it in the text: whoever draws letter by letter has them the other way round."""
    glyphs = glyphs_of(
        rendered(order(line_items=[line(text, id=place) for place, text in enumerate(BEFORE.values())])).pdf
    )

    for script, text in BEFORE.items():
        family = f"Noto Sans {script}"
        assert [glyph.id == id_of(text[0], family) for glyph in in_font(glyphs, family)] == [False, True], script


JOINED = {"Devanagari": "क्ष", "Telugu": "క్ష", "Kannada": "ಕ್ಷ", "Bengali": "ক্ষ", "Gujarati": "ક્ષ"}


def test_consonants_join():
    glyphs = glyphs_of(
        rendered(order(line_items=[line(text, id=place) for place, text in enumerate(JOINED.values())])).pdf
    )

    for script, text in JOINED.items():
        family = f"Noto Sans {script}"
        drawn = in_font(glyphs, family)
        assert len(drawn) < len(text), script
        assert id_of(text[1], family) not in {glyph.id for glyph in drawn}, script


def test_thai_marks_stand_above_their_consonant_behind_latin_text_too():
    thai = "Noto Sans Thai"

    glyphs = in_font(glyphs_of(rendered(order(line_items=[line("A ที่")])).pdf), thai)

    consonant, *marks = sorted(glyphs, key=lambda glyph: glyph.id != id_of("ท", thai))
    assert len(marks) == 2
    assert all(consonant.left < mark.left + 6 and mark.left < consonant.left + 12 for mark in marks)


def test_chinese_characters_have_the_form_of_the_reader():
    def forms(country: str, locale: str = "en") -> tuple[int, ...]:
        payload = order(line_items=[line("骨直角")], billing={**BUYER, "country": country})
        glyphs = glyphs_of(rendered(payload, store=replace(STORE, locale=locale)).pdf)
        return tuple(glyph.id for glyph in glyphs if "CJK" in glyph.font and glyph.text in "骨直角")

    simplified, traditional, japanese, korean = map(forms, ("CN", "TW", "JP", "KR"))

    assert simplified[0] not in {traditional[0], japanese[0]}
    assert simplified[1] != japanese[1]
    assert len({simplified, traditional, japanese}) == 3
    assert korean != simplified
    # the store's own language comes before the customer's country
    assert forms("CN", locale="ja") == japanese


LONG = {
    "Thai": "ชุดน้ำชาเซรามิกเพ้นท์ลายดอกบัวสีน้ำเงินสำหรับผู้ใหญ่ที่ชอบดื่มชาร้อนในตอนเช้า" * 3,
    "Lao": "ຊາຂຽວນ້ຳເຜິ້ງສຳລັບຜູ້ໃຫຍ່ທີ່ມັກດື່ມຊາຮ້ອນໃນຕອນເຊົ້າ" * 4,
    "Khmer": "តែបៃតងទឹកឃ្មុំសម្រាប់មនុស្សពេញវ័យដែលចូលចិត្តផឹកតែក្តៅ" * 4,
    "Chinese": "手工紫砂茶壶（礼盒装），适合喜欢喝热茶的成年人。" * 5,
    "Japanese": "折りたたみ傘「ネイビー」、大人用の軽いものです。ちょっと、ゆっくり。" * 4,
}


def test_text_without_spaces_is_broken_in_its_column_and_where_it_may_be():
    lines = [line(text, id=number) for number, text in enumerate(LONG.values(), 1)]

    document = rendered(order(line_items=lines, customer_note="\n".join(LONG.values())))

    words = [word for page in pages_of_words(document.pdf) for word in page]
    assert [word.text for word in words if not is_inside(word)] == []
    starts = [text[0] for text in lines_of(glyphs_of(document.pdf)) if text]
    never_first = set("。、，）」ゃゅょっー")
    assert [char for char in starts if unicodedata.category(char) in {"Mn", "Mc"} or char in never_first] == []
