"""Draw `docs/pictures`: each document type of the sample orders, short and long, and an invoice in each script.

Run `make pictures` after changing a template, a style sheet or a text. It needs `pdftoppm` (poppler).
"""

import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from make_orders import Json, order
from make_refunds import refund, refunds
from sales import SALES
from world import SHOPS, order_of

from app.documents.contract import DocumentType, RenderedDocument, RenderRequest, StoreSettings
from app.documents.render import render_document
from app.domain.store_settings import TaxId, tax_id_text

PICTURES = Path(__file__).parents[1] / "docs" / "pictures"
RESOLUTION = 72
"""Dots per inch: enough to read every word, and some 30 kB a page."""

STORE = StoreSettings(
    name="Alder & Finch",
    address=("14 Harbour Row", "Bristol BS1 4QA", "United Kingdom"),
    tax_id=tax_id_text((TaxId("GB 123 4567 89", "VAT no."), TaxId("GB123456789000", "EORI no."))),
    locale="en-GB",
    time_zone="Europe/Berlin",
    paper="A4",
    bank_lines=("Bank of Samples, Bristol", "IBAN GB33 BUKB 2020 1555 5555 55", "BIC BUKBGB22"),
    footer=("Alder & Finch Ltd · Registered in England and Wales no. 01234567", "Director: Ada Example"),
    accent="#1a4d8f",
)
SHORT = 7043
LONG = 7126


@dataclass(frozen=True)
class Picture:
    """A document to draw, and which of its pages: the first, and the last of a long one."""

    name: str
    request: RenderRequest


def pictures() -> Iterator[Picture]:
    """Every type, short and long; the long credit note gives all of the long order back. Then the scripts."""
    for kind in DocumentType:
        for length, number in (("short", SHORT), ("long", LONG)):
            sale = next(sale for sale in SALES if sale.id == number)
            given_back = refunds_of(number)
            if kind is DocumentType.CREDIT_NOTE and not given_back:
                when = "2026-11-24T10:05:33"
                given_back = [
                    refund(sale, number * 10 + 1, when, None, amount="all", reason="Crates stood in the rain")
                ]
            refund_id = given_back[0]["id"] if kind is DocumentType.CREDIT_NOTE else None
            request = RenderRequest(kind, json.dumps(order(sale)), json.dumps(given_back), STORE, refund_id)  # type: ignore[arg-type]
            yield Picture(f"{kind.value.replace('_', '-')}-{length}", request)
    for shop in SHOPS:
        store = replace(STORE, name=shop.name, address=shop.address, tax_id="123 4567 89", locale=shop.locale)
        store = replace(store, bank_lines=(), footer=())
        yield Picture(
            f"script-{shop.language}", RenderRequest(DocumentType.INVOICE, json.dumps(order_of(shop)), "[]", store)
        )


def refunds_of(number: int) -> list[Json]:
    """The sample refunds of one order."""
    return [one for one in refunds() if one["parent_id"] == number]


def draw(picture: Picture, folder: Path) -> Iterator[Path]:
    """The first page of a document as a PNG, and the last one if there are more."""
    document = render_document(picture.request)
    if not isinstance(document, RenderedDocument):
        sys.exit(f"{picture.name}: {document.reason}")
    with tempfile.NamedTemporaryFile(suffix=".pdf") as pdf:
        pdf.write(document.pdf)
        pdf.flush()
        for page in sorted({1, document.pages}):
            name = folder / (picture.name if document.pages == 1 else f"{picture.name}-page-{page}")
            pages = ["-f", str(page), "-l", str(page), "-singlefile"]
            command = ["pdftoppm", "-png", "-r", str(RESOLUTION), *pages, pdf.name, str(name)]
            subprocess.run(command, check=True)  # noqa: S603 - a tool of the system, with our own file
            yield name.with_suffix(".png")


if __name__ == "__main__":
    PICTURES.mkdir(parents=True, exist_ok=True)
    for old in PICTURES.glob("*.png"):
        old.unlink()
    for picture in pictures():
        for drawn in draw(picture, PICTURES):
            print(f"{drawn.relative_to(PICTURES.parents[1])}: {drawn.stat().st_size // 1024} kB")  # noqa: T201 - a command that says what it did
