"""How much of WeasyPrint's time a document is spared: a plain loop, its public API at its best, our child, our pool.

    nice -n -10 .venv/bin/python -m bench.render --orders 500

All make the same invoices and take turns, so that the machine's noise falls on each alike.
"""

import argparse
import io
import json
import os
import platform
from datetime import timedelta
from functools import partial
from importlib.metadata import version

from PIL import Image, ImageDraw

from app.documents.contract import RenderedDocument, RenderRequest
from app.documents.pool import RendererPool
from bench.mixed import mixed_orders
from bench.renderers import ways
from bench.renderers.turns import BLOCK, TOGETHER, PoolRunner, Way, lines, taking_turns
from bench.renderers.usual import usual_page

TIME_LIMIT = timedelta(seconds=60)


def run(*, quick: bool) -> str:
    """The tables, in some two minutes or ten."""
    return "\n".join([*table(60 if quick else 500), "", *with_logo(20 if quick else 60)])


def table(count: int) -> list[str]:
    """One process each, and the pool of all cores."""
    count -= count % (BLOCK * TOGETHER)
    orders = [json.dumps(order) for order in mixed_orders(count)]
    requests = list(map(ways.request_for, orders))
    pages = list(map(ways.page_of, orders))
    cores = os.cpu_count() or 1
    pool = RendererPool(workers=cores, time_limit=TIME_LIMIT, memory_limit=1 << 30, documents_per_child=10_000)
    pool.warm_up()
    try:
        taken = taking_turns(
            [
                Way("plain loop, page as usually written", ways.plain, list(map(usual_page, orders))),
                Way("plain loop, our page", ways.plain, pages),
                Way("public API at its best, our page", ways.public_at_its_best, pages),
                Way("our child: order to checked PDF", ways.ours, requests),
            ],
            [PoolRunner(Way(f"our pool, {cores} children", lambda: partial(pdf_of, pool), requests), callers=cores)],
        )
    finally:
        pool.close()
    per_order = sum(len(json.loads(order)["line_items"]) for order in orders) / count
    head = f"{count} mixed invoices of {per_order:.1f} lines on average; {machine()}"
    by_page, best, child, pooled = taken[1:]
    return [
        head,
        *lines(taken),
        f"our child: {child.rate / by_page.rate:.2f} × a plain loop over our page, {child.rate / best.rate:.2f} × the"
        f" public API at its best; the pool: {pooled.rate / child.rate:.2f} × one child",
    ]


def pdf_of(pool: RendererPool, request: RenderRequest) -> bytes:
    """One document of the pool."""
    made = pool.render(request)
    assert isinstance(made, RenderedDocument), made
    return made.pdf


def with_logo(count: int) -> list[str]:
    """The same for a store with a logo."""
    image = Image.new("RGBA", (1200, 400))
    pen = ImageDraw.Draw(image)
    for place in range(60):
        pen.ellipse(
            (place * 20, place * 5 % 300, place * 20 + 150, place * 5 % 300 + 90), fill=(place * 4, 90, 120, 255)
        )
    file = io.BytesIO()
    image.save(file, "PNG")
    logo = file.getvalue()
    orders = [json.dumps(order) for order in mixed_orders(count)]
    taken = taking_turns(
        [
            Way("our child without a logo", ways.ours, list(map(ways.request_for, orders))),
            Way("our child, PNG logo of 1,200 × 400", ways.ours, [ways.request_for(order, logo) for order in orders]),
        ]
    )
    return [f"{count} invoices", *lines(taken)]


def machine() -> str:
    """What the figures are from."""
    return (
        f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}, Python {platform.python_version()},"
        f" WeasyPrint {version('weasyprint')}"
    )


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--orders", type=int, default=500)
    wanted = parser.parse_args()
    print("\n".join([*table(wanted.orders), "", *with_logo(max(20, wanted.orders // 8))]))


if __name__ == "__main__":
    main()
