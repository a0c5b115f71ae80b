"""Whatever stands in whatever field: an order, or a reason; never a crash."""

from collections.abc import Iterator
from zoneinfo import ZoneInfo

from hypothesis import given
from hypothesis import strategies as st

from app.orders.intake import classify
from app.orders.model import Order
from app.orders.payload import read_payload, write_payload
from app.orders.reading import UnreadableOrder, read_order
from tests.orders.shop import legacy_order, order, refund

BERLIN = ZoneInfo("Europe/Berlin")

LEAVES = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.decimals(allow_nan=False, allow_infinity=False)
    | st.text(st.characters())
    | st.sampled_from(["", "0", "-1", "1e5", "abc", "2026-02-30T00:00:00", "2026-01-01", "0000-00-00", "_x", "a:1:{"])
)
KEYS = st.text(st.characters()) | st.sampled_from(["id", "total", "key", "value", "href", "0", "1", "line_items"])
ANYTHING = st.recursive(
    LEAVES, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=3), max_leaves=8
)

FULL = order(
    refunds=[{"id": 7, "reason": "x", "total": "-1.00"}],
    fee_lines=[{"id": 1, "name": "Fee", "total": "1.00", "total_tax": "0.19"}],
    meta_data=[{"id": 1, "key": "a", "value": "b", "display_key": "A", "display_value": "B"}],
)


def paths(value: object, before: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    """The way to every value in a payload."""
    yield before
    members = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, member in members:
        yield from paths(member, (*before, key))


def put(value: object, path: tuple[str | int, ...], what: object) -> object:
    """The payload with something else at the end of a path."""
    if not path:
        return what
    step, *rest = path
    if isinstance(value, dict):
        return {**value, step: put(value[step], tuple(rest), what)}
    assert isinstance(value, list)
    return [put(member, tuple(rest), what) if index == step else member for index, member in enumerate(value)]


SHAPES = [FULL, legacy_order(), refund()]
PLACES = [(shape, path) for shape in SHAPES for path in paths(shape)]


@given(st.sampled_from(PLACES), ANYTHING)
def test_anything_in_any_place_is_read_or_refused(
    place: tuple[dict[str, object], tuple[str | int, ...]], what: object
) -> None:
    shape, path = place
    payload = put(shape, path, what)

    found = classify(payload, BERLIN)

    if hasattr(found, "payload_text"):
        assert write_payload(read_payload(found.payload_text)) == found.payload_text
    if isinstance(payload, dict):
        assert is_read_or_refused(payload, FULL)
        assert is_read_or_refused(FULL, payload)


@given(st.dictionaries(KEYS, ANYTHING))
def test_any_object_is_classified(value: dict[str, object]) -> None:
    classify(value, BERLIN)
    classify(value, BERLIN, envelope="order_refunds")


def is_read_or_refused(payload: dict[str, object], full_refund: dict[str, object]) -> bool:
    try:
        found = read_order(payload, [full_refund], time_zone=BERLIN)
    except UnreadableOrder as error:
        codes = {"number_invalid", "order_unreadable", "order_id_invalid"}
        return error.code in codes and bool(error.reason) and bool(error.path)
    return isinstance(found, Order) and bool(repr(found).encode())
