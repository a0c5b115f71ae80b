"""A `traceparent` is taken as the W3C recommendation reads it, or not at all."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.domain.traces import TRACE_PARENT_LIKE, read_trace_parent, trace_id_of

TRACE = "0af7651916cd43dd8448eb211c80319c"
PARENT = "b7ad6b7169203331"


@pytest.mark.parametrize("flags", ["00", "01", "02", "03", "ff"])
def test_version_00_is_kept_as_it_was_sent(flags):
    header = f"00-{TRACE}-{PARENT}-{flags}"

    assert read_trace_parent(header) == header
    assert trace_id_of(header) == TRACE


@pytest.mark.parametrize(
    ("header", "kept"),
    [
        (f"01-{TRACE}-{PARENT}-01", f"00-{TRACE}-{PARENT}-01"),
        (f"cc-{TRACE}-{PARENT}-00", f"00-{TRACE}-{PARENT}-00"),
        (f"cc-{TRACE}-{PARENT}-01-what-the-future-will-be-like", f"00-{TRACE}-{PARENT}-01"),
        (f"fe-{TRACE}-{PARENT}-01-", f"00-{TRACE}-{PARENT}-01"),
        # of its flags we know one bit
        (f"01-{TRACE}-{PARENT}-ff", f"00-{TRACE}-{PARENT}-01"),
        (f"01-{TRACE}-{PARENT}-02", f"00-{TRACE}-{PARENT}-00"),
    ],
)
def test_of_a_later_version_the_first_four_fields_are_taken(header, kept):
    assert read_trace_parent(header) == kept


@pytest.mark.parametrize(
    "header",
    [
        "",
        "00",
        f"ff-{TRACE}-{PARENT}-01",
        f"ff-{TRACE}-{PARENT}-01-more",
        f"00-{'0' * 32}-{PARENT}-01",
        f"00-{TRACE}-{'0' * 16}-01",
        f"01-{'0' * 32}-{PARENT}-01",
        f"00-{TRACE}-{PARENT}-01-more",
        f"00-{TRACE}-{PARENT}-01-",
        f"01-{TRACE}-{PARENT}-01more",
        f"01-{TRACE}-{PARENT}-01.more",
        f"00-{TRACE.upper()}-{PARENT}-01",
        f"00-{TRACE}-{PARENT.upper()}-01",
        f"0A-{TRACE}-{PARENT}-01",
        f"00-{TRACE}-{PARENT}-0A",
        f"00-{TRACE[:-1]}-{PARENT}-01",
        f"00-{TRACE}0-{PARENT}-01",
        f"00-{TRACE}-{PARENT[:-1]}-01",
        f"00-{TRACE[:-1]}g-{PARENT}-01",
        f"00-{TRACE}-{PARENT}-1",
        f"00-{TRACE}-{PARENT}",
        f"00_{TRACE}_{PARENT}_01",
        f" 00-{TRACE}-{PARENT}-01",
        f"00-{TRACE}-{PARENT}-01 ",
        f"00-{TRACE}-{PARENT}-01\n",
        f"00-{TRACE}-{PARENT}-01,00-{TRACE}-{PARENT}-01",
        f"00-{TRACE.replace('0', '٠')}-{PARENT}-01",
    ],
)
def test_anything_else_is_no_trace(header):
    assert read_trace_parent(header) is None


@settings(max_examples=40)
@given(st.text() | st.from_regex(r"\A[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}(-.*)?\Z"))
def test_what_is_kept_has_the_shape_that_the_database_asks_for(header):
    kept = read_trace_parent(header)

    if kept is not None:
        assert len(kept) == len(TRACE_PARENT_LIKE) == 55
        assert all(mask in ("_", letter) for mask, letter in zip(TRACE_PARENT_LIKE, kept, strict=True))
        assert read_trace_parent(kept) == kept
