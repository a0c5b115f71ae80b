"""Ranges by name are whole calendar months, quarters and years, whatever day it is."""

from datetime import date, timedelta

from hypothesis import given
from hypothesis import strategies as st

from app.web.presets import presets


def test_the_ranges_of_a_day_in_february():
    found = {one.name: one.value for one in presets(date(2028, 2, 29))}

    assert found == {
        "last_month": "2028-01-01/2028-01-31",
        "this_month": "2028-02-01/2028-02-29",
        "last_quarter": "2027-10-01/2027-12-31",
        "this_quarter": "2028-01-01/2028-02-29",
        "last_year": "2027-01-01/2027-12-31",
        "this_year": "2028-01-01/2028-02-29",
    }


@given(st.dates(date(1900, 1, 1), date(2200, 1, 1)))
def test_what_was_ends_the_day_before_what_is_begins(today):
    found = {one.name: one for one in presets(today)}

    for name in ("month", "quarter", "year"):
        last, this = found[f"last_{name}"], found[f"this_{name}"]
        assert last.since < last.until == this.since - timedelta(days=1)
        assert last.since.day == this.since.day == 1
        assert this.since <= this.until == today
