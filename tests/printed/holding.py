"""Documents held against the orders that they are made of, by the figures as the files have them.

What is printed is read from the PDF's text, so that nothing of the renderer vouches for itself.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from io import BytesIO
from typing import Any, Final

from pypdf import PdfReader

from app.documents.contract import DocumentType, RenderedDocument, RenderRequest, SkippedDocument, StoreSettings
from app.documents.render import render_document
from app.domain.document_type import NOT_OWED
from tests.printed.found import ZONE, Found

STORE: Final = StoreSettings(
    name="Alder & Finch",
    address=("14 Harbour Row", "Bristol BS1 4QA"),
    tax_id="GB 123 4567 89",
    locale="en-GB",
    time_zone=ZONE.key,
    paper="A4",
)
TOTALS: Final = {
    DocumentType.INVOICE: "Total",
    DocumentType.RECEIPT: "Amount paid",
    DocumentType.CREDIT_NOTE: "Total credited",
}
PIECES: Final = "Total quantity"
_AMOUNT: Final = re.compile(r"(?<![\d.,])\d[\d,]*(?:\.\d+)?(?![\d,])")


@dataclass(frozen=True)
class Held:
    """One document, or why there is none."""

    kind: DocumentType
    outcome: str
    """`rendered`, or the code."""
    differences: tuple[str, ...] = ()


def held(found: Found) -> Iterator[Held]:
    """Every document that an order may be owed, each held against it."""
    for kind in DocumentType:
        refunds = [entry.id for entry in found.order.refunds] + [one.entry.id for one, _raw in found.refunds]
        for refund_id in dict.fromkeys(refunds) if kind is DocumentType.CREDIT_NOTE else [None]:
            if found.order.status in NOT_OWED[kind].statuses:
                yield Held(kind, NOT_OWED[kind].code)
            else:
                yield _held(found, kind, refund_id)


def _held(found: Found, kind: DocumentType, refund_id: int | None) -> Held:
    refunds = ",".join(refund.payload_text for refund, _raw in found.refunds)
    document = render_document(RenderRequest(kind, found.order.payload_text, f"[{refunds}]", STORE, refund_id))
    if isinstance(document, SkippedDocument):
        return Held(kind, document.code)
    if not isinstance(document, RenderedDocument):
        return Held(kind, document.code, (document.reason,))
    text = "\n".join(page.extract_text() for page in PdfReader(BytesIO(document.pdf)).pages)
    text = re.sub(r"[^\S\n]+", " ", text)
    if kind is DocumentType.PACKING_SLIP:
        return Held(kind, "rendered", tuple(_pieces(found.raw, text)))
    raw = found.raw if refund_id is None else _refund(found, refund_id)
    sign = 1 if refund_id is None else -1
    stored = decimal(raw.get("amount") or raw.get("total"))
    if sign < 0 and stored is not None:
        stored = -abs(stored)
    differences = [*_total(text, TOTALS[kind], stored), *(_taxes(raw, text) if refund_id is None else ())]
    if document.facts.total != ("" if stored is None else f"{stored or abs(stored):f}"):
        differences.append(f"the manifest's total is {document.facts.total!r}, stored is {stored}")
    return Held(kind, "rendered", tuple(differences))


def _total(text: str, label: str, stored: Decimal | None) -> Iterator[str]:
    rows = re.findall(rf"^{label} (.*\d.*)$", text, re.MULTILINE)
    printed = [amount_in(row) for row in rows]
    if printed != ([] if stored is None else [stored]):
        yield f"{label}: printed {rows}, stored {stored}"


def _taxes(raw: Mapping[str, Any], text: str) -> Iterator[str]:
    """Each stored row of tax is printed, with its tax on shipping in it or, where the shop counts so, without."""
    printed = {decimal(amount.replace(",", "")) for amount in _AMOUNT.findall(text)}
    for rate in raw.get("tax_lines") or []:
        alone = decimal(rate.get("tax_total"))
        shipping = decimal(rate.get("shipping_tax_total")) or Decimal(0)
        if alone is not None and not {abs(alone), abs(alone + shipping)} & printed:
            yield f"tax {rate.get('label')!r} of {alone} and {shipping} on shipping is not printed"


def _pieces(raw: Mapping[str, Any], text: str) -> Iterator[str]:
    """All quantities add up, unless bundles count by their parts."""
    lines = [line for line in raw.get("line_items") or [] if line]
    if any(line.get("bundled_by") or line.get("composite_parent") for line in lines):
        return
    stored = sum((decimal(line.get("quantity", 1)) or Decimal(0) for line in lines), Decimal(0))
    rows = re.findall(rf"^{PIECES} (.*)$", text, re.MULTILINE)
    if [amount_in(row) for row in rows] != [stored]:
        yield f"{PIECES}: printed {rows}, stored {stored}"


def _refund(found: Found, refund_id: int) -> Mapping[str, Any]:
    full = [raw for refund, raw in found.refunds if refund.entry.id == refund_id]
    short = [entry for entry in found.raw.get("refunds") or [] if entry and decimal(entry.get("id")) == refund_id]
    return [*full, *short][0]


def amount_in(text: str) -> Decimal | None:
    """The last amount of a line as en-GB writes it, with its minus; None if there is none."""
    amounts = _AMOUNT.findall(text)
    return None if not amounts else (-1 if "-" in text else 1) * Decimal(amounts[-1].replace(",", ""))


def decimal(value: object) -> Decimal | None:
    """A stored figure, whether a shop wrote it as a text or as a number."""
    text = "" if value is None else str(value).strip()
    return Decimal(text) if re.fullmatch(r"-?\d+(\.\d+)?", text) else None
