"""The text of an upload, as much of it as is needed: from bytes in, to decoded values out.

The methods that may need more text are generators that stop with a bare `yield`; whoever drives
them adds a chunk and goes on. Positions are valid between two stops only.
"""

import codecs
import re
from collections.abc import Generator
from json import JSONDecodeError
from typing import Final

from app.orders import broken
from app.orders.broken import BrokenUpload
from app.orders.payload import Decoder, NotANumber

_SPACE: Final = re.compile(r"[ \t\r\n]*")
_CONSTANT: Final = re.compile(r'"(?:[^"\\]|\\.)*"|(NaN|-?Infinity)', re.DOTALL)
# What is left of `true`, `null`, `1.5e3`, `\u00e9` when the upload ends within.
_CUT: Final = re.compile(r"\s*|tr?u?|fa?l?s?|nu?l?|[.eE+-]+|\\?u?[0-9a-fA-F]{0,3}")
# The longest token that the end of a chunk may cut without the decoder saying so: an escaped pair.
_LONGEST_CUT: Final = 16
# A number that ends here may go on: `1` `.5`, `1` `e+3`.
_NUMBER_CUT: Final = 2
_MARK_BYTES: Final = 4
_WIDE: Final = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE, b"[\0", b"{\0", b"\0[", b"\0{", b"\0\0")
_BYTES_PER_CHARACTER: Final = 4


class Buffer:
    """Characters that have arrived and are not yet read. `at` is the reading position."""

    def __init__(self, max_value_bytes: int) -> None:
        self.text = ""
        self.at = 0
        self.keep: int | None = None
        """Text from here on stays although it is read: someone looks ahead."""
        self.decoder = Decoder()
        self._max_value_bytes = max_value_bytes
        self._utf8 = codecs.getincrementaldecoder("utf-8")()
        self._head: bytes | None = b""
        self._chunks: list[str] = []
        self._arrived = 0
        self._wanted = 1
        self._final = False
        self._poison = ""
        # Line and column of the character at `_mark`, up to which line breaks are counted.
        self._mark, self._line, self._column = 0, 1, 1

    def add(self, data: bytes) -> None:
        """Take bytes in; raises `BrokenUpload` if they are not UTF-8 from the start."""
        if self._head is not None:
            self._head += data
            if len(self._head) < _MARK_BYTES:
                return
            data = self._without_mark()
        self._decode_bytes(data, final=False)

    def end(self) -> None:
        """No more bytes will come."""
        self._decode_bytes(b"" if self._head is None else self._without_mark(), final=True)
        self._final = not self._poison

    def is_worth_reading(self) -> bool:
        """Enough has arrived to go on: as much again as was there when a value was cut."""
        return self._arrived >= self._wanted or self._final or bool(self._poison)

    def refill(self) -> None:
        """Drop what was read and append what has arrived."""
        kept = self.at if self.keep is None else self.keep
        self.place(kept)
        self.text = self.text[kept:] + "".join(self._chunks)
        self.at -= kept
        self._mark = 0
        self.keep = None if self.keep is None else 0
        self._chunks.clear()
        self._arrived = 0
        self._wanted = 1

    def raise_poison(self) -> None:
        """Raise if the text cannot go on, now that all before the bad byte is read."""
        if self._poison:
            raise self.broken(self._poison, len(self.text))

    def place(self, position: int) -> tuple[int, int]:
        """Line and column of a position that is not before an earlier one."""
        breaks = self.text.count("\n", self._mark, position)
        if breaks:
            self._line += breaks
            self._column = position - self.text.rindex("\n", self._mark, position)
        else:
            self._column += position - self._mark
        self._mark = position
        return self._line, self._column

    def broken(self, reason: str, position: int) -> BrokenUpload:
        """The error to raise for what stands at a position."""
        return BrokenUpload(reason, *self.place(position))

    def peek(self) -> Generator[None, None, str]:
        """The next character that is not white space, or "" at the end of the upload."""
        while True:
            space = _SPACE.match(self.text, self.at)
            self.at = space.end() if space else self.at
            if self.at < len(self.text):
                return self.text[self.at]
            if self._final:
                return ""
            yield

    def value(self) -> Generator[None, None, object]:
        """Decode the value that comes next and step behind it."""
        yield from self.peek()
        while True:
            decoded = self._decode()
            self.check_size(self.at, len(self.text) if decoded is None else decoded[1])
            if decoded is not None:
                value, self.at = decoded
                return value
            self._wanted = max(1, len(self.text) - self.at)
            yield

    def check_size(self, start: int, end: int) -> None:
        """Raise if the text between two positions is larger than one value may be."""
        most = self._max_value_bytes
        if (end - start) * _BYTES_PER_CHARACTER <= most:
            return
        if end - start > most or len(self.text[start:end].encode()) > most:
            raise self.broken(f"the value that begins here is larger than {most} bytes", start)

    def _without_mark(self) -> bytes:
        head, self._head = self._head or b"", None
        if head.startswith(_WIDE):
            raise BrokenUpload("the text is UTF-16 or UTF-32; save it as UTF-8", 1, 1)
        return head.removeprefix(codecs.BOM_UTF8)

    def _decode_bytes(self, data: bytes, *, final: bool) -> None:
        if self._poison:
            return
        try:
            text = self._utf8.decode(data, final)
        except UnicodeDecodeError as error:
            text = error.object[: error.start].decode()
            self._poison = f"the byte 0x{error.object[error.start]:02x} is not UTF-8"
        if "\0" in text:
            text = text[: text.index("\0")]
            self._poison = "a NUL character"
        self._chunks.append(text)
        self._arrived += len(text)

    def _decode(self) -> tuple[object, int] | None:
        """The value at hand and the position behind it; None if it is cut."""
        try:
            value, end = self.decoder.raw_decode(self.text, self.at)
        except JSONDecodeError as error:
            if not self._is_cut(error):
                raise self.broken(*broken.syntax(error, self.at)) from None
            if self._final:
                raise self.broken(broken.ends_early(), len(self.text)) from None
            return None
        except NotANumber as error:
            raise self.broken(f"{error} is not a number in JSON", self._constant()) from None
        except RecursionError:
            raise self.broken("the value that begins here is nested too deep", self.at) from None
        is_number = self.text[end - 1] in "0123456789"
        if is_number and len(self.text) - end <= _NUMBER_CUT and not self._final:
            return None
        return value, end

    def _is_cut(self, error: JSONDecodeError) -> bool:
        if error.msg.startswith("Unterminated string"):
            return True
        rest = self.text[error.pos : error.pos + _LONGEST_CUT + 1]
        return len(rest) <= _LONGEST_CUT and (not self._final or _CUT.fullmatch(rest) is not None)

    def _constant(self) -> int:
        for found in _CONSTANT.finditer(self.text, self.at):
            if found[1]:
                return found.start()
        return self.at
