"""Ways to an invoice with WeasyPrint, from the one that everybody begins with to our own.

Those through its public API are given finished HTML, which costs them nothing; ours begin at the order's JSON and end
with a PDF that was read back.
"""

import gc
from functools import cache
from typing import Any

from app.documents import child, fonts
from app.documents.contract import DocumentType, RenderedDocument, RenderRequest, StoreSettings
from app.documents.dress import Dress
from app.documents.viewing import Viewed, viewed
from bench.renderers.turns import Make

Page = tuple[str, list[str]]
"""HTML, and the text of its style sheets."""


def store(logo: bytes | None = None) -> StoreSettings:
    """The seller of all documents."""
    return StoreSettings(
        name="Bench",
        address=("1 Test Lane", "Testville"),
        tax_id="DE 123",
        locale="en",
        time_zone="UTC",
        paper="A4",
        logo=logo,
    )


def request_for(order: str, logo: bytes | None = None) -> RenderRequest:
    """The invoice of an order."""
    return RenderRequest(DocumentType.INVOICE, order, "[]", store(logo))


def view_of(order: str) -> Viewed:
    """An invoice in words."""
    return viewed(request_for(order))


def page_of(order: str) -> Page:
    """Our HTML of an invoice with our style sheets."""
    from app.documents import engine, pages  # noqa: PLC0415  loads WeasyPrint

    found = view_of(order)
    dress = Dress(accent=store().accent, foot_rows=found.view.frame.foot_rows)
    html = pages.html_of(None, found.kind, found.view)
    return html, list(engine.sheets_of(folder=found.kind.folder, paper=store().paper, dress=dress))


def plain() -> Make:
    """A loop of `HTML(string=…).write_pdf(stylesheets=[CSS(string=…)])`, as every tutorial has it."""
    fonts.use_declared_fonts()
    from weasyprint import CSS, HTML  # type: ignore[import-untyped]  # noqa: PLC0415

    def make(page: Page) -> bytes:
        html, sheets = page
        return bytes(HTML(string=html).write_pdf(stylesheets=[CSS(string=sheet) for sheet in sheets]))

    return make


def public_at_its_best() -> Make:
    """The same with one `FontConfiguration`, sheets parsed once, one cache of images, and garbage looked for rarely."""
    fonts.use_declared_fonts()
    from weasyprint import CSS, HTML  # noqa: PLC0415
    from weasyprint.text.fonts import FontConfiguration  # type: ignore[import-untyped]  # noqa: PLC0415

    configuration, images = FontConfiguration(), dict[str, Any]()

    @cache
    def parsed(sheet: str) -> Any:
        return CSS(string=sheet, font_config=configuration)

    def make(page: Page) -> bytes:
        html, sheets = page
        styles = [parsed(sheet) for sheet in sheets]
        return bytes(HTML(string=html).write_pdf(stylesheets=styles, font_config=configuration, cache=images))

    gc.collect()
    gc.freeze()
    gc.set_threshold(child.GARBAGE)
    return make


def ours() -> Make:
    """What a renderer's child does, in this process."""
    child.prepare()

    def make(request: RenderRequest) -> bytes:
        made = child.render(request)
        assert isinstance(made, RenderedDocument), made
        return made.pdf

    return make
