r"""The JSON text of one order: read without losing a digit, written so that equal content is equal text.

Numbers are `int` or `Decimal`, never `float`. The written form sorts the keys, has no white
space and is pure ASCII: `\u0000` and halves of surrogate pairs stay escapes, which any database
column and any file can hold.
"""

import hashlib
import json
from collections import Counter
from collections.abc import Mapping
from decimal import Decimal, InvalidOperation
from json.encoder import encode_basestring_ascii
from typing import Final

# Python refuses to read integers of more than 4300 digits, whoever asks it to.
_MOST_DIGITS: Final = 1000
# WooCommerce nests 5 levels, plugins a few more; the reader must never meet Python's own limit,
# which depends on who calls.
MAX_DEPTH: Final = 64


class NotANumber(ValueError):
    """`NaN` or `Infinity` stands where JSON wants a number."""


class NotStorable(ValueError):
    """The value is JSON, but nested deeper or with longer numbers than every later reader takes."""


class Decoder(json.JSONDecoder):
    """A JSON decoder that keeps digits and remembers which keys stood twice in one object.

    `duplicates` is filled while decoding; the caller empties it between values.
    """

    def __init__(self) -> None:
        self.duplicates: list[str] = []
        # Python's own types keep the scanner in C, which is twice as fast; they raise for some numbers.
        super().__init__(parse_float=Decimal, parse_constant=_refuse, object_pairs_hook=self._object)
        self._careful = json.JSONDecoder(
            parse_float=_decimal, parse_int=_integer, parse_constant=_refuse, object_pairs_hook=self._object
        )

    def raw_decode(self, s: str, idx: int = 0) -> tuple[object, int]:
        """The value that begins at `idx`, and the position behind it; raises like its parent."""
        try:
            return super().raw_decode(s, idx)
        except (json.JSONDecodeError, NotANumber):
            raise
        except (ValueError, InvalidOperation):
            return self._careful.raw_decode(s, idx)

    def _object(self, pairs: list[tuple[str, object]]) -> dict[str, object]:
        value = dict(pairs)
        if len(value) != len(pairs):
            counts = Counter(key for key, _ in pairs)
            self.duplicates += (key for key, count in counts.items() if count > 1)
        return value


def read_payload(text: str) -> dict[str, object]:
    """The object in a text that `write_payload` made."""
    value: dict[str, object] = Decoder().decode(text)
    return value


def read_payloads(text: str) -> list[dict[str, object]]:
    """The objects in a JSON list of such texts."""
    values: list[dict[str, object]] = Decoder().decode(text)
    return values


def write_payload(value: object) -> str:
    """Canonical text of a JSON value; raises `NotStorable`, and `TypeError` for what is not JSON."""
    return _write(value, MAX_DEPTH)


def content_hash(payload_text: str) -> str:
    """SHA-256 of a canonical text, in hexadecimal."""
    return hashlib.sha256(payload_text.encode("ascii")).hexdigest()


def _write(value: object, depth: int) -> str:
    if isinstance(value, str):
        return encode_basestring_ascii(value)
    if isinstance(value, bool):
        return "true" if value else "false"
    if value is None:
        return "null"
    if isinstance(value, int | Decimal):
        return _digits(value)
    if depth == 0:
        raise NotStorable(f"the order is nested deeper than {MAX_DEPTH} levels")
    if isinstance(value, Mapping):
        members = [f"{encode_basestring_ascii(key)}:{_write(value[key], depth - 1)}" for key in sorted(value)]
        return "{" + ",".join(members) + "}"
    if isinstance(value, list | tuple):
        return "[" + ",".join([_write(member, depth - 1) for member in value]) + "]"
    raise TypeError(f"{type(value).__name__} is not a JSON value")


def _digits(number: int | Decimal) -> str:
    if isinstance(number, Decimal) and len(number.as_tuple().digits) > _MOST_DIGITS:
        raise NotStorable(f"the order has a number of more than {_MOST_DIGITS} digits")
    return str(number)


def _decimal(digits: str) -> Decimal | str:
    # An exponent that no decimal can hold stays text: the field's reader then refuses it by name.
    try:
        return Decimal(digits)
    except InvalidOperation:
        return digits


def _integer(digits: str) -> int | Decimal:
    return int(digits) if len(digits) <= _MOST_DIGITS else Decimal(digits)


def _refuse(constant: str) -> object:
    raise NotANumber(constant)
