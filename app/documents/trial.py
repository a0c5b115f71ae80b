"""Trying a store's own template on a sample order before it is kept, in a child that may be killed."""

import json
from collections.abc import Callable
from datetime import timedelta
from typing import Any, Final

from app.documents.contract import DocumentType, RenderedDocument, RenderRequest, StoreSettings, UnrenderableDocument
from app.documents.errors import Strike
from app.documents.own import OwnTemplateFailed, check_template
from app.documents.own_style import OwnStyleFailed, check_style
from app.domain.store_settings import OwnTemplate

MAX_TEXT: Final = 128 << 10
"""Characters of a template, and of a style; each job of the store freezes both."""

TIME_LIMIT: Final = timedelta(seconds=20)
"""For the sample, which takes a tenth of a second by ours: orders are longer than it, and machines slower."""

Made = RenderedDocument | UnrenderableDocument

_REFUND: Final = 4712


def tried(settings: StoreSettings, own: OwnTemplate, apart: Callable[..., Made]) -> RenderedDocument:
    """The sample order by the store's own template; raises `OwnTemplateFailed`, and what `apart` raises else.

    `apart` calls its first argument with the others, in a child that may be killed.
    """
    check_lengths(own)
    try:
        return laid_out(apart(sample, settings, own))
    except Strike as strike:
        raise struck(strike) from None


def check_lengths(own: OwnTemplate) -> None:
    """Raise `OwnTemplateFailed`, or `OwnStyleFailed`, for what is too long to be looked at."""
    if len(own.html) > MAX_TEXT:
        raise OwnTemplateFailed(f"the template has more than {MAX_TEXT} characters")
    if len(own.css) > MAX_TEXT:
        raise OwnStyleFailed(f"the style has more than {MAX_TEXT} characters")


def sample(settings: StoreSettings, own: OwnTemplate) -> Made:
    """Look at a template and a style and lay out the sample order by them; raises `OwnTemplateFailed`.

    For a child: a hostile template may take any time and memory as soon as it is looked at.
    """
    from app.documents.render import render_document  # noqa: PLC0415 parents import this module too

    check_template(own.html)
    check_style(own.css)
    return render_document(sample_request(own.document_type, settings.with_template(own)))


def laid_out(made: Made) -> RenderedDocument:
    """The sample's document; raises `OwnTemplateFailed` with the reason why there is none."""
    if isinstance(made, UnrenderableDocument):
        raise OwnTemplateFailed(made.reason)
    return made


def struck(strike: Strike) -> OwnTemplateFailed:
    """What a strike over the sample says of its template."""
    return OwnTemplateFailed(f"the sample order could not be laid out: {strike.reason}")


def sample_request(document_type: DocumentType, settings: StoreSettings) -> RenderRequest:
    """A document of an invented order with something in every part of it."""
    is_credit_note = document_type is DocumentType.CREDIT_NOTE
    return RenderRequest(
        document_type,
        json.dumps(_ORDER),
        json.dumps([_REFUNDED]) if is_credit_note else "[]",
        settings,
        _REFUND if is_credit_note else None,
    )


def _line(name: str, quantity: int, total: str, tax: str, rate: int) -> dict[str, Any]:
    return {
        "id": rate,
        "name": name,
        "quantity": quantity,
        "sku": f"SAMPLE-{rate}",
        "subtotal": total,
        "subtotal_tax": tax,
        "total": total,
        "total_tax": tax,
        "taxes": [{"id": rate, "total": tax, "subtotal": tax}],
        "meta_data": [{"id": 1, "key": "Colour", "value": "Blue"}],
    }


_ADDRESS: Final = {
    "first_name": "Ada",
    "last_name": "Sample",
    "company": "Sample & Daughters",
    "address_1": "1 Sample Street",
    "city": "Sampletown",
    "postcode": "10115",
    "country": "DE",
}
_LINES: Final = [_line("Teapot", 2, "20.00", "4.00", 1), _line("Tea, 250 g", 1, "10.00", "0.50", 2)]
_ORDER: Final[dict[str, Any]] = {
    "id": 4711,
    "number": "4711",
    "status": "completed",
    "currency": "EUR",
    "date_created_gmt": "2026-01-02T03:04:05",
    "date_paid_gmt": "2026-01-02T03:05:00",
    "payment_method_title": "Card",
    "customer_note": "Please ring twice.",
    "billing": {**_ADDRESS, "email": "ada@example.com", "phone": "030 1234"},
    "shipping": {**_ADDRESS, "address_1": "2 Sample Street"},
    "line_items": _LINES,
    "shipping_lines": [{"id": 3, "method_title": "Parcel", "total": "5.00", "total_tax": "1.00", "taxes": []}],
    "tax_lines": [
        {"rate_id": 1, "label": "VAT", "rate_percent": 20, "tax_total": "4.00", "shipping_tax_total": "1.00"},
        {"rate_id": 2, "label": "VAT", "rate_percent": 5, "tax_total": "0.50", "shipping_tax_total": "0.00"},
    ],
    "shipping_total": "5.00",
    "shipping_tax": "1.00",
    "total_tax": "5.50",
    "total": "40.50",
    "refunds": [{"id": _REFUND, "reason": "Broken", "total": "-24.00"}],
}
_REFUNDED: Final[dict[str, Any]] = {
    "id": _REFUND,
    "parent_id": 4711,
    "date_created_gmt": "2026-01-05T06:07:08",
    "amount": "24.00",
    "reason": "Broken on its way",
    "line_items": [_line("Teapot", -2, "-20.00", "-4.00", 1)],
}
