"""Where and why an upload that is no JSON is refused."""

from collections import deque
from collections.abc import Iterator

import pytest

from app.orders.stream import BrokenUpload, UploadReader


def read_until_broken(*pieces: bytes, limit: int = 1000) -> tuple[list[object], BrokenUpload]:
    """The values that came out, and the refusal that ended them."""
    reader = UploadReader(max_value_bytes=limit)
    values: list[object] = []
    try:
        for piece in pieces:
            values.extend(entry.value for entry in reader.feed(piece))
        values.extend(entry.value for entry in reader.finish())
    except BrokenUpload as error:
        return values, error
    pytest.fail("the upload was taken")


def refusal(data: bytes) -> tuple[str, int, int]:
    _, error = read_until_broken(data)
    return error.reason, error.line, error.column


@pytest.mark.parametrize(
    ("text", "reason", "line", "column"),
    [
        ("", "the upload is empty", 1, 1),
        (" \n ", "the upload is empty", 2, 2),
        ("null", "found null", 1, 1),
        ('\n "text"', "found a text", 2, 2),
        ("-7", "found a number", 1, 1),
        ("true", "found true", 1, 1),
        ("<!DOCTYPE html>", "an HTML page", 1, 1),
        ('\nNotice: Undefined index: x in a.php\n[{"id":1}]', "“Notice: Undefined index: x in”", 2, 1),
        ('{"id":1},{"id":2}', "found a comma", 1, 9),
        ('{"id":1}}', "found a closing }", 1, 9),
        ("\x1f\x02", "found a control character", 1, 1),
        ("id;total\n1;2", "“id;total”", 1, 1),
        ('[{"id":1,"total":"1",}]', "a comma stands before the closing }", 1, 21),
        ('[{"id":1,"a":[1,2,\n ]}]', "a comma stands before the closing ]", 1, 18),
        ('[{"id":1},\n]', "a comma stands before the closing ]", 1, 10),
        ('{"data":[],}', "a comma stands before the closing }", 1, 11),
        ('[{"id":1}\n {"id":2}]', "a comma or a closing bracket is missing", 2, 2),
        ('[{"id":1,"note":"a "quoted" word"}]', 'is a " inside a text not escaped?', 1, 21),
        ('[{"id":1,"note":"ü "quoted" word"}]', "not escaped", 1, 21),
        ('[{"id":1,"a":"x\ny"}]', "a line break or control character", 1, 16),
        ('[{"id":1,"a":"\\q"}]', "a backslash that escapes nothing", 1, 15),
        ('[{"id":1,"a":"\\u12zz"}]', "four hexadecimal digits", 1, 16),
        ("[{'id':1}]", "a key in double quotes is missing", 1, 3),
        ('[{"id" 1}]', "a colon is missing", 1, 8),
        ('{"data":[] "x":1}', "a comma or a closing bracket is missing", 1, 12),
        ('{"data":[],x:1}', "a key in double quotes is missing", 1, 12),
        ('{"data":[],"x" 1}', "a colon is missing", 1, 16),
        ('[{"id":1},{"id":undefined}]', "a value is missing", 1, 17),
        ('[{"id":1,"a":"NaN","total":NaN}]', "NaN is not a number", 1, 28),
        ("[-Infinity]", "-Infinity is not a number", 1, 2),
        ('[\n{"id":1},\n{"id":2,"x":"ab', "ends before it is complete", 3, 16),
        ('[{"id":1}', "ends before it is complete", 1, 10),
        ('{"data":[{"id":1}]', "ends before it is complete", 1, 19),
        ('{"id":tr', "ends before it is complete", 1, 9),
        ('{"id":1.', "ends before it is complete", 1, 9),
        ('{"a":"\\u00', "ends before it is complete", 1, 11),
        ('{"id"', "ends before it is complete", 1, 6),
        ('[{"id":1},\n"a\0b"]', "a NUL character", 2, 3),
        ('[{"id":1,"a":"' + "x" * 1000 + '"}]', "larger than 1000 bytes", 1, 2),
        ('[{"id":1},"' + "ü" * 500 + '"]', "larger than 1000 bytes", 1, 11),
        ('{"a":"' + "x" * 600 + '","b":"' + "x" * 600 + '"}', "larger than 1000 bytes", 1, 1),
    ],
)
def test_the_refusal_names_reason_line_and_column(text: str, reason: str, line: int, column: int) -> None:
    found = refusal(text.encode())

    assert reason in found[0]
    assert found[1:] == (line, column)


def test_a_value_without_a_bottom_is_refused_where_it_begins() -> None:
    # how deep the interpreter goes before it gives up differs between its releases
    reason, *place = refusal(b"[" * 5000)

    assert "nested too deep" in reason or "larger than 1000 bytes" in reason
    assert place == [1, 2]


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-32-be"])
def test_wide_encodings_are_named(encoding: str) -> None:
    assert refusal('[{"id":1}]'.encode(encoding)) == ("the text is UTF-16 or UTF-32; save it as UTF-8", 1, 1)


def test_bytes_that_are_not_utf8_are_found_after_the_entries_before_them() -> None:
    values, error = read_until_broken('[{"id":1},\n{"name":"Grün'.encode(), '"},"é'.encode() + b'\xfcn"}]')

    assert values == [{"id": 1}, {"name": "Grün"}]
    assert str(error) == "line 2, column 19: the byte 0xfc is not UTF-8"


def test_a_character_cut_at_the_end_is_not_utf8() -> None:
    assert refusal('["ü'.encode()[:-1]) == ("the byte 0xc3 is not UTF-8", 1, 3)


def test_entries_before_the_break_are_given() -> None:
    values, _ = read_until_broken(b'[{"id":1},{"id":2},{"id":3,}')

    assert values == [{"id": 1}, {"id": 2}]


def test_a_broken_upload_stays_broken() -> None:
    reader = UploadReader()
    with pytest.raises(BrokenUpload):
        list(reader.feed(b'[{"id":1}}' + b" " * 100))

    with pytest.raises(BrokenUpload, match="line 1, column 10"):
        list(reader.finish())


def test_a_value_that_never_ends_is_refused_at_the_limit() -> None:
    given: list[bytes] = []

    def pieces() -> Iterator[bytes]:
        yield b'["'
        while True:
            given.append(b"x" * 1000)
            yield given[-1]

    reader = UploadReader(max_value_bytes=10_000)
    with pytest.raises(BrokenUpload, match="larger than 10000 bytes"):
        deque((entry for piece in pieces() for entry in reader.feed(piece)), maxlen=0)

    assert len(given) <= 20
