"""Parts of a bundle stand under it, once, whatever the plugin that made them has done."""

from zoneinfo import ZoneInfo

from app.orders.bundles import bundles_among
from app.orders.reading import read_order


def lines_of(*lines: dict[str, object]) -> list[tuple[str, int | None]]:
    order = read_order({"id": 1, "line_items": list(lines)}, time_zone=ZoneInfo("UTC"))
    return [(line.name, line.bundled_by) for line in order.lines]


def line(line_id: int, name: str, **changes: object) -> dict[str, object]:
    return {"id": line_id, "name": name, "quantity": 1, **changes}


def test_parts_stand_behind_their_bundle_in_the_shops_order():
    lines = lines_of(
        line(3, "spoon", bundled_by=1),
        line(1, "tea set"),
        line(2, "mug"),
        line(4, "pot", bundled_by="1"),
        line(5, "lid", composite_parent=4),
    )

    assert lines == [("tea set", None), ("spoon", 1), ("pot", 1), ("lid", 4), ("mug", None)]


def test_a_part_without_its_bundle_stands_for_itself():
    assert lines_of(line(1, "a", bundled_by=9), line(2, "b", bundled_by=2)) == [("a", None), ("b", None)]
    assert lines_of(line(1, "a", bundled_by=2), line(2, "b", bundled_by=1)) == [("a", None), ("b", None)]


def test_no_bundle_is_written_in_many_ways():
    plain = [line(1, "a", bundled_by="", bundled_items=[]), line(2, "b", bundled_by=0), line(3, "c", bundled_by=None)]

    assert lines_of(*plain) == [("a", None), ("b", None), ("c", None)]


def test_each_part_is_shown_once_where_ids_stand_twice():
    assert lines_of(line(1, "a"), line(1, "b"), line(2, "part", bundled_by=1)) == [
        ("a", None),
        ("part", 1),
        ("b", None),
    ]


def test_bundles_are_told_from_their_parts():
    order = read_order({"id": 1, "line_items": [line(1, "a"), line(2, "b", bundled_by=1)]}, time_zone=ZoneInfo("UTC"))

    assert bundles_among(order.lines) == {1}
