# ruff: noqa: E501  one row is one person, and reads best on one line
"""The invented customers of the sample orders. Phone numbers are from ranges kept for fiction."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Person:
    """A billing address; customer 0 is a guest."""

    first: str
    last: str
    street: str
    postcode: str
    city: str
    country: str
    customer: int = 0
    company: str = ""
    street_2: str = ""
    state: str = ""
    phone: str = ""
    mailbox: str = ""


PEOPLE = {
    "lena": Person("Lena", "Hofstätter", "Ahornweg 12", "10405", "Berlin", "DE", 11, phone="+49 30 23125 104", mailbox="lena.hofstaetter"),
    "jonas": Person("Jonas", "Brückner", "Am Mühlgraben 3", "04109", "Leipzig", "DE", 12, mailbox="jonas.brueckner"),
    "marie": Person("Marie-Luise", "Groß", "Gänsemarkt 41", "20354", "Hamburg", "DE", 13, phone="+49 40 66969 212", mailbox="ml.gross"),
    "atelier": Person("Tobias", "Wehrmann", "Lindenallee 8", "50968", "Köln", "DE", 14, "Atelier Wehrmann GmbH", "Hinterhaus, 2. OG", mailbox="einkauf"),
    "sophie": Person("Sophie", "Clairvaux", "18 rue des Tanneurs", "69005", "Lyon", "FR", 15, mailbox="sophie.clairvaux"),
    "emma": Person("Emma", "Thornbury", "27 Harbour Row", "BS1 4RN", "Bristol", "GB", 16, phone="+44 117 496 0142", mailbox="emma.thornbury"),
    "callum": Person("Callum", "Ferriby", "4 Kirk Wynd", "EH3 9AB", "Edinburgh", "GB", 17, mailbox="callum.ferriby"),
    "grace": Person("Grace", "Ashdown", "310 Alder Street, Apt 5", "98101", "Seattle", "US", 18, state="WA", phone="+1 206 555 0148", mailbox="grace.ashdown"),
    "daniel": Person("Daniel", "Marlowe", "1187 Juniper Ave", "90027", "Los Angeles", "US", 19, state="CA", phone="+1 323 555 0117", mailbox="dmarlowe"),
    "nora": Person("Nora", "Whitlock", "52 Perry Lane", "11215", "Brooklyn", "US", 20, "Whitlock & Daughters", state="NY", mailbox="hello"),
    "anna": Person("Anna", "Lindqvist", "Storgatan 14", "411 38", "Göteborg", "SE", 21, mailbox="anna.lindqvist"),
    "pieter": Person("Pieter", "van der Veld", "Keizerspad 77", "1015 CJ", "Amsterdam", "NL", 22, mailbox="pieter.vanderveld"),
    "katrin": Person("Katrin", "Öllinger", "Sonnfelsgasse 6/11", "1010", "Wien", "AT", 23, mailbox="k.oellinger"),
    "giulia": Person("Giulia", "Ferranti", "Via dei Tigli 9", "40124", "Bologna", "IT", 24, state="BO", mailbox="giulia.ferranti"),
    "reto": Person("Reto", "Zumstein", "Rosengartenstrasse 21", "8037", "Zürich", "CH", 25, mailbox="reto.zumstein"),
    "zofia": Person("Zofia", "Wróblewska-Żak", "ul. Źródlana 15/4", "31-131", "Kraków", "PL", 26, mailbox="zofia.wz"),
    "grzegorz": Person("Grzegorz", "Śliwiński", "ul. Dąbrówki 8", "60-166", "Poznań", "PL", mailbox="g.sliwinski"),
    "eleni": Person("Ελένη", "Παπαδάκη", "Οδός Ελαιών 24", "106 77", "Αθήνα", "GR", 27, mailbox="eleni.papadaki"),
    "ivan": Person("Ивайло", "Стоименов", "ул. Розова долина 5", "1421", "София", "BG", 28, mailbox="ivaylo"),
    "oksana": Person("Оксана", "Вербицька", "вул. Каштанова, 17, кв. 32", "79005", "Львів", "UA", 29, mailbox="oksana.v"),
    "layla": Person("ليلى", "الحداد", "شارع النخيل ٤٥، شقة ١٢", "", "دبي", "AE", 30, mailbox="layla"),
    "yousef": Person("يوسف", "المنصور", "قطعة ٣، شارع ١٠٤", "13001", "مدينة الكويت", "KW", mailbox="yousef.m"),
    "noa": Person("נועה", "בן־שחר", "רחוב האלון 12", "6688101", "תל אביב", "IL", 31, mailbox="noa"),
    "anika": Person("अनिका", "देशपांडे", "१४, नीलगिरी अपार्टमेंट, लिंक रोड", "411004", "पुणे", "IN", 32, state="MH", mailbox="anika.d"),
    "rohan": Person("Rohan", "Kulshreshtha", "B-27 Green Park Lane", "560034", "Bengaluru", "IN", 33, state="KA", mailbox="rohan.k"),
    "malee": Person("มาลี", "ศรีสุวรรณ", "88/9 ซอยดอกแก้ว ถนนสุขใจ", "10110", "กรุงเทพมหานคร", "TH", 34, mailbox="malee.s"),
    "haruka": Person("遥", "水野", "桜木町3丁目5-12 みどりハイツ201", "220-0012", "横浜市", "JP", 35, state="JP14", mailbox="haruka.mizuno"),
    "kenta": Person("健太", "小林", "北山通り8-4", "603-8053", "京都市", "JP", mailbox="kenta"),
    "minjun": Person("민준", "한", "은행나무길 27, 3층", "04524", "서울특별시", "KR", 36, mailbox="minjun.han"),
    "xiaolan": Person("晓岚", "林", "梧桐路128号5栋302室", "200031", "上海市", "CN", 37, state="CN-SH", mailbox="lin.xiaolan"),
    "camila": Person("Camila", "Ibáñez Rojas", "Pasaje Los Aromos 350", "7500000", "Santiago", "CL", 38, state="CL-RM", mailbox="camila.ibanez"),
    "joao": Person("João", "Figueiredo Antunes", "Rua das Acácias, 210", "04567-001", "São Paulo", "BR", 39, state="SP", mailbox="joao.antunes"),
    "ximena": Person("Ximena", "Peñaloza", "Calle Jacarandá 18, int. 4", "06140", "Ciudad de México", "MX", 40, state="DF", mailbox="ximena.p"),
    "lucia": Person("Lucía", "Montenegro Vidal", "Carrer del Pi 33, 2º B", "08002", "Barcelona", "ES", 41, state="B", mailbox="lucia.mv"),
    "hannah": Person("Hannah", "Whitmore", "15 Banksia Crescent", "3056", "Melbourne", "AU", 42, state="VIC", phone="+61 3 5550 0170", mailbox="hannah.w"),
    "tane": Person("Tāne", "Rangihuna", "9 Kōwhai Street", "6011", "Te Whanganui-a-Tara", "NZ", mailbox="tane"),
    "thandi": Person("Thandiwe", "Mokoena", "61 Protea Road", "8001", "Cape Town", "ZA", 43, state="WC", mailbox="thandi"),
    "ines": Person("Inès", "Beaulieu", "4420, rue des Érables", "H2J 2L6", "Montréal", "CA", 44, state="QC", mailbox="ines.beaulieu"),
    "owen": Person("Owen", "Prentiss", "780 Cedar Crescent", "V6B 1A1", "Vancouver", "CA", 45, state="BC", phone="+1 604 555 0133", mailbox="owen.prentiss"),
    "mette": Person("Mette", "Sørensen-Kjær", "Ærøgade 5, 1. tv.", "8000", "Aarhus C", "DK", 46, mailbox="mette"),
    "sigrid": Person("Sigrid", "Bråthen", "Fjellveien 30", "5003", "Bergen", "NO", mailbox="sigrid.braathen"),
    "tomas": Person("Tomáš", "Hřebíček", "Růžová 11", "110 00", "Praha 1", "CZ", 47, mailbox="tomas.hrebicek"),
    "dora": Person("Dóra", "Szőllősi", "Hársfa utca 22.", "1074", "Budapest", "HU", 48, mailbox="dora.szollosi"),
    "elif": Person("Elif", "Yıldırımoğlu", "Çınar Sokağı No: 7, İç Kapı 4", "34357", "İstanbul", "TR", 49, mailbox="elif"),
    "linh": Person("Linh", "Nguyễn Thị Ngọc", "36 Phố Hàng Sen", "100000", "Hà Nội", "VN", 50, mailbox="linh.ntn"),
    "adaeze": Person("Adaeze", "Okonjo-Bello", "14 Palm Close, Ikoyi", "", "Lagos", "NG", 51, state="LA", mailbox="adaeze"),
    "dilani": Person("Dilani", "Wickramanayake", "27/3 Temple Trees Lane", "00500", "Colombo", "LK", 54, mailbox="dilani.w"),
    "saoirse": Person("Saoirse", "Ní Dhonnchadha", "3 Cúirt na Mara", "H91 X2Y3", "Gaillimh", "IE", 52, mailbox="saoirse"),
    "baron": Person(
        "Maximilian-Konstantin Friedrich", "Freiherr von und zu Hohenstein-Oberwaldkirchen",
        "An der alten Schlossgärtnerei hinter der Streuobstwiese 117a", "83233", "Bernau am Chiemsee", "DE", 53,
        "Hohenstein’sche Forst-, Garten- und Gutsverwaltungsgesellschaft mbH & Co. KG", "Eingang Nordflügel, bei Verwalter Nussbaumer klingeln",
        mailbox="gutsverwaltung.schlossgaertnerei.hohenstein-oberwaldkirchen",
    ),
    "pixel": Person("Robin 🦊", "Sommer", "Werkstraße 9", "70174", "Stuttgart", "DE", mailbox="robin.sommer"),
}  # fmt: skip
