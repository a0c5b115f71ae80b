"""The contrast of a colour against white is what WCAG says it is."""

import pytest

from app.domain.contrast import READABLE, is_colour, on_white


@pytest.mark.parametrize(
    ("colour", "ratio"),
    # the grey on either side of the bound, as in WebAIM's checker and in G18 of the WCAG's techniques
    [("#000000", 21), ("#ffffff", 1), ("#767676", 4.54), ("#777777", 4.48), ("#ff0000", 4.0), ("#0000ff", 8.59)],
)
def test_contrasts_are_those_of_the_formula(colour, ratio):
    assert on_white(colour) == pytest.approx(ratio, abs=0.005)


def test_the_bound_lies_between_two_neighbouring_greys():
    assert on_white("#777777") < READABLE < on_white("#767676")


@pytest.mark.parametrize("text", ["", "#fff", "#FFFFFF", "ffffff", "#ffffff;", "#gggggg", "#ffffff\n"])
def test_what_is_no_colour_is_none(text):
    assert not is_colour(text)
