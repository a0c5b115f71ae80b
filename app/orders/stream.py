"""An upload of orders read as it arrives, in the memory of its largest single order.

The grammar below is written as if the whole text were there: its generators give an `Entry`, or
`None` where they need more text. So the same code serves an async request body and a file.
"""

import re
from collections.abc import Generator, Iterator
from dataclasses import dataclass
from typing import Final

from app.orders import broken
from app.orders.broken import BrokenUpload
from app.orders.buffer import Buffer

__all__ = ["ENVELOPES", "REFUND_ENVELOPES", "BrokenUpload", "Entry", "UploadReader"]

REFUND_ENVELOPES: Final = frozenset({"order_refund", "order_refunds"})
ENVELOPES: Final = frozenset({"data", "orders", "order", "body"}) | REFUND_ENVELOPES
# An object that shows one of these first is an entry, whatever a plugin may keep in its `data`.
_ENTRY_KEYS: Final = frozenset({"id", "billing", "currency", "date_created", "line_items", "number", "order_key"})
# {"body": {"data": {"orders": […]}}} is as deep as they come.
_ENVELOPES_DEEP: Final = 3
_ID_COMES_FIRST: Final = re.compile(r'\{[ \t\r\n]*"id"[ \t\r\n]*:')
MAX_VALUE_BYTES: Final = 16 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class Entry:
    """One value that stands where an order should; `classify` tells what it is."""

    line: int
    """Where the value starts, from 1."""
    value: object
    envelope: str = ""
    """The key that held it ("orders", "order_refunds", …); empty if none did."""
    warnings: tuple[str, ...] = ()


_Entries = Generator[Entry | None, None, None]


class UploadReader:
    """Takes the bytes of an upload as they come and gives its entries.

    Accepts one object, a list, several of them one after another (NDJSON), and envelopes around
    them. `feed` and `finish` are lazy: consume what they return. Entries come before the
    `BrokenUpload` that ends them. `max_value_bytes` bounds one order, not the upload.
    """

    def __init__(self, max_value_bytes: int = MAX_VALUE_BYTES) -> None:
        self._buffer = Buffer(max_value_bytes)
        self._parser = self._upload()
        self._failure: BrokenUpload | None = None

    def feed(self, data: bytes) -> Iterator[Entry]:
        """The entries that these bytes complete; raises `BrokenUpload`."""
        self._buffer.add(data)
        if self._buffer.is_worth_reading():
            yield from self._run()

    def finish(self) -> Iterator[Entry]:
        """The entries that waited for the end; raises `BrokenUpload` if it came too early."""
        self._buffer.end()
        yield from self._run()

    def _run(self) -> Iterator[Entry]:
        if self._failure:
            raise self._failure
        self._buffer.refill()
        try:
            for step in self._parser:
                if step is None:
                    self._buffer.raise_poison()
                    return
                yield step
        except BrokenUpload as failure:
            self._failure = failure
            raise

    def _upload(self) -> _Entries:
        buffer = self._buffer
        is_empty = True
        while char := (yield from buffer.peek()):
            if char not in "[{":
                raise buffer.broken(broken.opening(buffer.text, buffer.at), buffer.at)
            is_empty = False
            yield from self._content("", _ENVELOPES_DEEP)
        if is_empty:
            raise buffer.broken("the upload is empty", buffer.at)

    def _content(self, envelope: str, depth: int) -> _Entries:
        if self._buffer.text[self._buffer.at] == "[":
            yield from self._list(envelope, depth)
        else:
            yield from self._entry(envelope, depth)

    def _list(self, envelope: str, depth: int) -> _Entries:
        buffer = self._buffer
        buffer.at += 1
        if (yield from buffer.peek()) == "]":
            buffer.at += 1
            return
        while True:
            yield from self._entry(envelope, depth)
            if (yield from self._closes("]")):
                return

    def _closes(self, closing: str) -> Generator[None, None, bool]:
        """Step over the closing bracket (true) or the comma before the next member (false)."""
        buffer = self._buffer
        char = yield from buffer.peek()
        if char not in (",", closing):
            raise buffer.broken(broken.after_member(char), buffer.at)
        place = buffer.place(buffer.at)
        buffer.at += 1
        if char == "," and (yield from buffer.peek()) == closing:
            raise BrokenUpload(broken.trailing_comma(closing), *place)
        return char == closing

    def _entry(self, envelope: str, depth: int) -> _Entries:
        buffer = self._buffer
        char = yield from buffer.peek()
        line, _ = buffer.place(buffer.at)
        if char == "{" and depth:
            key = yield from self._envelope_ahead()
            if key:
                yield from self._envelope(key, depth - 1)
                return
        duplicates = buffer.decoder.duplicates
        duplicates.clear()
        value = yield from buffer.value()
        yield Entry(line, value, envelope, tuple(map(broken.stands_twice, dict.fromkeys(duplicates))))

    def _envelope_ahead(self) -> Generator[None, None, str]:
        """The envelope key of the object at hand, with the position at its content; or "".

        Without one the position is where it was.
        """
        buffer = self._buffer
        if _ID_COMES_FIRST.match(buffer.text, buffer.at):
            return ""
        buffer.keep = buffer.at
        key = yield from self._find_envelope()
        if not key:
            buffer.at = buffer.keep
        buffer.keep = None
        return key

    def _find_envelope(self) -> Generator[None, None, str]:
        buffer = self._buffer
        seen: set[str] = set()
        opener = "{"
        while (yield from buffer.peek()) == opener:
            buffer.at += 1
            if (yield from buffer.peek()) != '"':
                return ""
            key = str((yield from buffer.value()))
            if key in _ENTRY_KEYS or (yield from buffer.peek()) != ":":
                return ""
            buffer.at += 1
            char = yield from buffer.peek()
            if key in ENVELOPES and char in ("[", "{"):
                # {"code": …, "message": …, "data": {…}} is a refusal, and worth quoting.
                return "" if char == "{" and "message" in seen else key
            yield from buffer.value()
            seen.add(key)
            buffer.check_size(buffer.keep or 0, buffer.at)
            opener = ","
        return ""

    def _envelope(self, key: str, depth: int) -> _Entries:
        buffer = self._buffer
        while True:
            char = yield from buffer.peek()
            if key in ENVELOPES and char in ("[", "{"):
                yield from self._content(key, depth)
            else:
                yield from buffer.value()
            if (yield from self._closes("}")):
                return
            key = yield from self._key()

    def _key(self) -> Generator[None, None, str]:
        buffer = self._buffer
        if (yield from buffer.peek()) != '"':
            raise buffer.broken("a key in double quotes is missing here", buffer.at)
        key = str((yield from buffer.value()))
        if (yield from buffer.peek()) != ":":
            raise buffer.broken("a colon is missing after the key", buffer.at)
        buffer.at += 1
        return key
