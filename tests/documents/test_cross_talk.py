"""Nothing of one customer's document appears in another's, however many are rendered at the same time."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest
from marked import marked_order, marks_in
from shop_orders import request_for

from app.documents.contract import DocumentType, RenderedDocument
from app.documents.pool import RendererPool

CUSTOMERS = 20
CHILDREN = 2


@pytest.fixture
def pool() -> Iterator[RendererPool]:
    pool = RendererPool(
        workers=CHILDREN, time_limit=timedelta(seconds=120), memory_limit=400 << 20, documents_per_child=1000
    )
    yield pool
    pool.close()


def test_each_of_many_customers_gets_a_document_of_their_own_text_alone(pool):
    kinds = (DocumentType.INVOICE, DocumentType.PACKING_SLIP)
    # more lines for every other customer: documents of one page and of several take turns in each child
    requests = [
        request_for(marked_order(number, lines=1 + 30 * (number % 2)), document_type=kinds[number % 3 == 0])
        for number in range(CUSTOMERS)
    ]

    with ThreadPoolExecutor(2 * CHILDREN) as callers:
        documents = list(callers.map(pool.render, requests))

    for number, document in enumerate(documents):
        assert isinstance(document, RenderedDocument), document
        assert marks_in(document.pdf) == {f"M{number:04}K"}
        assert document.facts.number == f"M{number:04}K"
