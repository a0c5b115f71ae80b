"""Documents are set in the fonts we declare, whatever else is installed."""

import os
import re
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest
from pypdf import PdfReader
from shop_orders import line, order, rendered

from app.cli.checkup import machine
from app.documents import fonts
from app.documents.contract import DocumentType, StoreSettings
from app.documents.render import render_document
from app.documents.trial import sample_request


def named_in_configuration() -> set[str]:
    root = ElementTree.parse(fonts.CONFIGURATION).getroot()
    named = {text.text for edit in root.iter("edit") if edit.get("name") == "family" for text in edit.iter("string")}
    return {name for name in named if name}


def fonts_of(pdf: bytes) -> set[str]:
    import io

    names = set()
    for page in PdfReader(io.BytesIO(pdf)).pages:
        for font in page["/Resources"]["/Font"].values():
            names.add(font.get_object()["/BaseFont"].partition("+")[2])
    return names


def test_check_knows_every_family_of_the_configuration():
    assert named_in_configuration() == set(fonts.FILES)
    assert fonts.missing_families() == ()


def test_the_document_that_hosts_are_compared_by_has_every_file_of_our_fonts():
    store = StoreSettings("Checkup", machine.SCRIPTS, "", "en", "UTC", "A4")

    document = render_document(sample_request(DocumentType.INVOICE, store))

    files = {fonts.FILES.get(name.replace("-", " ")) for name in fonts_of(document.pdf)}
    # those of Chinese characters are one file
    assert set(fonts.FILES.values()) <= files


def test_missing_family_is_named(monkeypatch):
    monkeypatch.setitem(fonts.FILES, "Noto Sans Thai", Path("/nowhere/NotoSansThai-Regular.ttf"))

    assert fonts.missing_families() == ("Noto Sans Thai",)


SCRIPTS = {
    "Tiếng Việt Ελληνικά Кириллица": "Noto-Sans",
    "مرحبا": "Noto-Sans-Arabic",
    "שלום": "Noto-Sans-Hebrew",
    "नमस्ते": "Noto-Sans-Devanagari",
    "สวัสดี": "Noto-Sans-Thai",
    "ສະບາຍດີ": "Noto-Sans-Lao",
    "你好": "Noto-Sans-CJK-SC",
    "🎁": "Noto-Color-Emoji",
}


def test_each_script_is_drawn_by_its_family():
    document = rendered(order(line_items=[line(text) for text in SCRIPTS]))

    assert fonts_of(document.pdf) == {"Noto-Sans-Bold", *SCRIPTS.values()}


@pytest.mark.parametrize(("country", "form"), [("JP", "JP"), ("TW", "TC")])
def test_chinese_characters_have_the_forms_of_the_customers_country(country, form):
    payload = order(line_items=[line("骨直")])
    payload["billing"] = {**payload["billing"], "country": country}

    assert f"Noto-Sans-CJK-{form}" in fonts_of(rendered(payload).pdf)


@pytest.mark.parametrize("name", ["Mug #1 * 0123456789", "قميص 42 قطعة 100%"])
def test_emoji_font_takes_no_digits(name):
    assert "Noto-Color-Emoji" not in fonts_of(rendered(order(line_items=[line(name)])).pdf)


def test_fonts_are_found_without_a_home(tmp_path):
    """An unprivileged user of a container has no cache folder that can be written."""
    script = (
        "import os; from app.documents import fonts; fonts.use_declared_fonts(); print(os.environ['XDG_CACHE_HOME'])"
    )
    printed = subprocess.run(
        [sys.executable, "-c", script],
        env={**os.environ, "HOME": "/proc/nowhere", "XDG_CACHE_HOME": "", "PYTHONPATH": ":".join(sys.path)},
        capture_output=True,
        text=True,
        check=True,
    ).stdout

    assert re.fullmatch(r".*/sheaf-fonts-\w+\n", printed)
    Path(printed.strip()).rmdir()
