"""One order in, one checked PDF out: a pure function of its request."""

import io
from hashlib import sha256
from typing import Final

from jinja2 import Environment, FileSystemLoader, StrictUndefined, Template
from pypdf import PdfReader
from pypdf.errors import PyPdfError

from app.documents import engine
from app.documents.contract import (
    RenderedDocument,
    RenderRequest,
    StoreSettings,
    UnrenderableDocument,
)
from app.documents.dress import Dress
from app.documents.kinds import KINDS, Kind
from app.documents.viewing import settled, viewed

_TEMPLATES: Final = Environment(
    loader=FileSystemLoader(engine.TEMPLATES),
    autoescape=True,
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
)


def render_document(request: RenderRequest) -> RenderedDocument | UnrenderableDocument:
    """Render one document; whatever is wrong with the order comes back as a value."""
    return settled(lambda: _render(request))


def prepare() -> None:
    """Load what every document needs, once per process."""
    for kind in KINDS.values():
        engine.prepare(kind.folder)
        _template(kind)


def _render(request: RenderRequest) -> RenderedDocument | UnrenderableDocument:
    found = viewed(request)
    kind, view = found.kind, found.view
    html = _template(kind).render(view=view, logo_url=engine.LOGO_URL)
    pdf = engine.print_pdf(
        html,
        folder=kind.folder,
        paper=request.store.paper,
        dress=Dress(accent=request.store.accent, foot_rows=view.frame.foot_rows),
        logo=request.store.logo,
        identifier=_identifier(html, request.store),
    )
    pages = _pages_read_back(pdf)
    if pages == 0:
        return UnrenderableDocument(code="broken_pdf", reason="The PDF could not be read back.")
    return RenderedDocument(
        pdf=pdf,
        sha256=sha256(pdf).hexdigest(),
        pages=pages,
        facts=view.manifest,
        warnings=found.warnings,
    )


def _template(kind: Kind) -> Template:
    return _TEMPLATES.get_template(f"{kind.folder}/{kind.folder}.html")


def _identifier(html: str, store: StoreSettings) -> bytes:
    """The PDF's own id, which would be random otherwise: a digest of everything that is printed."""
    digest = sha256(f"{store.paper} {store.accent}".encode())
    digest.update(store.logo or b"")
    digest.update(html.encode())
    return digest.hexdigest()[:32].encode()


def _pages_read_back(pdf: bytes) -> int:
    """How many pages a reader finds; 0 if the file is broken."""
    try:
        return len(PdfReader(io.BytesIO(pdf), strict=True).pages)
    except (PyPdfError, ValueError, KeyError, AttributeError, TypeError):
        return 0
