"""Shop texts as plain text: entities decoded once, WooCommerce's own markup taken off, nothing unprintable.

WordPress stores what people type with `&`, quotes and dashes as entities. Whoever prints must
decode them exactly once: `AT&amp;amp;T` reads `AT&amp;T`.
"""

import html
import re
from typing import Final

# Only what ends in a semicolon is an entity; `?a=1&copy=2` is an address.
_ENTITY: Final = re.compile(r"&(?:#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});")
# No font has them, XML and PostgreSQL refuse some of them. Tab and line feed stay. Those from 202A to 202E turn the
# letters behind them around, so that a reader sees another text than the one that is stored.
_UNPRINTABLE: Final = re.compile(
    r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u202a-\u202e\u206a-\u206f\ufff9-\ufffb\ufffe\uffff]"
)
_HALF_PAIR: Final = re.compile(r"[\ud800-\udfff]")
_LINE_BREAK: Final = re.compile(r"\r\n?|\u2028|\u2029")
# The tags that WooCommerce puts around an attribute's value; any other `<` is the customer's.
_BREAKING_TAG: Final = re.compile(r"<(?:br\s*/?|/p|/div|/li)\s*>\s*", re.IGNORECASE)
_INLINE_TAG: Final = re.compile(
    r"</?(?:p|div|ul|ol|li|span|strong|b|em|i|small|a)(?:\s[^<>]*)?>|</?(?:bdi|del|ins)>", re.IGNORECASE
)


def plain(text: str) -> str:
    """A text as the shop's people see it, on one or more lines, trimmed."""
    if "&" in text:
        text = _ENTITY.sub(lambda found: html.unescape(found[0]), text)
    if text.isascii() and text.isprintable():
        return text.strip()
    return cleaned(text)


def cleaned(text: str) -> str:
    """A text as it stands, without what no printer and no database takes; trimmed."""
    text = _LINE_BREAK.sub("\n", text)
    text = _HALF_PAIR.sub("\ufffd", text)
    return _UNPRINTABLE.sub("", text).strip()


def plain_markup(text: str) -> str:
    """An attribute's display value: `<p>…</p>`, `<br />`, `<strong>` and `<a>` become text."""
    if "<" in text:
        text = _INLINE_TAG.sub("", _BREAKING_TAG.sub("\n", text))
    return plain(text)
