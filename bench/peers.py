"""Our renderer beside dompdf, Chromium and Typst, each kept running, on the same invoices: a core each, and all cores.

    bench/renderers/peers.sh    # once, as root: PHP, dompdf and Chromium of Debian
    nice -n -10 .venv/bin/python -m bench.peers --orders 200
    … --typst PYTHON            # with Typst, by a Python that has the package `typst`

The others are given our finished HTML with our style sheets inside; ours begins at the order's JSON and reads its PDF
back. They do less: README.md here says what.
"""

import argparse
import json
import os
import subprocess
from functools import partial

from app.documents.pool import RendererPool
from bench.mixed import mixed_orders
from bench.render import TIME_LIMIT, machine, pdf_of
from bench.renderers import peers, ways
from bench.renderers.turns import BLOCK, TOGETHER, Fleet, PoolRunner, Way, lines, taking_turns


def run(*, quick: bool) -> str:
    """The tables, in some two minutes or ten; or what is missing for them."""
    if absent := peers.missing():
        return f"not installed: {', '.join(absent)}; see bench/renderers/peers.sh"
    return "\n".join(table(40 if quick else 200))


def table(count: int, *, typst: str | None = None) -> list[str]:
    """One core each, then all cores."""
    count -= count % (BLOCK * TOGETHER)
    orders = [json.dumps(order) for order in mixed_orders(count)]
    requests = list(map(ways.request_for, orders))
    pages = [peers.in_one(ways.page_of(order)) for order in orders]
    cores = os.cpu_count() or 1
    others = [
        Way("dompdf", peers.dompdf, list(map(peers.with_a_font_of_its_own, pages))),
        Way("Chromium", peers.chromium, pages),
    ]
    if typst is not None:
        words = [peers.words_of(ways.view_of(order).view) for order in orders]
        others.append(Way("Typst, a page like ours", partial(peers.typst, typst), words))
    pool = RendererPool(workers=cores, time_limit=TIME_LIMIT, memory_limit=1 << 30, documents_per_child=10_000)
    pool.warm_up()
    try:
        taken = taking_turns(
            [Way("our child", ways.ours, requests), *others],
            [
                PoolRunner(Way(f"our pool, {cores} children", lambda: partial(pdf_of, pool), requests), callers=cores),
                *(Fleet(way, processes=cores) for way in others),
            ],
            core=cores - 1,
        )
    finally:
        pool.close()
    return [f"{count} mixed invoices, those alone on one core; {machine()}; {_versions()}", *lines(taken)]


def _versions() -> str:
    asked = (["dpkg-query", "--show", "--showformat", "dompdf ${Version}", "php-dompdf"], ["chromium", "--version"])
    return ", ".join(subprocess.run(one, capture_output=True, text=True, check=True).stdout.strip() for one in asked)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--orders", type=int, default=200)
    parser.add_argument("--typst", metavar="PYTHON", help="a Python that has the package typst")
    wanted = parser.parse_args()
    absent = peers.missing()
    print("\n".join([f"not installed: {', '.join(absent)}"] if absent else table(wanted.orders, typst=wanted.typst)))


if __name__ == "__main__":
    main()
