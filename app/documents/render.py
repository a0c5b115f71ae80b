"""One order in, one checked PDF out: a pure function of its request."""

import io
import json
import re
from decimal import Decimal
from hashlib import sha256
from typing import Final
from zoneinfo import ZoneInfo

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from pypdf import PdfReader
from pypdf.errors import PyPdfError

from app.documents import engine
from app.documents.contract import DocumentFacts, DocumentType, RenderedDocument, RenderRequest, UnrenderableDocument
from app.documents.view import invoice_view
from app.orders.model import Order
from app.orders.reading import UnreadableOrder, read_order

REASON_LENGTH: Final = 200

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
        return _render(request)
    except UnreadableOrder as unreadable:
        return UnrenderableDocument(code=str(unreadable.code), reason=unreadable.reason)
    except MemoryError:
        raise
    except Exception as error:  # noqa: BLE001 a bad order hurts itself only, whatever we did not foresee
        return UnrenderableDocument(code="render_error", reason=described(error))


def prepare() -> None:
    """Load what every document needs, once per process."""
    for kind in DocumentType:
        engine.prepare(kind.value)


def _render(request: RenderRequest) -> RenderedDocument | UnrenderableDocument:
    order = read_order(
        json.loads(request.payload, parse_float=Decimal),
        refunds=json.loads(request.refunds, parse_float=Decimal),
        time_zone=ZoneInfo(request.store.time_zone),
    )
    view = invoice_view(order, request.store)
    html = _TEMPLATES.get_template("invoice/invoice.html").render(view=view, logo_url=engine.LOGO_URL)
    pdf = engine.print_pdf(
        html,
        kind=request.document_type.value,
        paper=request.store.paper,
        logo=request.store.logo,
        identifier=sha256(html.encode()).digest()[:16],
    )
    pages = _pages_read_back(pdf)
    if pages == 0:
        return UnrenderableDocument(code="broken_pdf", reason="The PDF could not be read back.")
    return RenderedDocument(
        pdf=pdf,
        sha256=sha256(pdf).hexdigest(),
        pages=pages,
        facts=_facts(order),
        warnings=(*order.warnings, *view.warnings),
    )


def _pages_read_back(pdf: bytes) -> int:
    """How many pages a reader finds; 0 if the file is broken."""
    try:
        return len(PdfReader(io.BytesIO(pdf), strict=True).pages)
    except (PyPdfError, ValueError, KeyError):
        return 0


def _facts(order: Order) -> DocumentFacts:
    known = order.total is not None and order.total_tax is not None
    return DocumentFacts(
        number=order.number,
        date=order.date.date().isoformat() if order.date else "",
        customer=order.customer_name(),
        country=order.billing.country,
        currency=order.currency,
        net=str(order.total - order.total_tax) if known else "",  # type: ignore[operator]
        tax="" if order.total_tax is None else str(order.total_tax),
        total="" if order.total is None else str(order.total),
    )


def described(error: Exception) -> str:
    """Name an exception in at most `REASON_LENGTH` characters, without quoted values and without paths."""
    message = re.sub(r"'[^']*'|\"[^\"]*\"", "…", str(error))
    message = re.sub(r"\S*[/\\]\S*", "…", message)
    return f"{type(error).__name__}: {' '.join(message.split())}"[:REASON_LENGTH]
