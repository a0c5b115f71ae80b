"""The invented shop behind the sample orders: its tax rates, currencies and goods."""

from dataclasses import dataclass, field
from decimal import Decimal


@dataclass(frozen=True)
class Rate:
    """One tax rate; a compound one is charged on the price with the other taxes in it."""

    id: int
    code: str
    label: str
    percent: Decimal
    compound: bool = False


@dataclass(frozen=True)
class Item:
    """One product line: the price of one piece, as the customer saw it in the shop."""

    name: str
    price: str
    quantity: int = 1
    sku: str | None = ""
    rates: tuple[str, ...] | None = None
    """Keys of `RATES` if they differ from the order's."""
    meta: dict[str, str] = field(default_factory=dict)
    is_deleted: bool = False


def _rate(number: int, code: str, label: str, percent: str, *, compound: bool = False) -> Rate:
    return Rate(number, code, label, Decimal(percent), compound)


RATES = {
    "de19": _rate(1, "DE-MWST-19", "MwSt. 19 %", "19"),
    "de7": _rate(2, "DE-MWST-7", "MwSt. 7 %", "7"),
    "at20": _rate(3, "AT-UST-20", "USt. 20 %", "20"),
    "fr20": _rate(4, "FR-TVA-20", "TVA 20 %", "20"),
    "fr5": _rate(5, "FR-TVA-5.5", "TVA 5,5 %", "5.5"),
    "it22": _rate(6, "IT-IVA-22", "IVA 22%", "22"),
    "es21": _rate(7, "ES-IVA-21", "IVA 21 %", "21"),
    "nl21": _rate(8, "NL-BTW-21", "Btw 21%", "21"),
    "pl23": _rate(9, "PL-VAT-23", "VAT 23%", "23"),
    "se25": _rate(10, "SE-MOMS-25", "Moms 25 %", "25"),
    "dk25": _rate(11, "DK-MOMS-25", "Moms 25 %", "25"),
    "no25": _rate(12, "NO-MVA-25", "MVA 25 %", "25"),
    "gb20": _rate(13, "GB-VAT-20", "VAT 20%", "20"),
    "ie23": _rate(14, "IE-VAT-23", "VAT 23%", "23"),
    "ch8": _rate(15, "CH-MWST-8.1", "MwSt. 8,1 %", "8.1"),
    "gr24": _rate(16, "GR-VAT-24", "ΦΠΑ 24%", "24"),
    "cz21": _rate(17, "CZ-DPH-21", "DPH 21 %", "21"),
    "hu27": _rate(18, "HU-AFA-27", "ÁFA 27%", "27"),
    "bg20": _rate(19, "BG-DDS-20", "ДДС 20%", "20"),
    "ua20": _rate(20, "UA-PDV-20", "ПДВ 20%", "20"),
    "tr20": _rate(21, "TR-KDV-20", "KDV %20", "20"),
    "us-ca": _rate(22, "US-CA-STATE", "CA State Tax", "6"),
    "us-la": _rate(23, "US-CA-COUNTY", "County Tax", "1.25"),
    "us-ny": _rate(24, "US-NY-STATE", "NY State Tax", "4"),
    "us-nyc": _rate(25, "US-NY-CITY", "NYC Tax", "4.875"),
    "us-wa": _rate(26, "US-WA-TAX", "WA Sales Tax", "10.25"),
    "ca-gst": _rate(27, "CA-GST", "GST", "5"),
    "ca-pst": _rate(28, "CA-BC-PST", "PST", "7"),
    "ca-qst": _rate(29, "CA-QC-QST", "TVQ", "9.975"),
    "in-cgst": _rate(30, "IN-CGST-9", "CGST", "9"),
    "in-sgst": _rate(31, "IN-SGST-9", "SGST", "9"),
    "in-igst": _rate(32, "IN-IGST-12", "IGST", "12"),
    "jp10": _rate(33, "JP-CT-10", "消費税 10%", "10"),
    "jp8": _rate(34, "JP-CT-8", "消費税 8%（軽減）", "8"),
    "kr10": _rate(35, "KR-VAT-10", "부가가치세 10%", "10"),
    "cn13": _rate(36, "CN-VAT-13", "增值税 13%", "13"),
    "th7": _rate(37, "TH-VAT-7", "ภาษีมูลค่าเพิ่ม 7%", "7"),
    "ae5": _rate(38, "AE-VAT-5", "ضريبة القيمة المضافة 5%", "5"),
    "il18": _rate(39, "IL-VAT-18", "מע״מ 18%", "18"),
    "au10": _rate(40, "AU-GST-10", "GST", "10"),
    "nz15": _rate(41, "NZ-GST-15", "GST", "15"),
    "za15": _rate(42, "ZA-VAT-15", "VAT", "15"),
    "cl19": _rate(43, "CL-IVA-19", "IVA 19 %", "19"),
    "mx16": _rate(44, "MX-IVA-16", "IVA 16 %", "16"),
    "vn8": _rate(45, "VN-VAT-8", "Thuế GTGT 8%", "8"),
    "it0": _rate(46, "IT-IVA-0", "IVA 0% (reverse charge)", "0"),
    "gb0": _rate(47, "GB-VAT-0", "VAT 0%", "0"),
    "lk-sscl": _rate(48, "LK-SSCL", "SSCL 2.5%", "2.5"),
    "lk-vat": _rate(49, "LK-VAT-18", "VAT 18%", "18", compound=True),
}

# Decimals and symbol that the shop shows for a currency; two where nothing is said.
DECIMALS = {"JPY": 0, "KRW": 0, "CLP": 0, "VND": 0, "HUF": 0, "KWD": 3}
SYMBOLS = {
    "AED": "د.إ", "AUD": "$", "BRL": "R$", "CAD": "$", "CHF": "CHF", "CLP": "$", "CNY": "¥",
    "CZK": "Kč", "DKK": "kr.", "EUR": "€", "GBP": "£", "HUF": "Ft", "ILS": "₪", "INR": "₹", "JPY": "¥",
    "KRW": "₩", "KWD": "د.ك", "LKR": "Rs", "MXN": "$", "NGN": "₦", "NOK": "kr", "NZD": "$", "PLN": "zł", "SEK": "kr",
    "THB": "฿", "TRY": "₺", "UAH": "₴", "USD": "$", "VND": "₫", "ZAR": "R",
}  # fmt: skip

# What the shop sells most; the tables of orders refer to it by the first word.
GOODS = {
    "mug": ("Stoneware mug, glazed", "CER-101", {"Glaze": "Sea green"}),
    "bowl": ("Breakfast bowl", "CER-114", {"Glaze": "Oat"}),
    "teapot": ("Cast teapot, 0.8 l", "CER-120", {}),
    "plate": ("Dinner plate, 27 cm", "CER-131", {"Glaze": "Slate"}),
    "vase": ("Bud vase", "CER-142", {}),
    "notebook": ("Notebook A5, dotted", "PAP-201", {"Cover": "Linen, rust"}),
    "planner": ("Weekly planner 2027", "PAP-215", {}),
    "cards": ("Letterpress cards, set of 8", "PAP-222", {}),
    "pen": ("Fountain pen, fine nib", "PAP-240", {"Ink": "Blue-black"}),
    "wrap": ("Wrapping paper, 3 sheets", "PAP-251", {}),
    "blanket": ("Lambswool blanket", "TEX-301", {"Colour": "Heather", "Size": "130 × 180 cm"}),
    "towel": ("Linen tea towel", "TEX-310", {"Colour": "Natural"}),
    "apron": ("Waxed apron", "TEX-318", {"Size": "One size"}),
    "socks": ("Merino socks", "TEX-326", {"Size": "39–42"}),
    "sencha": ("Sencha, loose leaf, 100 g", "TEA-401", {}),
    "assam": ("Assam, loose leaf, 250 g", "TEA-405", {}),
    "honey": ("Heather honey, 250 g", "TEA-420", {}),
    "candle": ("Beeswax candle, pair", "HOM-501", {}),
    "soap": ("Olive soap, bar", "HOM-510", {"Scent": "Rosemary"}),
    "lamp": ("Paper lamp shade", "HOM-530", {"Diameter": "45 cm"}),
    "print": ("Woodcut print, 30 × 40 cm", "ART-601", {}),
    "voucher": ("Gift voucher (PDF by e-mail)", "VOU-001", {}),
    "workshop": ("Online workshop: bind a book", "VOU-010", {}),
}


def item(key: str, price: str, quantity: int = 1, *rates: str, **meta: str) -> Item:
    """A line of one of the `GOODS`, at the price of the order's currency."""
    name, sku, attributes = GOODS[key]
    return Item(name, price, quantity, sku, rates or None, {**attributes, **meta})
