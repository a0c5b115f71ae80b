"""Where and why an upload stops being JSON, in words for the person who sent it."""

from json import JSONDecodeError
from typing import Final

from app.orders.text import cleaned

_OPENINGS: Final = {
    '"': "a text",
    "n": "null",
    "t": "true",
    "f": "false",
    "<": "markup (an HTML page?)",
    ",": "a comma",
    "]": "a closing ]",
    "}": "a closing }",
}
_SYNTAX: Final = {
    "Expecting ',' delimiter": 'a comma or a closing bracket is missing here (is a " inside a text not escaped?)',
    "Expecting ':' delimiter": "a colon is missing after the key",
    "Expecting property name enclosed in double quotes": "a key in double quotes is missing here",
    "Expecting value": "a value is missing here",
    "Invalid control character at": "a line break or control character inside a text is not escaped",
    "Invalid \\escape": "a backslash that escapes nothing",
    "Invalid \\uXXXX escape": "a \\u that four hexadecimal digits do not follow",
    "Unterminated string starting at": "the text that begins here never ends",
}


class BrokenUpload(Exception):
    """The upload stops being JSON here: `line` and `column` count from 1, in characters."""

    def __init__(self, reason: str, line: int, column: int) -> None:
        super().__init__(f"line {line}, column {column}: {reason}")
        self.reason = reason
        self.line = line
        self.column = column


def opening(text: str, at: int) -> str:
    """What stands where an order or a list of orders should begin."""
    char = text[at]
    if char in "-0123456789":
        found = "a number"
    elif char in _OPENINGS:
        found = _OPENINGS[char]
    else:
        sample = cleaned(text[at : at + 30].split("\n", 1)[0])
        found = f"“{sample}”" if sample else "a control character"
    return f"expected an order or a list of orders, found {found}"


def syntax(error: JSONDecodeError, start: int) -> tuple[str, int]:
    """Reason and position of a decoder's error in a value that begins at `start`.

    A comma before a closing bracket is reported at the comma, whatever Python's version says.
    """
    closing = error.doc[error.pos : error.pos + 1]
    before = len(error.doc[start : error.pos].rstrip()) - 1 + start
    if closing and closing in "]}" and error.doc[before : before + 1] == ",":
        return trailing_comma(closing), before
    if error.msg.startswith("Illegal trailing comma"):
        return trailing_comma("]" if "array" in error.msg else "}"), error.pos
    return _SYNTAX.get(error.msg, error.msg), error.pos


def trailing_comma(closing: str) -> str:
    """The sentence for a comma that nothing follows."""
    return f"a comma stands before the closing {closing}"


def after_member(char: str) -> str:
    """What is wrong when neither a comma nor the end follows a member."""
    return _SYNTAX["Expecting ',' delimiter"] if char else ends_early()


def ends_early() -> str:
    """The sentence for a truncated upload."""
    return "the upload ends before it is complete"


def stands_twice(key: str) -> str:
    """The warning for a key that one object has more than once."""
    return f"the key {key[:60]!a} stands twice in one object; its last value counts"
