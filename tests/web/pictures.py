"""`python -m tests.web.pictures`: draw every page of the console, light and dark, wide and narrow, into docs/pages."""

import tempfile
from pathlib import Path

from playwright.sync_api import Browser

from tests.installation import ROOT, embedded
from tests.web.chromium import NARROW, WIDE, chromium, page_of

FOLDER = ROOT / "docs" / "pages"
ORDERS = ROOT / "samples" / "orders.json"
KINDS = {
    "light-wide": {"viewport": WIDE},
    "dark-wide": {"viewport": WIDE, "color_scheme": "dark"},
    "light-narrow": {"viewport": NARROW},
    "dark-narrow": {"viewport": NARROW, "color_scheme": "dark"},
}


def main() -> None:
    """Make an export on an installation of its own, then draw."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    with (
        tempfile.TemporaryDirectory(prefix="sheaf-pages-") as folder,
        embedded(Path(folder)) as installation,
        chromium() as browser,
    ):
        token = installation.token("ada", "corner")
        export = _prepared(browser, installation.url, token)
        places = {"exports": "/exports", "export": export, "new-export": "/exports/new", "orders": "/orders"}
        for kind, options in KINDS.items():
            with page_of(browser, installation.url, **options) as page:
                page.goto("/sign-in")
                page.screenshot(path=FOLDER / f"sign-in-{kind}.png")
                page.fill("#token", token)
                page.press("#token", "Enter")
                page.wait_for_url("**/exports")
                for name, path in places.items():
                    page.goto(path)
                    page.screenshot(path=FOLDER / f"{name}-{kind}.png")


def _prepared(browser: Browser, url: str, token: str) -> str:
    """The path of an export that has ended, with failures to show."""
    with page_of(browser, url) as page:
        page.goto("/")
        page.fill("#token", token)
        page.press("#token", "Enter")
        page.wait_for_url("**/exports")
        page.goto("/orders")
        page.set_input_files("#file", ORDERS)
        page.get_by_role("button", name="Import", exact=True).click()
        page.get_by_text("The import is done").wait_for()
        page.goto("/exports/new")
        page.fill("#numbers", "7102, 7103, 7104, 7107, 7110, no-such")
        page.locator("main form").get_by_role("button", name="Create the export").click()
        page.get_by_role("link", name="Download the archive").wait_for()
        return page.url.removeprefix(url)


if __name__ == "__main__":
    main()
