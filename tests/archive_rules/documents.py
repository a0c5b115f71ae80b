"""Documents that have whatever is hard to keep: letters of many scripts, emoji, a logo one sees through, many pages."""

import zlib
from dataclasses import replace
from io import BytesIO
from struct import pack

from app.documents.contract import DocumentType, RenderedDocument, StoreSettings
from app.documents.render import render_document
from app.domain.pdf_variants import PdfVariant
from tests.documents.shop_orders import STORE, line, order, request_for
from worker.merging import Merger

VARIANTS = (PdfVariant.PDF_A_3B, PdfVariant.PDF_UA_1)
NAMES = ("हिन्दी कि क्ष", "عباءة سوداء لا", "ชุดน้ำชา", "折りたたみ傘 骨", "👩🏽‍🚀 🎁 ☕️", "Zażółć ß", "שלום")
REFUND = {
    "id": 900,
    "date_created": "2024-03-06T10:00:00",
    "date_created_gmt": "2024-03-06T10:00:00",
    "amount": "12.00",
    "reason": "broken",
    "line_items": [
        line(id=9, quantity=-1, subtotal="-10.00", subtotal_tax="-2.00", total="-10.00", total_tax="-2.00", taxes=[])
    ],
}


def see_through_png() -> bytes:
    """Twelve by six dots of which each is a little less there than the one before."""
    rows = b"".join(b"\0" + bytes(part for x in range(12) for part in (200, 30, 60, 255 - 20 * x)) for _ in range(6))
    parts = [(b"IHDR", pack(">IIBBBBB", 12, 6, 8, 6, 0, 0, 0)), (b"IDAT", zlib.compress(rows)), (b"IEND", b"")]
    framed = [pack(">I", len(data)) + kind + data + pack(">I", zlib.crc32(kind + data)) for kind, data in parts]
    return b"\x89PNG\r\n\x1a\n" + b"".join(framed)


RICH_STORE = replace(STORE, logo=see_through_png(), bank_lines=("IBAN GB00 1234", "BIC X"), footer=("Call us",))


def rich_order(lines: int = 40) -> dict[str, object]:
    """An order over several pages."""
    items = [
        line(NAMES[place % len(NAMES)], id=place, sku=f"S-{place}", meta_data=[{"key": "Size", "value": "L"}])
        for place in range(1, lines + 1)
    ]
    return order(line_items=items, customer_note="Ring twice\nकमल", date_paid="2024-03-05T10:20:30")


def document(
    variant: PdfVariant,
    document_type: DocumentType = DocumentType.INVOICE,
    *,
    payload: dict[str, object] | None = None,
    store: StoreSettings = RICH_STORE,
) -> bytes:
    """A document that must succeed."""
    is_credit = document_type is DocumentType.CREDIT_NOTE
    request = request_for(
        payload or rich_order(),
        document_type=document_type,
        store=store,
        refunds=[REFUND] if is_credit else (),
        refund_id=900 if is_credit else None,
    )
    made = render_document(replace(request, pdf=variant))
    assert isinstance(made, RenderedDocument), made
    return made.pdf


def combined(variant: PdfVariant, documents: list[bytes]) -> bytes:
    """One PDF of these."""
    merger = Merger("invoices-001", variant)
    for number, pdf in enumerate(documents, start=1):
        merger.add(pdf, title=str(number))
    file = BytesIO()
    merger.save(file)
    merger.close()
    return file.getvalue()
