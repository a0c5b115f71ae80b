"""Where each document of a combined PDF stands."""

import pytest

from app.domain.layouts import PART_BYTES, Place, Placing, combined_name


def places(documents, *, at_most):
    placing = Placing(at_most=at_most)
    return [placing.place(size=size, pages=pages) for size, pages in documents]


def test_a_part_ends_at_its_number_of_documents_and_pages_count_from_its_beginning():
    found = places([(1, 2), (1, 1), (1, 3), (1, 1)], at_most=3)

    assert found == [Place(1, 1), Place(1, 3), Place(1, 4), Place(2, 1)]


def test_a_part_ends_before_its_documents_are_too_large_together():
    found = places([(PART_BYTES - 1, 1), (1, 1), (1, 1), (2 * PART_BYTES, 1), (1, 1)], at_most=10)

    assert [place.part for place in found] == [1, 1, 2, 3, 4]


@pytest.mark.parametrize(
    ("document_type", "part", "parts", "expected"),
    [
        ("invoice", 1, 1, "invoices.pdf"),
        ("packing_slip", 2, 12, "packing-slips-002.pdf"),
        ("invoice", 7, 1000, "invoices-0007.pdf"),
    ],
)
def test_files_are_numbered_if_there_are_several(document_type, part, parts, expected):
    assert combined_name(document_type, part=part, parts=parts) == expected


def test_whoever_goes_on_gives_the_same_places():
    documents = [(PART_BYTES // 2, 2), (PART_BYTES // 2, 1), (7, 3), (7, 1), (7, 2)]
    every = places(documents, at_most=2)

    for stop in range(len(documents)):
        first = Placing(at_most=2)
        begun = [first.place(size=size, pages=pages) for size, pages in documents[:stop]]
        second = Placing(at_most=2, filled=first.filled)
        assert [*begun, *(second.place(size=size, pages=pages) for size, pages in documents[stop:])] == every
