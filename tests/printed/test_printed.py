"""What is printed of the sample orders is what is stored of them; `python -m tests.printed` asks any files the same."""

from dataclasses import replace
from pathlib import Path

import pytest

from app.domain.document_type import DocumentType
from tests.printed.found import find
from tests.printed.holding import held

SAMPLES = find([Path(__file__).parents[2] / "samples"])
SOME = [one for place, one in enumerate(SAMPLES.orders) if one.refunds or place % 20 == 0]
"""Each takes a tenth of a second and type; all of them go through the command, and through `make test` as invoices."""


def test_the_samples_are_taken_whole():
    assert SAMPLES.refused == []
    assert sum(len(one.refunds) for one in SAMPLES.orders) == 4


@pytest.mark.parametrize("found", SOME, ids=lambda found: found.order.number)
def test_documents_of_every_type_print_the_stored_figures(found):
    documents = list(held(found))

    assert {document.kind for document in documents} >= set(DocumentType) - {DocumentType.CREDIT_NOTE}
    assert [document for document in documents if document.differences] == []


def test_another_figure_than_the_stored_one_is_found():
    """The files are read for themselves: a document that follows another total, tax or quantity is told."""
    whole = next(one for one in SAMPLES.orders if one.order.number == "7043")
    (line, *others), (rate, *rates) = whole.raw["line_items"], whole.raw["tax_lines"]
    raw = {
        **whole.raw,
        "total": "133.96",
        "tax_lines": [{**rate, "tax_total": "77.77"}, *rates],
        "line_items": [{**line, "quantity": 7}, *others],
    }
    refunds = [(refund, {**stored, "amount": "7.51"}) for refund, stored in whole.refunds]

    documents = list(held(replace(whole, raw=raw, refunds=refunds)))

    told = {document.kind: " ".join(document.differences) for document in documents}
    for kind, figure in (("invoice", "133.96"), ("receipt", "77.77"), ("packing_slip", "9"), ("credit_note", "-7.51")):
        assert figure in told[kind]
