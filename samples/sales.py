# ruff: noqa: E501  one row is one order, and reads best on one line
"""What was sold: one row per sample order, in the order of their ids. Prices are as shown in the shop."""

from dataclasses import dataclass, field

from catalogue import Item, item


@dataclass(frozen=True)
class Sale:
    """One order. `rates` are keys of the tax rates; `is_gross`: prices have the tax inside."""

    id: int
    when: str
    buyer: str
    currency: str
    rates: tuple[str, ...]
    items: tuple[Item, ...]
    shipping: tuple[str, str] | None = None
    """Method and price; None for what needs no shipping."""
    payment: str = "PayPal"
    status: str = "completed"
    is_gross: bool = True
    coupon: tuple[str, int] | None = None
    """Code and percent off."""
    fees: tuple[tuple[str, str], ...] = ()
    note: str = ""
    refunds: tuple[tuple[str, str], ...] = ()
    """Reason and amount; "all" is the whole total."""
    number: str = ""
    decimals: int | None = None
    """The shop's decimals if they are not the currency's."""
    ship_to: str = ""
    """Someone else who gets the parcel."""
    meta: dict[str, str] = field(default_factory=dict)


DHL = ("DHL Paket", "4.90")
ROYAL_MAIL = ("Royal Mail Tracked 48", "3.95")
AIR = ("International air parcel", "14.50")

YARNS = ("Highland wool", "Merino fine", "Alpaca blend", "Organic cotton", "Linen thread", "Silk mohair")
COLOURS = (
    "Natural", "Oat", "Moss", "Fern", "Heather", "Plum", "Rust", "Amber", "Brick", "Slate",
    "Ink", "Fog", "Rose", "Lichen", "Teal", "Midnight", "Straw", "Clay", "Peat", "Snow",
)  # fmt: skip
# A yarn shop's yearly order: six yarns in twenty colours, one line each.
SKEINS = tuple(
    Item(f"{yarn} – {colour}", f"{4 + row}.{(column * 7) % 10}0", 1 + (row + column) % 6, f"YRN-{row + 1}{column:02}")
    for row, yarn in enumerate(YARNS)
    for column, colour in enumerate(COLOURS)
)

SALES = (
    # The first twenty are a quiet autumn in an ordinary shop.
    Sale(7001, "2026-09-01T10:12:08", "lena", "EUR", ("de19",), (item("mug", "18.50", 2), item("sencha", "9.80", 1, "de7")), DHL),
    Sale(7004, "2026-09-02T15:47:31", "emma", "GBP", ("gb20",), (item("notebook", "14.00", 3), item("pen", "42.00")), ROYAL_MAIL, "Credit card"),
    Sale(7006, "2026-09-03T09:05:55", "jonas", "EUR", ("de19",), (item("teapot", "64.00"), item("assam", "12.40", 2, "de7")), DHL),
    Sale(7009, "2026-09-04T18:21:14", "grace", "USD", ("us-wa",), (item("blanket", "138.00"), item("candle", "19.50", 2)), ("USPS Priority", "12.00"), "Credit card", is_gross=False),
    Sale(7010, "2026-09-07T11:33:40", "sophie", "EUR", ("fr20",), (item("bowl", "22.00", 4), item("towel", "13.50", 2)), ("Colissimo", "7.90"), "Credit card"),
    Sale(7013, "2026-09-08T08:58:02", "marie", "EUR", ("de19",), (item("apron", "79.00", Size="M"), item("soap", "6.50", 3)), DHL, note="Bitte beim Nachbarn (Erdgeschoss) abgeben, falls niemand da ist."),
    Sale(7015, "2026-09-10T20:14:27", "callum", "GBP", ("gb20",), (item("planner", "24.00"), item("cards", "16.50", 2), item("wrap", "7.20")), ROYAL_MAIL),
    Sale(7018, "2026-09-11T13:02:49", "atelier", "EUR", ("de19",), (item("notebook", "14.90", 25), item("pen", "44.00", 5), item("cards", "17.50", 10)), ("Spedition", "19.00"), "Bank transfer", coupon=("atelier10", 10)),
    Sale(7021, "2026-09-14T16:40:18", "daniel", "USD", ("us-ca", "us-la"), (item("lamp", "92.00"), item("vase", "31.00", 2)), ("USPS Priority", "12.00"), "Credit card", is_gross=False),
    Sale(7022, "2026-09-15T07:29:36", "anna", "SEK", ("se25",), (item("plate", "289.00", 6),), ("PostNord", "79.00"), "Swish"),
    Sale(7025, "2026-09-17T12:11:05", "pieter", "EUR", ("nl21",), (item("print", "58.00"), item("candle", "17.00")), ("PostNL", "6.75"), "iDEAL"),
    Sale(7027, "2026-09-18T19:55:43", "katrin", "EUR", ("at20",), (item("mug", "18.50", 4, Glaze="Slate"), item("honey", "8.90", 2)), ("Post AG", "5.90"), "EPS"),
    Sale(7030, "2026-09-21T10:44:22", "giulia", "EUR", ("it22",), (item("blanket", "129.00", Colour="Fern"), item("socks", "16.00", 2)), ("Corriere espresso", "9.50")),
    Sale(7031, "2026-09-22T17:18:59", "nora", "USD", ("us-ny", "us-nyc"), (item("cards", "18.00", 12), item("wrap", "8.00", 10)), ("UPS Ground", "15.40"), "Credit card", is_gross=False, fees=(("Gift wrapping", "6.00"),)),
    Sale(7034, "2026-09-24T09:36:11", "reto", "CHF", ("ch8",), (item("teapot", "69.00"), item("bowl", "24.00", 2)), ("Post Economy", "7.00"), "TWINT"),
    Sale(7036, "2026-09-25T14:07:50", "zofia", "PLN", ("pl23",), (item("planner", "109.00"), item("pen", "189.00")), ("Paczkomat", "13.99"), "BLIK"),
    Sale(7039, "2026-09-28T11:20:33", "lena", "EUR", ("de19",), (item("plate", "26.00", 4), item("towel", "13.50", 2), item("soap", "6.50")), DHL, coupon=("danke5", 5)),
    Sale(7040, "2026-09-29T21:09:16", "hannah", "AUD", ("au10",), (item("vase", "48.00", 3), item("candle", "29.00", 2)), AIR, "Credit card"),
    Sale(7043, "2026-10-01T08:15:28", "emma", "GBP", ("gb20",), (item("blanket", "115.00"), item("honey", "7.50", 2, "gb0")), ROYAL_MAIL, "Credit card", refunds=(("One jar arrived broken", "7.50"),)),
    Sale(7045, "2026-10-02T13:52:04", "owen", "CAD", ("ca-gst", "ca-pst"), (item("lamp", "118.00"), item("print", "79.00")), AIR, "Credit card", is_gross=False),
    # From here on the world: scripts, currencies, and what goes wrong in a shop.
    Sale(7048, "2026-10-05T09:30:00", "haruka", "JPY", ("jp10",), (Item("文庫ノート（方眼）", "880", 3, "JP-NOTE"), Item("煎茶 100g", "1296", 2, "JP-TEA", ("jp8",)), Item("萩焼の湯呑み", "4200", 1, "JP-CUP", meta={"色": "白"})), ("ゆうパック", "810"), "クレジットカード"),
    Sale(7050, "2026-10-05T23:41:12", "minjun", "KRW", ("kr10",), (Item("도자기 머그컵", "24000", 2, "KR-MUG", meta={"색상": "바다색"}), Item("편지지 세트", "9500", 1, "KR-LET")), ("우체국 택배", "3500"), "카드 결제"),
    Sale(7053, "2026-10-06T12:00:45", "xiaolan", "CNY", ("cn13",), (Item("青瓷茶壶", "468.00", 1, "CN-POT"), Item("龙井茶 250克", "188.00", 2, "CN-TEA")), ("顺丰速运", "23.00"), "支付宝", note="请在工作日送货，谢谢！"),
    Sale(7054, "2026-10-07T15:26:38", "eleni", "EUR", ("gr24",), (Item("Κεραμική κούπα", "17.80", 2, "GR-MUG"), Item("Ελαιόλαδο εξαιρετικό παρθένο, 500 ml", "14.20", 1, "GR-OIL")), ("ΕΛΤΑ Courier", "4.50"), "Πιστωτική κάρτα"),
    Sale(7057, "2026-10-08T10:10:10", "ivan", "EUR", ("bg20",), (Item("Чаша от глина", "16.40", 3, "BG-CUP"), Item("Ленена покривка", "29.90", 1, "BG-LIN")), ("До офис на куриер", "3.20"), "Наложен платеж", fees=(("Такса наложен платеж", "1.20"),)),
    Sale(7059, "2026-10-09T18:45:59", "oksana", "UAH", ("ua20",), (Item("Вишивана скатертина", "1850.00", 1, "UA-TAB"), Item("Мед липовий, 0,5 л", "240.00", 2, "UA-HON")), ("Нова пошта", "90.00"), "Оплата карткою"),
    Sale(7062, "2026-10-12T07:07:07", "layla", "AED", ("ae5",), (Item("إبريق شاي من الخزف", "245.00", 1, "AE-POT", meta={"اللون": "أزرق"}), Item("بطاقات تهنئة (٨ قطع)", "65.00", 2, "AE-CRD")), ("توصيل سريع", "30.00"), "بطاقة ائتمان", note="الرجاء الاتصال قبل الحضور."),
    Sale(7063, "2026-10-13T16:31:20", "yousef", "KWD", (), (Item("بطانية صوف", "42.750", 1, "KW-BLK"), Item("شمعة عسل النحل", "5.125", 4, "KW-CND")), ("البريد السريع", "3.500"), "كي نت"),
    Sale(7066, "2026-10-14T11:48:03", "noa", "ILS", ("il18",), (Item("ספל קרמיקה", "89.00", 2, "IL-MUG"), Item("מחברת A5", "54.00", 1, "IL-NOT")), ("דואר שליחים", "29.00"), "כרטיס אשראי"),
    Sale(7068, "2026-10-15T09:12:57", "anika", "INR", ("in-cgst", "in-sgst"), (Item("हाथ से बना मिट्टी का कप", "649.00", 4, "IN-CUP"), Item("सूती मेज़पोश", "1299.00", 1, "IN-TAB")), ("स्पीड पोस्ट", "120.00"), "यूपीआई", is_gross=False),
    Sale(7070, "2026-10-15T22:05:41", "rohan", "INR", ("in-igst",), (item("notebook", "799.00", 10), item("pen", "3499.00")), ("Blue parcel, surface", "150.00"), "UPI", is_gross=False, coupon=("diwali15", 15)),
    Sale(7072, "2026-10-16T14:14:14", "malee", "THB", ("th7",), (Item("แก้วเซรามิกเคลือบสีเขียวทะเล", "590.00", 2, "TH-MUG"), Item("ผ้าลินินทอมือสำหรับปูโต๊ะอาหาร ขนาดใหญ่", "1450.00", 1, "TH-LIN")), ("ไปรษณีย์ไทย EMS", "60.00"), "พร้อมเพย์"),
    Sale(7075, "2026-10-19T10:59:00", "camila", "CLP", ("cl19",), (item("blanket", "119990"), item("socks", "14990", 2)), ("Despacho a domicilio", "4990"), "Webpay"),
    Sale(7077, "2026-10-19T19:23:15", "joao", "BRL", (), (item("teapot", "329.90"), item("mug", "89.90", 4)), ("SEDEX", "38.70"), "Pix", fees=(("Desconto Pix 5 %", "-34.48"),)),
    Sale(7078, "2026-10-20T08:40:26", "ximena", "MXN", ("mx16",), (item("print", "1190.00"), item("lamp", "1890.00")), ("Paquetería", "149.00"), "Tarjeta de crédito"),
    Sale(7081, "2026-10-21T13:13:13", "lucia", "EUR", ("es21",), (item("vase", "27.50", 2), item("honey", "8.90")), ("Correos Paq", "5.25"), "Bizum", status="refunded", refunds=(("Devolución completa: talla equivocada", "all"),)),
    Sale(7083, "2026-10-22T17:50:39", "tane", "NZD", ("nz15",), (item("blanket", "215.00", Colour="Moss"),), AIR, "Credit card"),
    Sale(7084, "2026-10-23T06:28:44", "thandi", "ZAR", ("za15",), (item("bowl", "395.00", 6), item("plate", "460.00", 6)), ("Door to door", "180.00"), "EFT"),
    Sale(7087, "2026-10-24T23:59:30", "ines", "CAD", ("ca-gst", "ca-qst"), (item("apron", "109.00"), item("towel", "19.00", 3)), AIR, "Carte de crédit", is_gross=False),
    # The night in which the clocks go back: 02:30 happens twice.
    Sale(7090, "2026-10-25T02:30:00", "mette", "DKK", ("dk25",), (item("candle", "129.00", 2), item("soap", "48.00", 4)), ("GLS Pakkeshop", "39.00"), "MobilePay"),
    Sale(7091, "2026-10-26T11:11:11", "sigrid", "NOK", ("no25",), (item("socks", "189.00", 3), item("blanket", "1490.00")), ("Bring", "99.00"), "Vipps"),
    Sale(7094, "2026-10-27T15:35:52", "tomas", "CZK", ("cz21",), (item("notebook", "349.00", 2), item("planner", "590.00")), ("Zásilkovna", "79.00"), "Kartou online"),
    Sale(7095, "2026-10-28T09:03:18", "dora", "HUF", ("hu27",), (item("mug", "6990", 2), item("assam", "4790")), ("GLS futár", "1490"), "Utánvét", fees=(("Utánvét díja", "490"),)),
    Sale(7098, "2026-10-29T20:20:20", "elif", "TRY", ("tr20",), (item("teapot", "2450.00"), item("bowl", "890.00", 2)), ("Kargo", "89.90"), "Kredi kartı", note="Lütfen ön kapıya bırakın; ığdır üzümü de olsun :)"),
    Sale(7099, "2026-10-30T04:44:04", "linh", "VND", ("vn8",), (Item("Ấm trà gốm tráng men", "1250000", 1, "VN-POT"), Item("Sổ tay bìa vải lanh", "285000", 2, "VN-NOT")), ("Giao hàng nhanh", "35000"), "Chuyển khoản"),
    Sale(7101, "2026-10-31T12:30:30", "adaeze", "NGN", (), (item("print", "68500.00"), item("candle", "14200.00", 3)), ("Courier, Lagos", "4500.00"), "Bank transfer", status="processing"),
    Sale(7102, "2026-11-01T13:20:00", "dilani", "LKR", ("lk-sscl", "lk-vat"), (item("assam", "3450.00", 2), item("teapot", "18900.00")), ("Courier, islandwide", "650.00"), "Credit card", is_gross=False),
    Sale(7103, "2026-11-02T10:00:00", "saoirse", "EUR", ("ie23",), (item("planner", "24.00", 2), item("wrap", "6.90", 4)), ("An Post", "6.50"), status="processing", coupon=("samhain20", 20)),
    Sale(7104, "2026-11-03T08:22:47", "grzegorz", "PLN", ("pl23",), (item("mug", "84.00", 6), item("plate", "119.00", 6), item("bowl", "99.00", 6)), ("Kurier", "19.90"), "Przelewy24", status="processing", note="Proszę o fakturę na firmę.\nGęślą jaźń – zażółć!"),
    Sale(7107, "2026-11-04T16:16:16", "baron", "EUR", ("de19",), (
        Item("Handgeschöpftes Büttenpapier mit eingelegten Wiesenblüten, naturweiß, ungeschnittener Rand, Bogenformat 50 × 70 cm, im Karton zu fünfundzwanzig Bogen", "87.50", 2, "PAP-BUETTEN-50X70-NATURWEISS-25ER-KARTON"),
        Item("Donaudampfschifffahrtsgesellschaftskapitänsmützenaufbewahrungsschachtel", "34.90", 1, "BOX-1"),
    ), DHL, "Rechnung", status="processing"),
    Sale(7108, "2026-11-05T11:42:08", "pixel", "EUR", ("de19",), (Item("Sticker-Bogen „Herbst“ 🍂🦔🍄", "3.90", 5, "STK-🍂"), Item("Postkarte 👩🏽‍🎨 Atelier", "1.50", 4, "")), ("Brief", "1.80"), note="Danke 💛 ihr seid die Besten!"),
    # A free order, and one without any parcel.
    Sale(7111, "2026-11-06T09:09:09", "lena", "EUR", ("de19",), (item("workshop", "45.00"),), None, "", coupon=("presse100", 100)),
    Sale(7112, "2026-11-07T18:37:25", "callum", "GBP", ("gb0",), (item("voucher", "50.00", 2),), None, "Credit card", note="A present for two people, please keep the amounts off the e-mail."),
    # What was sold is no longer in the catalogue.
    Sale(7115, "2026-11-09T10:26:50", "daniel", "USD", ("us-ca", "us-la"), (Item("Oak serving board (discontinued)", "56.00", 1, None, is_deleted=True), Item("", "12.00", 2, None, is_deleted=True)), ("USPS Priority", "12.00"), "Credit card", status="processing", is_gross=False),
    # Numbers from a plug-in, not the shop's ids.
    Sale(7117, "2026-11-10T14:55:35", "atelier", "EUR", ("de19",), (item("cards", "17.50", 40), item("wrap", "6.90", 30)), ("Spedition", "19.00"), "Rechnung", number="B2B-00017", status="processing", meta={"Kostenstelle": "4711 / Papeterie"}),
    Sale(7118, "2026-11-10T14:56:02", "jonas", "EUR", ("de19",), (item("sencha", "9.80", 3, "de7"),), DHL, number="2026/118"),
    Sale(7121, "2026-11-11T11:11:11", "pieter", "EUR", ("nl21",), (item("honey", "8.90", 6), item("assam", "12.40", 2)), ("PostNL", "6.75"), "iDEAL", ship_to="saoirse", note="Cadeau: graag zonder factuur in de doos."),
    # A shop that shows no decimals, whatever the currency has.
    Sale(7123, "2026-11-12T07:45:00", "hannah", "AUD", ("au10",), (item("blanket", "189"), item("lamp", "125")), ("Standard", "15"), "Credit card", decimals=0, status="processing"),
    Sale(7126, "2026-11-13T13:31:31", "nora", "USD", ("us-ny", "us-nyc"), SKEINS, ("Freight", "64.00"), "Bank transfer", is_gross=False, coupon=("wholesale25", 25), fees=(("Pallet", "18.00"),)),
    Sale(7127, "2026-11-14T20:02:18", "reto", "CHF", ("ch8",), (item("pen", "49.00", 2), item("planner", "27.00")), ("Post Priority", "9.00"), "TWINT", fees=(("Treuerabatt", "-10.00"), ("Geschenkverpackung", "4.50")), status="processing"),
    Sale(7130, "2026-11-16T09:17:42", "giulia", "EUR", ("it0",), (item("notebook", "12.52", 50),), ("Corriere espresso", "9.50"), "Bonifico bancario", is_gross=False, status="on-hold", note="Reverse charge, P.IVA comunicata per e-mail."),
    Sale(7132, "2026-11-17T12:48:29", "sophie", "EUR", ("fr20",), (item("sencha", "9.80", 4, "fr5"), item("teapot", "64.00"), item("mug", "18.50", 6)), ("Colissimo", "7.90"), "Credit card", refunds=(("Théière ébréchée", "64.00"), ("Geste commercial", "5.00"))),
    Sale(7135, "2026-11-18T17:26:13", "zofia", "PLN", ("pl23",), (item("lamp", "349.00"),), ("Paczkomat", "13.99"), "BLIK", status="cancelled"),
    Sale(7136, "2026-11-19T22:58:47", "kenta", "JPY", ("jp10",), (Item("木版画「秋の山」 30×40cm", "12800", 1, "JP-ART"), Item("絵はがき 8枚組", "1650", 2, "JP-CRD")), ("ヤマト運輸", "930"), "代金引換", status="pending", fees=(("代引手数料", "330"),)),
    Sale(7139, "2026-11-20T10:34:56", "marie", "EUR", ("de19",), (item("candle", "16.90", 6), item("wrap", "6.90", 5), item("cards", "17.50", 2)), DHL, status="pending", payment="Bank transfer"),
    Sale(7141, "2026-11-23T08:08:08", "grace", "USD", ("us-wa",), (item("planner", "26.00"),), ("USPS First Class", "6.00"), "Credit card", is_gross=False, status="failed"),
    Sale(7144, "2026-11-24T15:19:05", "anna", "SEK", ("se25",), (item("mug", "215.00", 8), item("teapot", "729.00"), item("sencha", "119.00", 3)), ("PostNord", "79.00"), "Swish", status="processing"),
    Sale(7145, "2026-11-25T19:40:33", "emma", "GBP", ("gb20",), (item("blanket", "115.00"), item("socks", "14.00", 2)), ROYAL_MAIL, "Credit card", status="processing", coupon=("blackfriday30", 30)),
    Sale(7148, "2026-11-27T06:59:59", "katrin", "EUR", ("at20",), (item("workshop", "45.00", 2),), None, "EPS", status="processing"),
    Sale(7150, "2026-11-28T23:30:00", "jonas", "EUR", ("de19",), (item("vase", "26.00", 3), item("print", "58.00")), DHL, status="processing"),
    Sale(7151, "2026-11-29T16:03:21", "lucia", "EUR", ("es21",), (item("bowl", "22.00"),), None, "", status="checkout-draft"),
)  # fmt: skip
