"""What no font has is told and spelled out, or fails the document: a box is never printed."""

from dataclasses import fields, is_dataclass, replace
from typing import Any
from unicodedata import category

import pytest
from fontTools.ttLib import TTCollection, TTFont
from glyphs import boxes_in, glyphs_of, lines_of
from shop_orders import BUYER, STORE, line, order, rendered, request_for

from app.documents import coverage, engine, fonts, money, preflight
from app.documents.contract import DocumentType, RenderedDocument, UnrenderableDocument
from app.documents.render import render_document
from app.documents.viewing import foresee, viewed
from app.domain.store_settings import MissingGlyphs, OwnTemplate

PRIVATE = "\ue000"
NEW = "\U0001fae9"
"""A face of Unicode 16, which our fonts do not have yet."""
STRICT = replace(STORE, missing_glyphs=MissingGlyphs.FAIL)
NAMES_OF_CLASSES = {"lang", "direction", "han", "created", "shape", "figures", "sum_figures"}


def odd() -> dict[str, object]:
    """An order with characters that no font has in a name, an address, a product and a note."""
    return order(
        billing={**BUYER, "last_name": f"Ex{PRIVATE}ample", "city": f"Town{NEW}"},
        line_items=[line(), line("Mug", total="0.00", sku=f"A{PRIVATE}")],
        customer_note=f"ok\nso {NEW}",
    )


def test_a_character_that_no_font_has_is_told_with_its_place_and_printed_as_its_code():
    document = rendered(odd())

    warning = document.warnings[-1]
    assert warning == (
        "No font has U+E000 (private use) in “Bill to”, line 2; U+1FAE9 (unnamed) in “Bill to”, “Note”: "
        "each is printed as its code, such as [U+E000]."
    )
    assert boxes_in(document.pdf) == []
    printed = "\n".join(lines_of(glyphs_of(document.pdf)))
    assert all(text in printed for text in ("Ex[U+E000]ample", "Town[U+1FAE9]", "SKU A[U+E000]", "so [U+1FAE9]"))
    assert document.facts.customer == f"Ada Ex{PRIVATE}ample"


def test_a_store_can_want_no_such_document_and_a_preview_tells_it():
    request = request_for(odd(), store=STRICT)

    document = render_document(request)

    assert document == foresee(request)
    assert document == UnrenderableDocument(
        "missing_glyphs",
        "No font has U+E000 (private use) in “Bill to”, line 2; U+1FAE9 (unnamed) in “Bill to”, “Note”",
    )
    assert isinstance(render_document(request_for(order(), store=STRICT)), RenderedDocument)


@pytest.mark.parametrize("text", [PRIVATE, "&#xe000;", "&#57344;"])
def test_a_template_of_the_stores_own_prints_no_box_either(text):
    own = OwnTemplate(
        DocumentType.INVOICE, f'{{% extends "frame/priced.html" %}}{{% block title %}}A{text}B{{% endblock %}}', ""
    )

    document = rendered(order(), store=STORE.with_template(own))
    refused = render_document(request_for(order(), store=STRICT.with_template(own)))

    assert document.warnings == (
        "No font has U+E000 (private use) in the store's own template: each is printed as its code, such as [U+E000].",
    )
    assert "A[U+E000]B" in lines_of(glyphs_of(document.pdf))
    assert boxes_in(document.pdf) == []
    assert refused == UnrenderableDocument(
        "missing_glyphs", "No font has U+E000 (private use) in the store's own template"
    )


def test_a_long_list_of_characters_is_cut_short():
    text = "".join(map(chr, range(0xE000, 0xE008)))

    warning = rendered(order(customer_note=text)).warnings[-1]

    assert warning.count("private use") == preflight.NAMED
    assert "; 3 more characters:" in warning


@pytest.mark.parametrize("kind", [DocumentType.INVOICE, DocumentType.PACKING_SLIP])
def test_every_text_of_a_view_is_looked_at(kind):
    """A field that somebody adds is looked at too, or stands among those that style sheets read."""
    found = viewed(
        request_for(
            order(customer_note="x", shipping=BUYER, line_items=[line(sku="s"), line(id=2)]), document_type=kind
        )
    )
    whole = replace(found.view, manifest=None, warnings=())
    codes = iter(range(0xE000, 0xF000))
    given: dict[str, str] = {}

    def marked(value: Any, name: str) -> Any:
        if isinstance(value, str) and name not in NAMES_OF_CLASSES:
            char = chr(next(codes))
            given[char] = name
            return f"{value}{char}"
        if isinstance(value, list | tuple):
            return [marked(one, name) for one in value]
        if isinstance(value, dict):
            return {key: marked(one, name) for key, one in value.items()}
        if is_dataclass(value):
            return replace(
                value, **{field.name: marked(getattr(value, field.name), field.name) for field in fields(value)}
            )
        return value

    missing = preflight.missing_in(marked(whole, ""))

    assert missing is not None
    assert {given[char] for char in given.keys() - missing.places.keys()} == set()


def test_a_currency_whose_sign_no_font_has_goes_by_its_code(monkeypatch):
    monkeypatch.setattr(money, "get_currency_symbol", lambda *_: "\u20c0")
    money._pattern.cache_clear()

    document = rendered(order(currency="KGS"))

    money._pattern.cache_clear()
    assert "KGS\N{NO-BREAK SPACE}12.00" in "".join(lines_of(glyphs_of(document.pdf)))


def test_what_draws_nothing_is_not_missing():
    text = "a\u00ad\u200b\u200d\u2066\u2069\ufe0f\u034f\U000e0067\U000e0100\u3000\u202f\u2009\tb\n"

    assert coverage.lacking(text) == frozenset()


def covered(first: int, last: int, step: int = 1) -> list[str]:
    """The characters of a range that our fonts are said to have."""
    chars = map(chr, range(first, last, step))
    return [char for char in chars if not coverage.lacking(char) and not char.isspace()]


def drawn(chars: list[str]) -> None:
    """Assert that WeasyPrint draws all of these, each behind a letter of another font and each on its own."""
    for begin in range(0, len(chars), 4000):
        part = chars[begin : begin + 4000]
        document = rendered(order(customer_note="\n".join(" ".join(part[i : i + 40]) for i in range(0, len(part), 40))))
        boxes = boxes_in(document.pdf)
        assert boxes == [], (hex(ord(part[0])), len(boxes))


def test_a_box_is_seen_in_a_pdf():
    """Without this, no test here would mean anything."""
    pdf = engine.print_pdf(f"<p>a{PRIVATE}b骨", folder="invoice", paper="A4", logo=None, identifier=b"1")

    assert [glyph.text for glyph in boxes_in(pdf)] == [PRIVATE]


def test_what_is_said_to_be_there_is_drawn():
    """A sample of every script: each 97th character of all that are not Chinese or Korean."""
    drawn(covered(0xA0, 0x3400, 97) + covered(0xA000, 0xAC00, 97) + covered(0xF900, 0x1FB00, 97))


def test_a_sign_that_is_drawn_behind_its_own_letters_only_is_spelled_out():
    document = rendered(order(customer_note="\u06dd \U000110cd"))

    assert "[U+06DD] [U+110CD]" in lines_of(glyphs_of(document.pdf))
    assert boxes_in(document.pdf) == []


def test_no_font_is_used_that_has_no_space():
    """A space among its letters would be a box."""
    assert coverage.lacking("\U00011fc0 ") == {"\U00011fc0"}


@pytest.mark.long
def test_all_that_is_said_to_be_there_is_drawn():
    """Of the tens of thousands of Chinese and Korean characters each seventh."""
    drawn(covered(0xA0, 0x3400) + covered(0x3400, 0xD800, 7) + covered(0xE000, 0x32000))


@pytest.mark.long
def test_what_is_said_to_be_there_is_what_the_tables_of_the_declared_fonts_say():
    """Fonts that only stand by may have more, never less."""
    told: set[int] = set()
    for path in set(fonts.FILES.values()):
        for font in TTCollection(path).fonts if path.suffix == ".ttc" else [TTFont(path)]:
            told |= set(font.getBestCmap())

    lacking = coverage.lacking("".join(chr(code) for code in told if not 0xD800 <= code < 0xE000))

    assert {category(char) for char in lacking} <= {"Cf"}
