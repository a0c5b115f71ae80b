"""Copying and searching a document gives what was written, in the order in which it was written."""

import io
from unicodedata import normalize

import pytest
from glyphs import boxes_in
from positions import poppler
from pypdf import PdfReader
from shop_orders import line, order, rendered

TEXTS = {
    "Thai": "A วันที่ ชุดน้ำชาปั่น",
    "Lao": "ຊາຂຽວ ນ້ຳເຜິ້ງ",
    "Khmer": "ខ្មែរ ស្ត្រី",
    "Hindi": "कि क्ष हिन्दी कमल",
    "Bengali": "কে বাংলা কমল",
    "Punjabi": "ਕਿ ਪੰਜਾਬੀ ਕਮਲ",
    "Gujarati": "કિ ગુજરાતી કમલ",
    "Tamil": "கெ தமிழ் கமலம்",
    "Telugu": "క్ష తెలుగు కమలం",
    "Kannada": "ಕ್ಷ ಕನ್ನಡ ಕಮಲ",
    "Malayalam": "കെ മലയാളം കമലം",
    "Sinhala": "කෙ සිංහල කමල",
    "Tibetan": "བོད་སྐད",
    "Myanmar": "မြန်မာ",
    "Arabic": "عباءة سوداء لا تحتاج الأزرق الإجمالي آلات",
    "Arabic letters that share a glyph": "على ليلى إلى صلحى",
    "Persian": "گلدان طرح پروانه",
    "Urdu": "لکڑی کا کھلونا",
    "Hebrew": "שלום עליכם",
    "Greek": "Ελληνικό ελαιόλαδο",
    "Russian": "Съешь ещё булок",
    "Georgian": "ქართული",
    "Armenian": "Հայերեն",
    "Amharic": "አማርኛ",
    "Chinese": "手工紫砂茶壶（礼盒装）",
    "Japanese": "折りたたみ傘ネイビー佐々木",
    "Korean": "유기농녹차",
    "Polish": "Zażółć gęślą jaźń",
    "Vietnamese": "Phở bò tái chín đặc biệt",
}


def test_each_script_is_copied_as_it_was_written():
    document = rendered(order(line_items=[line(text, id=number) for number, text in enumerate(TEXTS.values(), 1)]))

    # poppler says which way a text runs by marks around it
    marks = dict.fromkeys(map(ord, "\u202a\u202b\u202c"))
    copied = normalize("NFKC", poppler(document.pdf, "-layout").translate(marks))
    assert [script for script, text in TEXTS.items() if normalize("NFKC", text) not in copied] == []
    assert boxes_in(document.pdf) == []
    assert b"ActualText" in content_of(document.pdf)


@pytest.mark.parametrize("name", ["Mug", "骨", "Ελληνικό", "שלום"])
def test_a_document_without_such_letters_has_nothing_added(name):
    assert b"ActualText" not in content_of(rendered(order(line_items=[line(name)])).pdf)


def content_of(pdf: bytes) -> bytes:
    return b"".join(page.get_contents().get_data() for page in PdfReader(io.BytesIO(pdf)).pages)
