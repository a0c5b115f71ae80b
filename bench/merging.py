"""Two libraries that merge the same invoices into one PDF with a bookmark each, side by side in one run.

    .venv/bin/python bench/merging.py --documents 500 --distinct 100

Each in a process of its own: seconds of CPU, peak memory, size of the file. `ours` is pikepdf as the archive uses it,
in parts of 500 and with what is the same kept once.
"""

import argparse
import json
import os
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from io import BytesIO
from multiprocessing import Pipe, get_context
from multiprocessing.connection import Connection
from pathlib import Path

from pikepdf import OutlineItem, Pdf
from pypdf import PdfReader, PdfWriter

from app.documents.contract import RenderedDocument, RenderRequest, StoreSettings
from app.documents.render import render_document
from app.domain.document_type import DocumentType
from tests.processes import peak_memory
from worker.merging import Merger

SAMPLES = Path(__file__).parents[1] / "samples" / "orders.json"
STORE = StoreSettings(name="Bench", address=("1 Test Lane",), tax_id="", locale="en", time_zone="UTC", paper="A4")
PART = 500


def with_pypdf(documents: Iterator[bytes], folder: Path) -> None:
    """All in one writer."""
    writer = PdfWriter()
    for document in documents:
        writer.append(PdfReader(BytesIO(document)), outline_item="x")
    writer.write(folder / "pypdf.pdf")


def with_pikepdf(documents: Iterator[bytes], folder: Path) -> None:
    """All in one PDF, nothing looked for that is the same."""
    merged, sources, firsts = Pdf.new(), [], []
    for document in documents:
        source = Pdf.open(BytesIO(document))
        firsts.append(len(merged.pages))
        merged.pages.extend(source.pages)
        sources.append(source)
    with merged.open_outline() as outline:
        outline.root.extend(OutlineItem("x", first) for first in firsts)
    merged.save(folder / "pikepdf.pdf", deterministic_id=True)


def with_ours(documents: Iterator[bytes], folder: Path) -> None:
    """As an archive does it."""
    for number, part in enumerate(iter(lambda: [one for _, one in zip(range(PART), documents, strict=False)], [])):
        merger = Merger("x")
        for document in part:
            merger.add(document, title="x")
        with (folder / f"ours-{number}.pdf").open("wb") as file:
            merger.save(file)
        merger.close()


def measure(merge: Callable[[Iterator[bytes], Path], None], files: Sequence[Path], count: int, out: Connection) -> None:
    """In a child: merge, and send seconds of CPU, peak bytes and bytes written."""
    with tempfile.TemporaryDirectory() as folder:
        began = time.process_time()
        merge((files[place % len(files)].read_bytes() for place in range(count)), Path(folder))
        seconds = time.process_time() - began
        size = sum(file.stat().st_size for file in Path(folder).iterdir())
    out.send((seconds, peak_memory(), size))


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--documents", type=int, default=500)
    parser.add_argument("--distinct", type=int, default=100)
    wanted = parser.parse_args()
    samples = [order for order in json.loads(SAMPLES.read_text()) if order["status"] in {"completed", "processing"}]
    with tempfile.TemporaryDirectory() as folder:
        files = []
        for place in range(wanted.distinct):
            order = {**samples[place % len(samples)], "id": 1_000_000 + place, "number": str(1_000_000 + place)}
            made = render_document(RenderRequest(DocumentType.INVOICE, json.dumps(order), "[]", STORE))
            assert isinstance(made, RenderedDocument)
            files.append(Path(folder) / f"{place}.pdf")
            files[-1].write_bytes(made.pdf)
        print(f"{wanted.documents} invoices, {wanted.distinct} of them distinct, load {os.getloadavg()[0]:.1f}")
        for merge in (with_pypdf, with_pikepdf, with_ours):
            receiver, sender = Pipe(duplex=False)
            child = get_context("spawn").Process(target=measure, args=(merge, files, wanted.documents, sender))
            child.start()
            seconds, peak, size = receiver.recv()
            child.join()
            print(f"{merge.__name__:14} {seconds:6.1f} s CPU  {peak / 1e6:6.0f} MB peak  {size / 1e6:6.1f} MB")


if __name__ == "__main__":
    main()
