"""One order in, one checked PDF out: a pure function of its request."""

import io
from hashlib import sha256
from typing import Final

from pikepdf import Pdf, PdfError

from app.documents.contract import RenderedDocument, RenderRequest, UnrenderableDocument
from app.documents.engines import Engine, Unprintable
from app.documents.pages import Pages
from app.documents.viewing import REASON_LENGTH, settled, viewed

ENGINE: Final[Engine] = Pages()


def render_document(request: RenderRequest) -> RenderedDocument | UnrenderableDocument:
    """Render one document; whatever is wrong with the order comes back as a value."""
    return settled(lambda: _render(request))


def prepare() -> None:
    """Load what every document needs, once per process."""
    ENGINE.prepare()


def _render(request: RenderRequest) -> RenderedDocument | UnrenderableDocument:
    found = viewed(request)
    try:
        printed = ENGINE.print(found, request)
    except Unprintable as unprintable:
        return UnrenderableDocument(unprintable.code, unprintable.reason[:REASON_LENGTH])
    pages = _pages_read_back(printed.pdf)
    if pages == 0:
        return UnrenderableDocument(code="broken_pdf", reason="The PDF could not be read back.")
    return RenderedDocument(
        pdf=printed.pdf,
        sha256=sha256(printed.pdf).hexdigest(),
        pages=pages,
        facts=found.view.manifest,
        warnings=(*found.warnings, *printed.warnings),
    )


def _pages_read_back(pdf: bytes) -> int:
    """How many pages a reader finds that mends nothing and reads what is drawn on each; 0 if the file is broken."""
    try:
        with Pdf.open(io.BytesIO(pdf), attempt_recovery=False) as read:
            for page in read.pages:
                page.Contents.read_bytes()
            return 0 if read.get_warnings() else len(read.pages)
    except (PdfError, AttributeError):
        return 0
