"""What an upload may look like, and that it does not matter how its bytes come in."""

import json
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.orders.stream import BrokenUpload, Entry, UploadReader


def read(data: bytes, *, piece: int | None = None) -> list[Entry]:
    reader = UploadReader()
    size = piece or max(1, len(data))
    entries = [entry for start in range(0, len(data), size) for entry in reader.feed(data[start : start + size])]
    return entries + list(reader.finish())


def values(text: str) -> list[object]:
    return [entry.value for entry in read(text.encode())]


@pytest.mark.parametrize(
    "text",
    [
        '{"id":1} {"id":2}',
        '[{"id":1},{"id":2}]',
        '{"id":1}\n{"id":2}\n',
        '{"id":1}\r\n\r\n{"id":2}',
        '[{"id":1}]\n[{"id":2}]',
        '{"data":[{"id":1},{"id":2}]}',
        '{"orders":[{"id":1},{"id":2}]}',
        '{"body":[{"id":1},{"id":2}]}',
        '{"order":{"id":1}}{"order":{"id":2}}',
        '[{"order":{"id":1}},{"order":{"id":2}}]',
        '{"order_refunds":[{"id":1},{"id":2}]}',
        '{"data":{"orders":[{"id":1},{"id":2}]}}',
        '{"body":{"data":{"orders":[{"id":1},{"id":2}]}}}',
        '{"status":200,"took":{"ms":[4,"id"]},"data":[{"id":1},{"id":2}],"next":null}',
        '{"orders":[{"id":1}],"orders_total":2,"order":{"id":2}}',
        '\ufeff[{"id":1},{"id":2}]',
        ' \n\t[ {"id" : 1} , {"id" : 2} ] \n',
    ],
)
def test_every_usual_wrapping_gives_the_same_orders(text: str) -> None:
    assert values(text) == [{"id": 1}, {"id": 2}]


@pytest.mark.parametrize("text", ["[]", " [ ] ", '{"data":[]}', '{"data":{"orders":[]}}', "[]\n[]"])
def test_an_empty_list_is_an_upload_of_nothing(text: str) -> None:
    assert values(text) == []


@pytest.mark.parametrize(
    "text",
    [
        "{}",
        '{"id":9,"data":{"orders":[1]}}',
        '{"billing":{},"body":{"x":1},"id":9}',
        '{"data":null}',
        '{"data":"x"}',
        '{"code":"no_rights","message":"Sorry","data":{"status":401}}',
        '{"request":{},"response":{"data":[]}}',
    ],
)
def test_an_object_that_is_no_envelope_stays_whole(text: str) -> None:
    assert values(text) == [json.loads(text)]


def test_envelopes_are_opened_three_levels_deep() -> None:
    text = '{"data":{"data":{"data":{"data":[{"id":1}]}}}}'

    assert values(text) == [{"data": [{"id": 1}]}]


def test_members_that_are_no_objects_come_as_they_are() -> None:
    assert values('[null,"x",true,-1.50,[{"id":1}],7]') == [None, "x", True, Decimal("-1.50"), [{"id": 1}], 7]


def test_an_entry_knows_its_line_and_envelope() -> None:
    text = '{"orders":[\n{"id":1},\n\n{"id":\n2}],\n"order_refund":{"amount":"1"}}'

    assert read(text.encode()) == [
        Entry(2, {"id": 1}, "orders"),
        Entry(4, {"id": 2}, "orders"),
        Entry(6, {"amount": "1"}, "order_refund"),
    ]


def test_a_key_that_stands_twice_is_reported_and_its_last_value_taken() -> None:
    [first, second] = read(b'[{"id":1,"id":2,"a":{"b":1,"b":1}},{"id":3}]')

    assert first.value == {"id": 2, "a": {"b": 1}}
    assert [warning.split(" stands")[0] for warning in first.warnings] == ["the key 'b'", "the key 'id'"]
    assert second.warnings == ()


def test_numbers_keep_their_digits() -> None:
    [value] = values('{"a":7.90,"b":3508,"c":7.9051383333333334,"d":1E+2,"e":-0.00}')

    assert {key: str(number) for key, number in value.items()} == {
        "a": "7.90",
        "b": "3508",
        "c": "7.9051383333333334",
        "d": "1E+2",
        "e": "-0.00",
    }


def test_absurd_numbers_hurt_nobody_else() -> None:
    huge = "9" * 5000

    [first, second] = values(f'[{{"id":{huge},"x":1e99999999999999999999}},{{"id":2}}]')

    assert first == {"id": Decimal(huge), "x": "1e99999999999999999999"}
    assert second == {"id": 2}


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text() | st.decimals(allow_nan=False, allow_infinity=False),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.text() | st.sampled_from(["id", "data"]), inner, max_size=4)
    ),
    max_leaves=15,
)


def outcome(data: bytes, *, piece: int | None = None) -> list[Entry] | tuple[str, int, int]:
    try:
        return read(data, piece=piece)
    except BrokenUpload as error:
        return error.reason, error.line, error.column


@given(st.lists(JSON, max_size=5), st.integers(1, 40), st.booleans())
def test_any_list_in_any_pieces_gives_the_same(members: list[object], piece: int, is_ascii: bool) -> None:
    text = json.dumps(members, ensure_ascii=is_ascii, default=float).encode("utf-8", "surrogatepass")

    assert outcome(text, piece=piece) == outcome(text)


@given(st.binary(max_size=60), st.integers(1, 7))
def test_any_bytes_give_entries_or_a_place(data: bytes, piece: int) -> None:
    found = outcome(data, piece=piece)

    assert isinstance(found, list) or min(found[1:]) >= 1
