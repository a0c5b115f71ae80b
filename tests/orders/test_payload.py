"""The stored text of an order: equal content gives equal text, and no digit is lost."""

import json
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.orders.payload import (
    MAX_DEPTH,
    Decoder,
    NotStorable,
    content_hash,
    read_payload,
    read_payloads,
    write_payload,
)

NUMBERS = st.integers() | st.decimals(allow_nan=False, allow_infinity=False)
VALUES = st.recursive(
    st.none() | st.booleans() | NUMBERS | st.text(st.characters()),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(st.characters()), inner, max_size=4),
    max_leaves=8,
)


@given(st.dictionaries(st.text(st.characters()), VALUES))
def test_what_is_written_reads_back_and_is_ascii(value: dict[str, object]) -> None:
    text = write_payload(value)

    assert text.isascii()
    assert not set(text) & set(map(chr, range(32)))
    assert read_payload(text) == value
    assert write_payload(read_payload(text)) == text


@given(st.dictionaries(st.text(), st.integers() | st.text() | st.booleans() | st.none()))
def test_it_is_the_json_of_everyone_else(value: dict[str, object]) -> None:
    assert write_payload(value) == json.dumps(value, sort_keys=True, separators=(",", ":"))


def test_white_space_and_key_order_do_not_count() -> None:
    first = Decoder().decode('{"a": 1, "b": {"y": 2, "x": [1.50, "é"]}}')
    second = Decoder().decode('{"b":{"x":[1.50,"\\u00e9"],"y":2},\n"a":1}')

    assert write_payload(first) == write_payload(second) == '{"a":1,"b":{"x":[1.50,"\\u00e9"],"y":2}}'
    assert content_hash(write_payload(first)) == content_hash(write_payload(second))


def test_digits_and_order_of_lists_do_count() -> None:
    texts = ['{"a":1.5}', '{"a":1.50}', '{"a":"1.5"}', '{"a":[1,2]}', '{"a":[2,1]}']

    assert len({content_hash(write_payload(read_payload(text))) for text in texts}) == len(texts)


def test_characters_that_databases_refuse_stay_escapes() -> None:
    text = '{"a":"\\u0000\\ud800x"}'

    assert write_payload(read_payload(text)) == text


def test_a_list_of_payloads_reads_back() -> None:
    assert read_payloads('[{"a":1.0},{}]') == [{"a": Decimal("1.0")}, {}]


def test_nesting_is_bounded() -> None:
    deep: object = "x"
    for _ in range(MAX_DEPTH):
        deep = [deep]
    write_payload(deep)

    with pytest.raises(NotStorable, match="nested deeper"):
        write_payload([deep])


def test_numbers_are_bounded() -> None:
    with pytest.raises(NotStorable, match="digits"):
        write_payload(Decimal("9" * 5000))


def test_what_is_not_json_is_a_bug() -> None:
    with pytest.raises(TypeError):
        write_payload({"a": 1.5})
