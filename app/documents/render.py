"""One order in, one checked PDF out: a pure function of its request."""

import decimal
import io
import re
from hashlib import sha256
from typing import Final
from zoneinfo import ZoneInfo

from jinja2 import Environment, FileSystemLoader, StrictUndefined, Template
from pypdf import PdfReader
from pypdf.errors import PyPdfError

from app.documents import engine
from app.documents.contract import (
    RenderedDocument,
    RenderRequest,
    SkippedDocument,
    StoreSettings,
    UnrenderableDocument,
)
from app.documents.kinds import KINDS, Kind
from app.documents.owed import NotOwed
from app.orders.payload import read_payload, read_payloads
from app.orders.reading import UnreadableOrder, read_order

REASON_LENGTH: Final = 200

DIGITS: Final = 120
"""To calculate with: sums of the longest numbers that an order may hold, with nothing rounded away."""

_TEMPLATES: Final = Environment(
    loader=FileSystemLoader(engine.TEMPLATES),
    autoescape=True,
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
)


def render_document(request: RenderRequest) -> RenderedDocument | UnrenderableDocument:
    """Render one document; whatever is wrong with the order comes back as a value."""
    try:
        with decimal.localcontext(prec=DIGITS):
            return _render(request)
    except NotOwed as owed:
        return SkippedDocument(code=owed.code, reason=owed.reason)
    except UnreadableOrder as unreadable:
        return UnrenderableDocument(code=str(unreadable.code), reason=unreadable.reason)
    except MemoryError:
        raise
    except Exception as error:  # noqa: BLE001 a bad order hurts itself only, whatever we did not foresee
        return UnrenderableDocument(code="render_error", reason=described(error))


def prepare() -> None:
    """Load what every document needs, once per process."""
    for kind in KINDS.values():
        engine.prepare(kind.folder)
        _template(kind)


def _render(request: RenderRequest) -> RenderedDocument | UnrenderableDocument:
    order = read_order(
        read_payload(request.payload),
        refunds=read_payloads(request.refunds),
        time_zone=ZoneInfo(request.store.time_zone),
    )
    kind = KINDS[request.document_type]
    view = kind.view(order, request.store, request.refund_id)
    html = _template(kind).render(view=view, logo_url=engine.LOGO_URL)
    pdf = engine.print_pdf(
        html,
        folder=kind.folder,
        paper=request.store.paper,
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
        warnings=(*order.warnings, *view.warnings),
    )


def _template(kind: Kind) -> Template:
    return _TEMPLATES.get_template(f"{kind.folder}/{kind.folder}.html")


def _identifier(html: str, store: StoreSettings) -> bytes:
    """The PDF's own id, which would be random otherwise: a digest of everything that is printed."""
    digest = sha256(store.paper.encode())
    digest.update(store.logo or b"")
    digest.update(html.encode())
    return digest.hexdigest()[:32].encode()


def _pages_read_back(pdf: bytes) -> int:
    """How many pages a reader finds; 0 if the file is broken."""
    try:
        return len(PdfReader(io.BytesIO(pdf), strict=True).pages)
    except (PyPdfError, ValueError, KeyError, AttributeError, TypeError):
        return 0


def described(error: Exception) -> str:
    """Name an exception in at most `REASON_LENGTH` characters, without quoted values and without paths."""
    message = re.sub(r"'[^']*'|\"[^\"]*\"", "…", str(error))
    message = re.sub(r"\S*[/\\]\S*", "…", message)
    return f"{type(error).__name__}: {' '.join(message.split())}"[:REASON_LENGTH]
