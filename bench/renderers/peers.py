"""Other ways to a PDF, each kept running: Debian's dompdf and Chromium, of a page of HTML; Typst, of a view."""

import json
import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from app.documents import fonts
from app.documents.view import DocumentView, PricedTable
from bench.renderers.turns import Make

DOMPDF = Path("/usr/share/php/dompdf/autoload.php")
SCRIPT = Path(__file__).with_name("dompdf.php")
TYPST = Path(__file__).with_name("typst_server.py")


def missing() -> list[str]:
    """What is not installed of what is compared."""
    found = {"php": shutil.which("php"), "php-dompdf": DOMPDF.is_file(), "chromium": shutil.which("chromium")}
    return [name for name, is_there in found.items() if not is_there]


def in_one(page: tuple[str, Sequence[str]]) -> str:
    """The page with its style sheets inside."""
    html, sheets = page
    return html.replace("</head>", f"<style>{' '.join(sheets)}</style></head>", 1)


def with_a_font_of_its_own(page: str) -> str:
    """The page for dompdf, which knows no fontconfig: every script in Noto Sans, or as boxes."""
    return re.sub('"Sheaf [A-Z]+"', '"Noto Sans"', page)


def dompdf() -> Make:
    """A PHP process that stays, as fast as PHP's settings of Debian make it."""
    return _framed(["php", SCRIPT, tempfile.mkdtemp(prefix="sheaf-dompdf-")])


def typst(python: str) -> Make:
    """Typst by another Python, which has the package `typst`; given the words of a view as JSON."""
    return _framed([python, TYPST])


def _framed(command: Sequence[str | Path]) -> Make:
    """A process that answers each text with a PDF, the length of either before it."""
    server = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)

    def make(text: str) -> bytes:
        assert server.stdin is not None
        assert server.stdout is not None
        data = text.encode()
        server.stdin.write(b"%d\n%s" % (len(data), data))
        server.stdin.flush()
        return server.stdout.read(int(server.stdout.readline()))

    return make


def words_of(view: DocumentView) -> str:
    """A view as JSON, flat as `invoice.typ` reads it."""
    frame, table = view.frame, view.table
    assert isinstance(table, PricedTable)
    return json.dumps(
        {
            **asdict(frame),
            "columns": [table.columns[key] for key in ("item", "quantity", "unit_price", "tax", "amount")],
            "lines": list(map(asdict, table.lines)),
            "sums": [asdict(one) for one in (*table.sums, *([table.total] if table.total else ()), *table.included)],
        }
    )


def chromium() -> Make:
    """A browser that stays, with one page that is filled again and again."""
    from playwright.sync_api import sync_playwright  # noqa: PLC0415

    fonts.use_declared_fonts()
    browser = (
        sync_playwright()
        .start()
        .chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"], env={**os.environ})
    )
    page = browser.new_page()

    def make(html: str) -> bytes:
        page.set_content(html)
        return page.pdf(prefer_css_page_size=True)

    return make
