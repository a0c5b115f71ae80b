"""The printable attributes of an order or a line: "Size: XL", "Engraving: For Ada".

Shops keep much else in the same list: keys with a leading underscore are internal by
convention, and objects, JSON and serialised PHP are nobody's text.
"""

import re
from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Final

from app.orders.fields import Fields
from app.orders.model import Meta
from app.orders.text import plain, plain_markup

_MACHINE_TEXT: Final = re.compile(r'[aOsCbid]:\d+[:;]|\[?\{"|\{\}|\[\]')
# A global attribute "pa_size" is the taxonomy of "Size"; a variation's is "attribute_pa_size".
_TAXONOMY: Final = re.compile(r"^(?:attribute_)?pa_")


def read_meta(fields: Fields) -> tuple[Meta, ...]:
    """The attributes under `meta_data` (or `meta`, as the old API has it) that people can read."""
    _, entries = fields.find("meta_data", "meta")
    if not isinstance(entries, list | tuple):
        return ()
    found = (_read_entry(entry) for entry in entries if isinstance(entry, Mapping))
    return tuple(meta for meta in found if meta is not None)


def value_under(fields: Fields, keys: Sequence[str]) -> str:
    """The value of the first of these keys that has one, on one line; keys that people never see are looked at too."""
    _, entries = fields.find("meta_data", "meta")
    if not keys or not isinstance(entries, list | tuple):
        return ""
    # anything may stand for a key, lists too
    values = {str(entry.get("key")): entry.get("value") for entry in entries if isinstance(entry, Mapping)}
    found = (" ".join(plain(_shown(values.get(key))).split()) for key in keys)
    return next(filter(None, found), "")


def _read_entry(entry: Mapping[str, object]) -> Meta | None:
    key = entry.get("key")
    if not isinstance(key, str) or key.startswith("_"):
        return None
    label = _label(entry) or _spoken(key)
    shown = _shown(entry.get("display_value"))
    value = plain_markup(shown) if shown else plain(_shown(entry.get("value")))
    return Meta(label, value) if label and value else None


def _label(entry: Mapping[str, object]) -> str:
    for name in ("display_key", "label"):
        label = entry.get(name)
        if isinstance(label, str) and label:
            return _spoken(label) if _TAXONOMY.match(label) else plain_markup(label)
    return ""


def _spoken(key: str) -> str:
    """A raw key as a label; that of a taxonomy is a slug: `pa_thread-count` is "Thread count"."""
    slug = _TAXONOMY.sub("", key)
    if slug == key:
        return plain(key)
    return plain(slug.replace("-", " ").replace("_", " ").capitalize())


def _shown(value: object) -> str:
    match value:
        case bool():
            return "yes" if value else "no"
        case int() | Decimal():
            return str(value)
        case str():
            return "" if _MACHINE_TEXT.match(value) else value
        case list() | tuple():
            return ", ".join(filter(None, (_shown(member) for member in value if not isinstance(member, list | tuple))))
        case _:
            return ""
