"""Debian's Chromium, driven by Playwright: headless, and with nobody to talk to but this machine."""

import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page, Route, sync_playwright

ARGUMENTS: Final = (
    "--no-sandbox",  # continuous integration runs as root
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
)
WIDE: Final = {"width": 1280, "height": 900}
NARROW: Final = {"width": 360, "height": 760}
"""The narrowest phones of today, in CSS pixels."""


class ChromiumMissing(Exception):
    """There is no Chromium on this machine."""


@contextmanager
def chromium() -> Iterator[Browser]:
    """A browser; raises `ChromiumMissing`."""
    found = shutil.which("chromium")
    if found is None:
        raise ChromiumMissing("chromium is not installed: make setup-test")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=found, args=list(ARGUMENTS))
        try:
            yield browser
        finally:
            browser.close()


@contextmanager
def page_of(
    browser: Browser, url: str, *, forgiven: str = "responded with a status of (4|50[34])", **options: Any
) -> Iterator[Page]:
    """A page with cookies of its own; whatever it asks of another server fails the test.

    So does whatever it complains of, unless it matches what is `forgiven`, a regular expression: by default answers
    that a page tells its reader of.
    """
    context = browser.new_context(base_url=url, **{"viewport": WIDE, "reduced_motion": "reduce", **options})
    elsewhere: list[str] = []
    complaints: list[str] = []

    def let_through(route: Route) -> None:
        if route.request.url.startswith((url, "data:")):
            route.continue_()
        else:
            elsewhere.append(route.request.url)
            route.abort()

    context.route("**/*", let_through)
    page = context.new_page()
    page.set_default_timeout(60_000)
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on("console", lambda told: complaints.append(told.text) if told.type == "error" else None)
    try:
        yield page
    finally:
        context.close()
    assert elsewhere == []
    unforgiven = [one for one in complaints if not re.search(forgiven, one)]
    assert unforgiven == [], unforgiven


def violations(page: Page) -> list[str]:
    """What axe-core finds wrong by WCAG 2.2 A and AA, and by its good practice."""
    found = Axe().run(page, options={"resultTypes": ["violations"]}).response["violations"]
    return [f"{one['id']}: {one['help']}: {node['html'][:200]}" for one in found for node in one["nodes"]]


def is_too_wide(page: Page) -> bool:
    """Whether a reader has to scroll sideways."""
    return bool(page.evaluate("document.documentElement.scrollWidth > document.documentElement.clientWidth"))
