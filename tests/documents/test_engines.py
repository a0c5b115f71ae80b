"""What an engine must bring is what `engines.py` says, and no more: another one takes WeasyPrint's place here."""

import io
from dataclasses import replace

import pytest
from pikepdf import Pdf
from shop_orders import STORE, line, order, request_for

from app.documents import render
from app.documents.contract import DocumentType, RenderedDocument, UnrenderableDocument
from app.documents.engines import Printed, Unprintable
from app.domain.codes import ItemCode


class Blank:
    """An engine of empty pages, one for each line."""

    prepared = 0

    def prepare(self):
        self.prepared += 1

    def print(self, found, request):
        if found.view.frame.has_logo:
            raise Unprintable(ItemCode.TEMPLATE_FAILED, "logos are beyond it " + "x" * 500)
        file = io.BytesIO()
        with Pdf.new() as pdf:
            for _ in found.view.table.lines:
                page = pdf.add_blank_page()
                page.Contents = pdf.make_stream(b"")
            pdf.save(file)
        return Printed(file.getvalue(), ("it is blank",))


@pytest.fixture(autouse=True)
def engine(monkeypatch):
    engine = Blank()
    monkeypatch.setattr(render, "ENGINE", engine)
    return engine


@pytest.mark.parametrize("document_type", [DocumentType.INVOICE, DocumentType.PACKING_SLIP])
def test_another_engine_makes_documents_of_the_same_facts(engine, document_type):
    render.prepare()

    document = render.render_document(request_for(order(line_items=[line(), line()]), document_type=document_type))

    assert engine.prepared == 1
    assert isinstance(document, RenderedDocument)
    assert (document.pages, document.facts.number, document.warnings[-1]) == (2, "7001", "it is blank")


def test_what_an_engine_cannot_print_is_a_fact_about_its_document():
    request = request_for(order(), store=replace(STORE, logo=b"x"))

    document = render.render_document(request)

    assert isinstance(document, UnrenderableDocument)
    assert document.code == ItemCode.TEMPLATE_FAILED
    assert document.reason.startswith("logos are beyond it xxx")
    assert len(document.reason) == 200


def test_a_pdf_without_a_page_is_broken():
    document = render.render_document(request_for(order(line_items=[])))

    assert document == UnrenderableDocument("broken_pdf", "The PDF could not be read back.")
