"""Date ranges as people mean them."""

from datetime import UTC, datetime

import pytest

from app.domain.selection import Selection, SelectionRefused, created_range


def at(text):
    return datetime.fromisoformat(text).astimezone(UTC)


@pytest.mark.parametrize(
    ("given", "zone", "expected"),
    [
        (("2026-11-01", "2026-11-30"), "UTC", ("2026-11-01T00:00Z", "2026-12-01T00:00Z")),
        (("2026-11-30", "2026-11-30"), "Asia/Tokyo", ("2026-11-29T15:00Z", "2026-11-30T15:00Z")),
        # the day on which clocks go back has 25 hours, the one on which they go forward 23
        (("2026-10-25", "2026-10-25"), "Europe/Vienna", ("2026-10-24T22:00Z", "2026-10-25T23:00Z")),
        (("2026-03-29", "2026-03-29"), "Europe/Vienna", ("2026-03-28T23:00Z", "2026-03-29T22:00Z")),
        (("2026-11-01T00:00:00Z", "2026-11-01T01:00:00+01:00"), "UTC", None),
        (("2026-11-01T00:00:00+02:00", "2026-11-01T00:00:00Z"), "UTC", ("2026-10-31T22:00Z", "2026-11-01T00:00Z")),
    ],
)
def test_dates_are_whole_days_and_instants_are_half_open(given, zone, expected):
    if expected is None:
        with pytest.raises(SelectionRefused):
            created_range(*given, None, default_zone=zone)
        return

    assert created_range(*given, None, default_zone=zone) == (at(expected[0]), at(expected[1]))


@pytest.mark.parametrize(
    ("start", "end", "zone", "field"),
    [
        ("2026-11-02", "2026-11-01", None, "selection.created"),
        ("2026-11-02", "2026-11-02T00:00:00Z", None, "selection.created"),
        ("2026-11-02T00:00:00", "2026-11-03T00:00:00Z", None, "selection.created.from"),
        ("2026-11-02T00:00:00Z", "soon", None, "selection.created.to"),
        ("2026-02-30", "2026-03-01", None, "selection.created.from"),
        ("2026-11-01", "2026-11-31", None, "selection.created.to"),
        ("2026-11-02T00:00:00Z", "2026-11-03T00:00:00Z", "UTC", "selection.created.time_zone"),
        ("2026-11-02", "2026-11-03", "../etc/passwd", "selection.created.time_zone"),
        ("0001-01-01", "0001-01-02", "Asia/Tokyo", "selection.created"),
        ("0001-01-01T00:00:00+14:00", "2026-01-02T00:00:00Z", None, "selection.created.from"),
    ],
)
def test_what_means_nothing_is_refused_by_its_field(start, end, zone, field):
    with pytest.raises(SelectionRefused) as refused:
        created_range(start, end, zone, default_zone="UTC")

    assert refused.value.field == field


def test_a_selection_survives_its_frozen_form():
    selection = Selection(at("2026-01-01T00:00Z"), at("2026-02-01T00:00Z"), ("a",), (3, 1), ("0007",), 4)

    assert Selection.from_json(selection.to_json()) == selection
    assert Selection.from_json(Selection().to_json()) == Selection()
