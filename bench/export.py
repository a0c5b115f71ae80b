"""How much of the bare renderer an export keeps: three ways to the same invoices, side by side in one run.

    .venv/bin/python bench/export.py --orders 200

1. a plain loop over our renderer in one process;
2. the bare renderer pool, one child a core;
3. a whole export: POST to archive through `sheaf serve`.
"""

import argparse
import json
import os
import platform
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from pathlib import Path
from typing import Any

from app.cli.ownserver import own_server
from app.cli.targets import target_database
from app.client import SheafClient
from app.database.stores import create_store, create_token
from app.documents.contract import DocumentType, RenderedDocument, RenderRequest, StoreSettings
from app.documents.pool import RendererPool
from app.documents.render import render_document
from app.domain.principal import Right

SAMPLES = Path(__file__).parents[1] / "samples" / "orders.json"
STORE = StoreSettings(
    name="Bench", address=("1 Test Lane",), tax_id="", locale="en", time_zone="UTC", paper="A4", logo=None
)


def orders(count: int) -> list[dict[str, Any]]:
    """That many orders that an invoice is owed for: the samples, over and over, each with an id of its own."""
    samples = [order for order in json.loads(SAMPLES.read_text()) if order["status"] in {"completed", "processing"}]
    return [
        {**samples[place % len(samples)], "id": 1_000_000 + place, "number": str(1_000_000 + place)}
        for place in range(count)
    ]


def seconds_of_loop(requests: list[RenderRequest]) -> float:
    """One process, one document after another; the first one is not counted."""
    render_document(requests[0])
    began = time.monotonic()
    for request in requests:
        assert isinstance(render_document(request), RenderedDocument)
    return time.monotonic() - began


def seconds_of_pool(requests: list[RenderRequest], children: int) -> float:
    """The renderer pool alone, ready before the clock starts."""
    pool = RendererPool(
        workers=children, time_limit=timedelta(seconds=60), memory_limit=1 << 30, documents_per_child=500
    )
    pool.warm_up()
    began = time.monotonic()
    with ThreadPoolExecutor(children) as threads:
        assert all(isinstance(made, RenderedDocument) for made in threads.map(pool.render, requests))
    seconds = time.monotonic() - began
    pool.close()
    return seconds


def seconds_of_export(given: list[dict[str, Any]], folder: Path) -> float:
    """From the POST to the archive, over HTTP, on an embedded server whose children are ready."""
    file = folder / "orders.json"
    file.write_text(json.dumps(given))
    with own_server(folder / "data") as url:
        with target_database(folder / "data") as database, database.transaction() as tx:
            store = create_store(tx, key="bench", name="Bench", address="1 Test Lane")
            minted = create_token(tx, store_id=store.id, owner="bench", rights=frozenset(Right), expires_at=None)
        with SheafClient(url, minted.text) as client:
            client.import_orders(file)
            time.sleep(3)
            began = time.monotonic()
            *_, export = client.wait(client.create_export().id)
            assert export.counts.rendered == len(given), export
            return time.monotonic() - began


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--orders", type=int, default=200)
    count = parser.parse_args().orders
    given, cores = orders(count), os.cpu_count() or 1
    requests = [RenderRequest(DocumentType.INVOICE, json.dumps(order), "[]", STORE) for order in given]
    with tempfile.TemporaryDirectory() as folder:
        rows = [
            ("plain loop, one process", seconds_of_loop(requests)),
            (f"renderer pool, {cores} children", seconds_of_pool(requests, cores)),
            ("export, POST to archive", seconds_of_export(given, Path(folder))),
        ]
    base = rows[0][1]
    print(f"{count} mixed invoices, {cores} cores, Python {platform.python_version()}, load {os.getloadavg()[0]:.1f}")
    for name, seconds in rows:
        print(f"{name:32} {seconds:7.1f} s  {count / seconds:6.1f} documents/s  {base / seconds:5.2f} × the loop")
    print(f"the export keeps {rows[1][1] / rows[2][1]:.0%} of the bare pool")


if __name__ == "__main__":
    main()
