"""Shop texts as plain text."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.orders.text import plain, plain_markup


@pytest.mark.parametrize(
    ("stored", "shown"),
    [
        ("Salt &amp; Pepper &ndash; 2&quot;", 'Salt & Pepper – 2"'),
        ("O&#8217;Hara &#x2014; caf&eacute;", "O’Hara — café"),
        ("AT&amp;amp;T", "AT&amp;T"),
        ("&lt;b&gt;", "<b>"),
        ("R&D & Co", "R&D & Co"),
        ("https://x.example/?a=1&copy=2&reg=3", "https://x.example/?a=1&copy=2&reg=3"),
        ("&nosuchthing;", "&nosuchthing;"),
        ("<b>bold</b> 1 < 2", "<b>bold</b> 1 < 2"),
        ("{{ 7*7 }}", "{{ 7*7 }}"),
        ("  two\r\nlines\rthree\u2028four ", "two\nlines\nthree\nfour"),
        ("tab\tstays", "tab\tstays"),
        ("nul\x00 bell\x07 half\ud83d &#0;", "nul bell half\ufffd \ufffd"),
        ("invoice\u202efdp.exe &#x202E;\u202a4\u202c", "invoicefdp.exe 4"),
        ("\u200fשלום\u200e", "\u200fשלום\u200e"),
        ("👩🏽‍🎨 ok", "👩🏽‍🎨 ok"),
    ],
)
def test_entities_are_decoded_once_and_all_else_is_literal(stored: str, shown: str) -> None:
    assert plain(stored) == shown


@pytest.mark.parametrize(
    ("stored", "shown"),
    [
        ("<p>Hello<br />World</p>\n", "Hello\nWorld"),
        ("<p>One</p>\n<p>Two</p>\n", "One\nTwo"),
        ('<strong class="x">Red</strong>, <span>XL</span>', "Red, XL"),
        ('<a href="https://x.example/f.pdf" rel="nofollow">f.pdf</a>', "f.pdf"),
        ("<p>Yes &amp; &lt;no&gt;</p>", "Yes & <no>"),
        ("<script>alert(1)</script>", "<script>alert(1)</script>"),
        ("<img src=x onerror=alert(1)>", "<img src=x onerror=alert(1)>"),
        ("a <3 b", "a <3 b"),
        ("<address>", "<address>"),
    ],
)
def test_only_the_shops_own_markup_is_taken_off(stored: str, shown: str) -> None:
    assert plain_markup(stored) == shown


@given(st.text(st.characters()))
def test_any_text_can_be_stored_and_printed(text: str) -> None:
    for shown in (plain(text), plain_markup(text)):
        shown.encode()
        assert not set(shown) & {"\0", "\r", "\x1b", "\u202e", "\ufffe", "\uffff"}
