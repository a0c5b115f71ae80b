"""PDF/A-3b and PDF/UA-1 beside the usual PDFs: the same invoices, turn by turn in one process.

    chrt -f 5 .venv/bin/python bench/variants.py --orders 40

Seconds of CPU to make the documents and to combine them, and bytes. Turns are taken document by document, so that
whatever else the machine does meets all of them alike.
"""

import argparse
import json
import os
import time
from collections.abc import Sequence
from dataclasses import replace
from io import BytesIO
from pathlib import Path
from statistics import median

from app.documents.contract import DocumentType, RenderedDocument, RenderRequest, StoreSettings
from app.documents.render import prepare, render_document
from app.domain.pdf_variants import PdfVariant
from worker.merging import Merger

SAMPLES = Path(__file__).parents[1] / "samples" / "orders.json"
STORE = StoreSettings(name="Bench", address=("1 Test Lane",), tax_id="", locale="en", time_zone="UTC", paper="A4")


def made(request: RenderRequest) -> tuple[float, bytes]:
    """Seconds of CPU that a document took, and the document."""
    began = time.process_time()
    document = render_document(request)
    seconds = time.process_time() - began
    assert isinstance(document, RenderedDocument), document
    return seconds, document.pdf


def turn(request: RenderRequest, place: int) -> dict[PdfVariant, tuple[float, bytes]]:
    """One order in each variant; each of them begins as often as the others, since the first meets new letters."""
    first = place % len(PdfVariant)
    variants = list(PdfVariant)
    return {variant: made(replace(request, pdf=variant)) for variant in (*variants[first:], *variants[:first])}


def combined(variant: PdfVariant, documents: Sequence[bytes]) -> tuple[float, int]:
    """Seconds of CPU to combine documents, and the bytes of the PDF."""
    began = time.process_time()
    merger, file = Merger("invoices", variant), BytesIO()
    for document in documents:
        merger.add(document, title="")
    merger.save(file)
    merger.close()
    return time.process_time() - began, len(file.getvalue())


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--orders", type=int, default=40)
    count = parser.parse_args().orders
    orders = [order for order in json.loads(SAMPLES.read_text()) if order["status"] in {"completed", "processing"}]
    requests = [RenderRequest(DocumentType.INVOICE, json.dumps(order), "[]", STORE) for order in orders[:count]]
    prepare()
    for variant in PdfVariant:
        made(replace(requests[0], pdf=variant))
    turns = [turn(request, place) for place, request in enumerate(requests)]
    usual = PdfVariant.STANDARD
    print(f"{len(requests)} invoices of the samples, load {os.getloadavg()[0]:.1f}")
    print(f"{'':10} {'ms each':>8} {'×':>6} {'KB each':>8} {'×':>6} {'combined s':>11} {'KB':>7} {'×':>6}")
    together = {variant: combined(variant, [one[variant][1] for one in turns]) for variant in PdfVariant}
    for variant in PdfVariant:
        times = [one[variant][0] for one in turns]
        ratio = median(one[variant][0] / one[usual][0] for one in turns)
        size = sum(len(one[variant][1]) for one in turns)
        base = sum(len(one[usual][1]) for one in turns)
        seconds, bytes_ = together[variant]
        print(
            f"{variant:10} {median(times) * 1e3:8.1f} {ratio:6.2f} {size / len(turns) / 1e3:8.1f} {size / base:6.2f} "
            f"{seconds:11.2f} {bytes_ / 1e3:7.0f} {bytes_ / together[usual][1]:6.2f}"
        )


if __name__ == "__main__":
    main()
