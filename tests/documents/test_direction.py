"""Text of one direction inside of the other: what was typed as one number is read as one."""

import pytest

from app.documents.direction import apart

LRI, PDI = "\u2066", "\u2069"


@pytest.mark.parametrize(
    "number",
    ["+966 5 5550 0100", "+966 (5) 555-0100", "050-555", "0221/123 456", "2024-03-05", "05/03/2024", "10:30", "42-X-7"],
)
@pytest.mark.parametrize("word", ["اتصل", "שלום"])
def test_a_number_of_several_parts_behind_a_word_from_right_to_left_is_kept_together(number, word):
    assert f"{word} {LRI}{number}{PDI} {word}" in apart(f"{word} {number} {word}", is_mirrored=True)


def test_a_date_and_a_time_are_two_numbers():
    assert f"في {LRI}05/03/2024{PDI} {LRI}10:30{PDI}" in apart("في 05/03/2024 10:30", is_mirrored=True)


@pytest.mark.parametrize("text", ["قميص iPhone 12-64 أسود", "قميص 12 13", "قميص SH-AR-001", "قميص 42"])
def test_what_latin_letters_or_nothing_keep_together_is_left_alone(text):
    assert LRI not in apart(text, is_mirrored=True)


def test_text_from_left_to_right_is_left_alone():
    assert apart("call +49 30 555 0100, 2024-03-05", is_mirrored=False) == "call +49 30 555 0100, 2024-03-05"
    assert LRI not in apart("call +49 30 555 0100", is_mirrored=True)
