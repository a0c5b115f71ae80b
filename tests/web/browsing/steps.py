"""What people do in the console, step by step."""

import io
import json
import re
import zipfile
from pathlib import Path

from playwright.sync_api import Download, Page

from tests.installation import ROOT
from tests.web.chromium import is_too_wide, violations

ORDERS = ROOT / "samples" / "orders.json"
EXPORT = re.compile(r"/exports/[0-9a-f-]{36}$")
WATCH = """
window.seen = [];
const look = () => document.querySelectorAll("progress").forEach((bar) => window.seen.push(Number(bar.value)));
new MutationObserver(look).observe(document, { childList: true, subtree: true, attributes: true });
"""
"""Remembers every value that the bar ever had."""


def sign_in(page: Page, token: str) -> None:
    page.goto("/")
    page.get_by_label("Token").fill(token)
    page.get_by_label("Token").press("Enter")
    page.wait_for_url("**/exports")


def bring_in(page: Page) -> None:
    """Import the sample orders."""
    _import(page, ORDERS.name, ORDERS.read_bytes())


def bring_in_an_odd_one(page: Page) -> str:
    """Import an order with a character that no font has; its number."""
    odd = {**json.loads(ORDERS.read_text())[0], "id": 7999, "number": "7999", "customer_note": "For my cat \U0001fae9"}
    _import(page, "odd.json", json.dumps([odd]).encode())
    return "7999"


def _import(page: Page, name: str, content: bytes) -> None:
    page.goto("/orders")
    page.set_input_files("#file", {"name": name, "mimeType": "application/json", "buffer": content})
    page.get_by_role("button", name="Import", exact=True).click()
    page.get_by_text("The import is done").wait_for()


def create(page: Page, *numbers: str) -> None:
    """An export of these orders, whose page is then shown."""
    page.goto("/exports/new")
    page.get_by_label("Order numbers").fill("\n".join(numbers))
    page.locator("main form").get_by_role("button", name="Create the export").click()
    page.wait_for_url(EXPORT)


def wait_until(page: Page, doing: str) -> None:
    """Wait until the export says that it does this."""
    page.locator(".now strong", has_text=doing).wait_for()


def download(page: Page) -> list[str]:
    """The names in the archive."""
    with page.expect_download() as found:
        page.get_by_role("link", name="Download the archive").click()
    return names_in(found.value)


def names_in(found: Download) -> list[str]:
    """The names in a ZIP."""
    return zipfile.ZipFile(io.BytesIO(Path(found.path()).read_bytes())).namelist()


def check(page: Page) -> None:
    """What must be true of every page."""
    assert violations(page) == []
    assert not is_too_wide(page)
