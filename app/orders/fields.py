"""One object of a payload, read field by field: what shops really send for a text, a number, a list.

PHP, proxies and form encoders turn numbers into texts, booleans into "1" and "", empty lists
into "" and lists with a gap into objects. All that is read around. Money that is not a number
and lines that are not lines are not: they raise `UnreadableOrder` with the path of the field.
"""

import re
from collections.abc import Mapping
from decimal import Decimal
from typing import Final

from app.orders.text import cleaned, plain

_NUMBER: Final = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]{1,3})?")
# What nearly all amounts look like, within the bounds below.
_PLAIN_AMOUNT: Final = re.compile(r"-?[0-9]{1,9}\.[0-9]{1,9}")
_WHOLE: Final = re.compile(r"-?[0-9]{1,19}")
_INT64: Final = 2**63
# PHP writes float noise as 4.440892098500626e-16; nothing that was ever paid has 18 digits.
_MOST_DIGITS_BEFORE_POINT: Final = 18
_MOST_DIGITS_AFTER_POINT: Final = 60
_TRUE: Final = frozenset({"1", "true", "yes", "on"})


class UnreadableOrder(Exception):
    """The order has a field that cannot be read; `path` names it, like `line_items[2].total`."""

    def __init__(self, code: str, reason: str, path: str) -> None:
        super().__init__(f"{path}: {reason}" if path else reason)
        self.code = code
        self.reason = reason
        self.path = path


class Fields:
    """The fields of one object. Each method takes the names a field goes by, in order of trust.

    The first that is there and neither null nor "" counts. Oddities are noted in `warnings`,
    which all parts of one order share.
    """

    __slots__ = ("_path", "_values", "warnings")

    def __init__(self, values: Mapping[str, object], path: str, warnings: list[str]) -> None:
        self._values = values
        self._path = path
        self.warnings = warnings

    def path(self, name: str) -> str:
        """The full name of a field, for people."""
        return f"{self._path}.{name}" if self._path else name

    def find(self, *names: str) -> tuple[str, object]:
        """Name and value of the first that says something; else the first name, and None."""
        for name in names:
            value = self._values.get(name)
            if value is not None and value != "":
                return name, value
        return names[0], None

    def text(self, *names: str) -> str:
        """A text with its entities decoded; numbers are taken as written, anything else is noted."""
        return plain(self._scalar(*names))

    def literal(self, *names: str) -> str:
        """A text that is shown as it is stored, entities and all."""
        return cleaned(self._scalar(*names))

    def money(self, *names: str) -> Decimal | None:
        """A number with its digits as stored, or None if there is none; raises `UnreadableOrder`."""
        name, value = self.find(*names)
        if isinstance(value, str):
            if _PLAIN_AMOUNT.fullmatch(value):
                return Decimal(value)
            value = value.strip()
            if not value:
                return None
            if len(value) > 2 * _MOST_DIGITS_AFTER_POINT or not _NUMBER.fullmatch(value):
                raise self.unreadable("number_invalid", f"“{cleaned(value[:40])}” is not a number", name)
            value = Decimal(value)
        if value is None or value is False:
            return None
        if value is True or not isinstance(value, int | Decimal):
            raise self.unreadable("number_invalid", f"{kind(value)} is not a number", name)
        number = Decimal(value)
        exponent = number.as_tuple().exponent
        if not isinstance(exponent, int) or exponent < -_MOST_DIGITS_AFTER_POINT:
            raise self.unreadable("number_invalid", "the number has too many digits", name)
        if number.adjusted() >= _MOST_DIGITS_BEFORE_POINT:
            raise self.unreadable("number_invalid", "the number is too large", name)
        return number

    def whole(self, *names: str) -> int | None:
        """A 64-bit whole number, or None for anything else."""
        return whole_number(self.find(*names)[1])

    def flag(self, *names: str) -> bool:
        """True for true, 1, "1", "yes", "true"; false for anything else."""
        _, value = self.find(*names)
        return str(value).strip().lower() in _TRUE

    def part(self, *names: str) -> "Fields":
        """An object in this one; an empty one if it is missing. PHP writes an empty one as []."""
        name, value = self.find(*names)
        if isinstance(value, Mapping):
            return Fields(value, self.path(name), self.warnings)
        if value is not None and value is not False and value != []:
            raise self.unreadable("order_unreadable", f"{kind(value)} stands where an object belongs", name)
        return Fields({}, self.path(name), self.warnings)

    def rows(self, *names: str) -> list["Fields"]:
        """The objects of a list in this one; null members are noted and left out."""
        name, value = self.find(*names)
        if isinstance(value, Mapping):
            # PHP writes a list with a gap as {"0": …, "2": …}.
            value = [value[key] for key in value if key.isdigit()] if any(map(str.isdigit, value)) else [value]
        if value is None or value is False:
            return []
        if not isinstance(value, list | tuple):
            raise self.unreadable("order_unreadable", f"{kind(value)} stands where a list belongs", name)
        return [row for index, member in enumerate(value) for row in self._row(f"{name}[{index}]", member)]

    def warn(self, sentence: str) -> None:
        """Note an oddity of the order, for its owner."""
        if sentence not in self.warnings:
            self.warnings.append(sentence)

    def unreadable(self, code: str, reason: str, name: str) -> UnreadableOrder:
        """The error to raise about one of these fields."""
        return UnreadableOrder(code, reason, self.path(name))

    def _row(self, name: str, member: object) -> list["Fields"]:
        if isinstance(member, Mapping):
            return [Fields(member, self.path(name), self.warnings)]
        if member is not None:
            raise self.unreadable("order_unreadable", f"{kind(member)} stands where an object belongs", name)
        self.warn(f"{self.path(name)} is null; it was left out.")
        return []

    def _scalar(self, *names: str) -> str:
        name, value = self.find(*names)
        if isinstance(value, str):
            return value
        if value is None or isinstance(value, bool):
            return ""
        if isinstance(value, int | Decimal):
            return str(value)
        self.warn(f"{self.path(name)} is {kind(value)}, not a text; it was left out.")
        return ""


def whole_number(value: object) -> int | None:
    """A value as a 64-bit whole number: an int, or a text of digits."""
    if isinstance(value, str) and _WHOLE.fullmatch(value.strip()):
        value = int(value)
    if isinstance(value, bool) or not isinstance(value, int):
        return None
    return value if -_INT64 <= value < _INT64 else None


def kind(value: object) -> str:
    """What a JSON value is, in words."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return "a text"
    if isinstance(value, int | Decimal):
        return "a number"
    if isinstance(value, Mapping):
        return "an object"
    return "null" if value is None else "a list"
