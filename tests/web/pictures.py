"""`python -m tests.web.pictures`: draw every page of the console, light and dark, wide and narrow, into docs/pages."""

import io
import tempfile
from pathlib import Path
from urllib.parse import urlsplit

from PIL import Image
from playwright.sync_api import Page

from tests.installation import ROOT, embedded
from tests.web.browsing.steps import bring_in, bring_in_an_odd_one, create, sign_in
from tests.web.chromium import NARROW, WIDE, chromium, page_of

FOLDER = ROOT / "docs" / "pages"
COLOURS = 128
NUMBERS = "7102, 7103, 7104, 7107, 7110, no-such"
SETTINGS = {
    "name": "Alder & Finch",
    "address": "14 Harbour Row\nBristol BS1 4QA\nUnited Kingdom",
    "bank_lines": "Bank of Samples, Bristol\nIBAN GB33 BUKB 2020 1555 5555 55\nBIC BUKBGB22",
    "footer": "Alder & Finch Ltd · Registered in England and Wales no. 01234567",
    "accent": "#1a4d8f",
    "locale": "en-GB",
    "time_zone": "Europe/London",
}
KINDS = {
    "light-wide": {"viewport": WIDE},
    "dark-wide": {"viewport": WIDE, "color_scheme": "dark"},
    "light-narrow": {"viewport": NARROW},
    "dark-narrow": {"viewport": NARROW, "color_scheme": "dark"},
}


def main() -> None:
    """Make exports on an installation of its own, then draw."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    with (
        tempfile.TemporaryDirectory(prefix="sheaf-pages-") as folder,
        embedded(Path(folder)) as installation,
        chromium() as browser,
    ):
        token, newcomer = installation.token("ada", "corner"), installation.token("bob", "new")
        with page_of(browser, installation.url) as page:
            sign_in(page, token)
            places = _prepared(page)
        for kind, options in KINDS.items():
            with page_of(browser, installation.url, **options) as page:
                page.goto("/sign-in")
                _draw(page, f"sign-in-{kind}")
                sign_in(page, newcomer)
                _draw(page, f"no-exports-{kind}")
                page.context.clear_cookies()
                sign_in(page, token)
                for name, path in places.items():
                    page.goto(path)
                    if name == "store":
                        page.locator("#shown img").wait_for()
                    _draw(page, f"{name}-{kind}")
                page.goto("/exports/new")
                page.get_by_label("Order numbers").fill(NUMBERS)
                page.get_by_role("button", name="Preview").click()
                page.locator("#preview").wait_for()
                _draw(page, f"preview-{kind}")


def _prepared(page: Page) -> dict[str, str]:
    """The paths of the pages to draw: of an export with failures, of one that is at work, and those that need none."""
    bring_in(page)
    odd = bring_in_an_odd_one(page)
    _dressed(page)
    create(page, *NUMBERS.split(", "), odd)
    page.get_by_role("link", name="Download the archive").wait_for()
    ended = urlsplit(page.url).path
    return {
        "exports": "/exports",
        "export": ended,
        "new-export": "/exports/new",
        "orders": "/orders",
        "check": "/orders/check",
        "store": "/store",
        "not-found": "/nowhere",
    }


def _dressed(page: Page) -> None:
    """A store that looks like one."""
    page.goto("/store")
    for name, text in SETTINGS.items():
        page.locator(f"#{name}").fill(text)
    page.locator("[name=tax_label]").first.fill("VAT no.")
    page.locator("[name=tax_number]").first.fill("GB 123 4567 89")
    page.get_by_role("button", name="Save").click()
    page.get_by_text("Saved: the settings").wait_for()


def _draw(page: Page, name: str) -> None:
    """All of the page, in as many colours as it needs: a third of the bytes."""
    image = Image.open(io.BytesIO(page.screenshot(full_page=True)))
    image.convert("RGB").quantize(COLOURS).save(FOLDER / f"{name}.png", optimize=True)


if __name__ == "__main__":
    main()
