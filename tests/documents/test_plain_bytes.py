"""What makes documents quick changes none of their bytes: they are those of a plain `write_pdf`.

Plain is `HTML(…).write_pdf(stylesheets=[CSS(…), …])` of WeasyPrint's root module, everything parsed and loaded for this
one document. It is given what is ours on purpose and not for speed: the identifier, the fetcher of the logo, and the
finisher that says what glyphs mean (`extraction.py`), which any caller of `write_pdf` may pass.
"""

import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from PIL import Image
from shop_orders import STORE, line, order, request_for
from weasyprint import CSS, HTML
from weasyprint.images import RasterImage

from app.documents import engine, lean
from app.documents.contract import DocumentType, RenderedDocument, RenderRequest, StoreSettings
from app.documents.dress import PLAIN, Dress
from app.documents.extraction import finisher_of
from app.documents.ours import LOGO_URL, template_of
from app.documents.render import render_document
from app.domain.store_settings import OwnTemplate

SAMPLES = Path(__file__).parents[2] / "samples"

STYLE = "h1 { color: #604020 } .lines td { padding-top: 3mm } .party::before { content: '–' }"


def own(document_type: DocumentType, *, html: str = "", css: str = STYLE) -> StoreSettings:
    return STORE.with_template(OwnTemplate(document_type=document_type, html=html, css=css))


def plain(
    html: str,
    *,
    folder: str,
    paper: str,
    logo: bytes | None,
    identifier: bytes,
    dress: Dress = PLAIN,
    css: str = "",
    **_variant: object,
) -> bytes:
    texts = [*engine.sheets_of(folder=folder, paper=paper, dress=dress), css]
    return HTML(string=html, url_fetcher=engine._LogoOnly(logo)).write_pdf(
        stylesheets=[CSS(string=text) for text in texts if text],
        pdf_identifier=identifier,
        finisher=finisher_of(html),
    )


@pytest.fixture
def both(monkeypatch) -> Iterator[Callable[[RenderRequest], tuple[bytes, bytes]]]:
    """Renders a request and gives our bytes and plain ones of the same HTML."""
    asked: list[tuple[str, dict[str, Any]]] = []
    ours = engine.print_pdf

    def listening(html: str, **given: Any) -> bytes:
        asked.append((html, given))
        return ours(html, **given)

    monkeypatch.setattr(engine, "print_pdf", listening)

    def rendered(request: RenderRequest) -> tuple[bytes, bytes]:
        document = render_document(request)
        if not isinstance(document, RenderedDocument):
            return b"", b""
        html, given = asked.pop()
        return document.pdf, plain(html, **given)

    return rendered


@pytest.mark.parametrize("document_type", [DocumentType.INVOICE, DocumentType.PACKING_SLIP])
def test_a_document_of_ours_has_the_bytes_of_a_plain_one(both, document_type):
    lines = [line("ชา", sku="TEA-1"), line("قلم"), line("Sticker 🍂"), line("कमल")]

    quick, slow = both(request_for(order(line_items=lines), document_type=document_type))

    assert quick == slow != b""


@pytest.mark.parametrize("made_like", ["ours", "with lists"])
def test_a_document_by_a_stores_own_template_has_the_bytes_of_a_plain_one(both, made_like):
    mine = {
        "ours": template_of(DocumentType.INVOICE),
        "with lists": "<style>p { float: footnote }</style><ol><li>{{ view.frame.title }}<p>x</p></ol>",
    }[made_like]

    quick, slow = both(request_for(order(), store=own(DocumentType.INVOICE, html=mine)))

    assert quick == slow != b""


def picture(kind: str, mode: str) -> bytes:
    file = BytesIO()
    image = Image.radial_gradient("L").resize((64, 48))
    Image.merge(mode, [image] * len(mode)).save(file, kind)
    return file.getvalue()


def test_a_logo_that_is_kept_has_the_bytes_of_one_that_is_not_and_is_its_own_stores():
    """Each picture comes twice, with others between: more of them than are kept."""
    page = f'<h1>x</h1><img src="{LOGO_URL}"><img src="{LOGO_URL}">'
    pictures = [picture("PNG", mode) for mode in ("L", "LA", "RGB", "RGBA")] + [picture("JPEG", "RGB")]

    for logo in (pictures[0], *pictures, *pictures[3:], *pictures):
        asked = {"folder": "invoice", "paper": "A4", "logo": logo, "identifier": b"1"}
        assert engine.print_pdf(page, **asked) == plain(page, **asked)


@pytest.mark.parametrize(
    ("html", "css"),
    [
        (f'<object type="image/svg+xml" data="{LOGO_URL}"></object>', ""),
        (f'<img src="{LOGO_URL}" style="image-orientation: 90deg">', ""),
        (f'<img src="{LOGO_URL}">', "img { image-orientation: 90deg }"),
        (f'<img src="{LOGO_URL}">', ""),
        (f'<img src="data:image/png;base64,AAAA"><img src="{LOGO_URL}">', "h1 { background: url(sheaf-logo:logo) }"),
    ],
)
def test_whoever_asks_for_the_logo_in_another_way_gets_it_so(html, css):
    asked = {"folder": "invoice", "paper": "A4", "logo": picture("PNG", "RGB"), "identifier": b"1", "css": css}

    assert engine.print_pdf(html, **asked) == plain(html, **asked)


def test_a_logo_is_unfolded_for_its_first_document_only(monkeypatch):
    unfolded = []
    take_apart = RasterImage._get_png_data
    monkeypatch.setattr(
        RasterImage, "_get_png_data", staticmethod(lambda image: unfolded.append(1) or take_apart(image))
    )
    logo = picture("PNG", "RGBA") + b"of this test alone"
    pages = [f'<p>{number}<img src="{LOGO_URL}">' for number in range(3)]

    made = {engine.print_pdf(page, folder="invoice", paper="A4", logo=logo, identifier=b"1") for page in pages}

    assert len(made) == 3
    assert len(unfolded) == 2  # its colours and its mask


@pytest.mark.parametrize(
    ("html", "css"),
    [
        ("<ul><li>one</ul>", ""),
        ("<details open><summary>one</summary>two</details>", ""),
        ('<p STYLE ="display: list-item">one', ""),
        ("<p>one<style>p { display: list-item }</style>", ""),
        ("<p>one", "p { display: List-Item }"),
        ("<p>one", "p { display: list\\2d item }"),
        ("<p>one<i>two</i>", "i { float: footnote }"),
    ],
)
def test_whatever_may_have_lists_or_notes_is_laid_out_with_all_rules(html, css):
    asked = {"folder": "invoice", "paper": "A4", "logo": None, "identifier": b"1", "css": css}

    assert lean.page_of(html, css) is HTML
    assert engine.print_pdf(html, **asked) == plain(html, **asked)


def test_a_document_of_ours_is_laid_out_without_rules_that_show_nothing():
    """Fails as soon as WeasyPrint writes these rules in another way, or asks for its sheet elsewhere."""
    asked = []

    class Listening(lean.page_of("<p>one", "p { color: red }")):
        def _ua_stylesheets(self, forms=False):
            asked.extend(super()._ua_stylesheets(forms))
            return asked

    Listening(string="<p>one").render()

    assert asked == [lean._lean_sheet()]
    assert lean._lean_sheet() is not None


def everything() -> Iterator[tuple[RenderRequest, str]]:
    orders = json.loads((SAMPLES / "orders.json").read_text(encoding="utf-8"))
    refunds = json.loads((SAMPLES / "refunds.json").read_text(encoding="utf-8"))
    for document_type in DocumentType:
        stores = {
            "ours": STORE,
            "own style": own(document_type),
            "own template": own(document_type, html=template_of(document_type)),
        }
        for name, store in stores.items():
            for one in orders:
                of_order = [refund for refund in refunds if refund["parent_id"] == one["id"]]
                request = request_for(one, document_type=document_type, store=store, refunds=of_order)
                if document_type is not DocumentType.CREDIT_NOTE:
                    yield request, f"{document_type} of {one['id']} by {name}"
                for refund in of_order if document_type is DocumentType.CREDIT_NOTE else ():
                    yield replace(request, refund_id=refund["id"]), f"{document_type} {refund['id']} by {name}"


@pytest.mark.long
def test_every_document_of_the_samples_has_the_bytes_of_a_plain_one(both):
    seen = []

    for request, name in everything():
        quick, slow = both(request)
        if quick:
            seen.append(name)
        assert quick == slow, name

    assert len(seen) > 300
