"""One small sale in each of the scripts that `docs/pictures` shows."""

from dataclasses import dataclass
from typing import Any, Final


@dataclass(frozen=True)
class Shop:
    """A shop somewhere, with an order of a customer of it."""

    language: str
    """The picture's file is named by it."""
    locale: str
    name: str
    address: tuple[str, ...]
    currency: str
    tax: str
    prices: tuple[str, str, str, str]
    """Of two things; then the tax and the total."""
    buyer: tuple[str, str, str, str, str, str]
    """First and last name, street, city, postcode, country."""
    things: tuple[str, str]
    note: str


SHOPS: Final = (
    Shop(
        "arabic", "ar-AE", "متجر السدر", ("شارع النخيل ١٢", "دبي"), "AED", "ضريبة القيمة المضافة",
        ("120.00", "85.50", "10.28", "215.78"), ("ليلى", "المثال", "شارع النموذج 24", "الرياض", "11564", "SA"),
        ("قميص قطني رجالي – مقاس 42 (Model X-200)", "عباءة سوداء لا تحتاج إلى كي"),
        "يرجى الاتصال على +966 5 5550 0100 قبل 2024-03-05 🙏",
    ),
    Shop(
        "persian", "fa-IR", "فروشگاه نمونه", ("خیابان نمونه ۱۲", "تهران"), "IRR", "مالیات بر ارزش افزوده",
        ("1200000", "450000", "148500", "1798500"), ("آرش", "نمونه", "کوچه آزمایش ۳", "شیراز", "71345", "IR"),
        ("گلدان سفالی طرح پروانه (Model P-7)", "چای می\u200cخوش ۵۰۰ گرمی"),
        "لطفاً پیش از ارسال با 021-555-0100 تماس بگیرید.",
    ),
    Shop(
        "urdu", "ur-PK", "نمونہ دکان", ("12 نمونہ سڑک", "لاہور"), "PKR", "سیلز ٹیکس",
        ("1850.00", "640.00", "448.20", "2938.20"), ("عائشہ", "نمونہ", "گلی 7، نمونہ ٹاؤن", "کراچی", "74000", "PK"),
        ("لکڑی کا کھلونا ٹرین (SKU-17/B)", "بچوں کے لیے گڑیا، بڑی"), "ڈیلیوری سے پہلے +92 21 5550 0100 پر فون کریں۔",
    ),
    Shop(
        "hebrew", "he-IL", "חנות הדוגמה", ("רחוב הדקל 7", "תל אביב"), "ILS", "מע״מ",
        ("89.90", "45.00", "22.93", "157.83"), ("דנה", "לדוגמה", "רחוב הדוגמה 3", "חיפה", "3100001", "IL"),
        ("כוס קרמיקה SKU-17/B", "מגבת כותנה 50×100 ס״מ"), "נא לצלצל 04-555-0100 לפני המסירה.",
    ),
    Shop(
        "hindi", "hi-IN", "नमूना भंडार", ("12 उदाहरण मार्ग", "नई दिल्ली 110001"), "INR", "जीएसटी",
        ("1299.00", "450.00", "314.82", "2063.82"), ("आशा", "उदाहरण", "5 नमूना गली", "जयपुर", "302001", "IN"),
        ("हस्तनिर्मित मिट्टी का दीया (6 का सेट)", "सूती कुर्ता, नीला"), "कृपया शाम को भेजें।",
    ),
    Shop(
        "thai", "th-TH", "ร้านตัวอย่าง", ("99/1 ถนนตัวอย่าง", "กรุงเทพมหานคร 10110"), "THB", "ภาษีมูลค่าเพิ่ม",
        ("590.00", "120.00", "49.70", "759.70"), ("ตัวอย่าง", "ทดสอบ", "8 ซอยทดสอบ", "เชียงใหม่", "50000", "TH"),
        ("ชุดน้ำชาเซรามิกเพ้นท์ลายดอกบัวสีน้ำเงินสำหรับผู้ใหญ่ที่ชอบดื่มชาร้อนในตอนเช้า", "ผ้าเช็ดมือ"), "กรุณาโทรก่อนส่ง",
    ),
    Shop(
        "japanese", "ja-JP", "見本商店", ("東京都千代田区見本町1-2-3",), "JPY", "消費税",
        ("3980", "1200", "518", "5698"), ("太郎", "見本", "見本町1丁目2-3 サンプルビル4階", "大阪市", "530-0001", "JP"),
        ("折りたたみ傘 ネイビー 60cm", "いすゞ織のハンカチ（佐々木様）"), "午前中にお届けください。",
    ),
    Shop(
        "korean", "ko-KR", "견본 상점", ("서울특별시 예시로 12",), "KRW", "부가가치세",
        ("18000", "9500", "2750", "30250"), ("길동", "견본", "예시로 12길 34", "부산광역시", "48000", "KR"),
        ("유기농 녹차 티백 50개입", "도자기 찻잔"), "부재 시 경비실에 맡겨 주세요.",
    ),
    Shop(
        "chinese", "zh-TW", "範例商店", ("臺北市範例路88號",), "TWD", "營業稅",
        ("1280.00", "350.00", "81.50", "1711.50"), ("小明", "範例", "示例路12號3樓", "臺中市", "400", "TW"),
        ("手工紫砂茶壺（禮盒裝）", "骨瓷茶杯，直徑 8 公分"), "請於週末送達。",
    ),
    Shop(
        "russian", "ru-RU", "Лавка «Образец»", ("ул. Примерная, 14", "Москва 101000"), "RUB", "НДС",
        ("1490.00", "320.00", "362.00", "2172.00"), ("Анна", "Примерова", "ул. Пробная, 5", "Казань", "420000", "RU"),
        ("Чайник керамический, 1 л", "Съедобный жемчуг"), "Позвоните, пожалуйста, за час.",
    ),
    Shop(
        "greek", "el-GR", "Κατάστημα Δείγμα", ("Οδός Ελαίας 14", "105 57 Αθήνα"), "EUR", "ΦΠΑ",
        ("24.90", "7.50", "7.78", "40.18"), ("Ελένη", "Δείγμα", "Οδός Δοκιμής 5", "Θεσσαλονίκη", "546 22", "GR"),
        ("Ελληνικό ελαιόλαδο 1 λ", "Σαπούνι ελιάς"), "Παρακαλώ χτυπήστε δύο φορές.",
    ),
)  # fmt: skip


def order_of(shop: Shop) -> dict[str, Any]:
    """The order as WooCommerce would send it, with what an invoice needs."""
    first, second, tax, total = shop.prices
    first_name, last_name, street, city, postcode, country = shop.buyer
    person = {"first_name": first_name, "last_name": last_name, "address_1": street, "city": city}
    return {
        "id": 7301,
        "number": "7301",
        "status": "completed",
        "currency": shop.currency,
        "date_created": "2024-03-05T10:20:30",
        "billing": {**person, "postcode": postcode, "country": country, "email": "buyer@example.com"},
        "shipping": {},
        "customer_note": shop.note,
        "line_items": [
            {"id": number, "name": name, "quantity": 1, "subtotal": price, "total": price, "sku": f"A-{number}00"}
            for number, (name, price) in enumerate(zip(shop.things, (first, second), strict=True), 1)
        ],
        "tax_lines": [{"rate_id": 1, "label": shop.tax, "tax_total": tax}],
        "total_tax": tax,
        "total": total,
    }
