"""The main path in a real browser, with its script and without: on one started installation, with nobody outside."""

import re

import pytest

from tests.waiting import until
from tests.web.browsing.steps import (
    EXPORT,
    WATCH,
    bring_in,
    bring_in_an_odd_one,
    check,
    create,
    download,
    sign_in,
    wait_until,
)
from tests.web.chromium import NARROW, page_of


def test_from_sign_in_to_the_archive_and_its_failures(browser, installation):
    with page_of(browser, installation.url, accept_downloads=True) as page:
        sign_in(page, installation.token("alice"))
        bring_in(page)

        page.get_by_role("link", name="Make an export").click()
        page.get_by_label("From", exact=True).wait_for(state="hidden")
        page.get_by_label("Order numbers").fill("7102, 7103, no-such")
        page.get_by_label("File name").fill("{number} of {customer}")
        page.locator("#example").get_by_text(re.compile("-of-")).wait_for()
        page.get_by_role("button", name="Preview").click()
        page.locator("#preview").get_by_text("7103-of-").wait_for()

        page.add_init_script(WATCH)
        page.locator("#preview").get_by_role("button", name="Create the export").click()
        page.wait_for_url(EXPORT)
        page.get_by_role("link", name="Download the archive").wait_for()
        seen = page.evaluate("window.seen")
        assert seen == sorted(seen)
        assert max(seen) < 100
        assert page.get_by_text("No order with number no-such").is_visible()
        assert len([name for name in download(page) if name.endswith(".pdf")]) == 2


@pytest.mark.long
def test_every_page_is_open_to_everybody_in_every_light_and_width(browser, installation):
    token = installation.token("dora")
    with page_of(browser, installation.url) as page:
        page.goto("/sign-in")
        check(page)
        sign_in(page, token)
        check(page)
        bring_in(page)
        check(page)
        odd = bring_in_an_odd_one(page)
        page.goto("/exports/new")
        page.get_by_label("Order numbers").fill(f"7104, no-such, {odd}")
        page.get_by_role("button", name="Preview").click()
        check(page)
        sample = page.get_by_role("link", name="Sample of order 7104 as PDF").get_attribute("href")
        assert until(lambda: page.request.get(sample).body().startswith(b"%PDF"))
        page.locator("#preview").get_by_role("button", name="Create the export").click()
        page.get_by_role("link", name="Download the archive").wait_for()
        assert page.locator("section", has_text="Made, but odd").get_by_text("No font has U+1FAE9").is_visible()
        check(page)

        export = page.url
        page.get_by_role("button", name="Retry the failed one").click()
        wait_until(page, "No item of this export could be rendered")
        check(page)
        page.get_by_role("link", name="It retries an earlier export").click()

        create(page, *(str(number) for number in range(7101, 7151)))
        check(page)
        page.get_by_text("Cancel…").click()
        page.get_by_role("button", name="Cancel this export").click()
        wait_until(page, "Stopped at your request")

        installation.ask("UPDATE jobs SET expires_at = created_at WHERE owner = 'dora' AND archive_bytes IS NOT NULL")
        page.goto(export)
        check(page)
        page.get_by_text("The archive has expired.").wait_for()
        assert page.goto(f"{export}/archive").status == 410
        check(page)
        page.goto("/store")
        page.locator("#shown img").wait_for()
        check(page)

    with page_of(browser, installation.url, viewport=NARROW, color_scheme="dark") as page:
        sign_in(page, token)
        for path in ("/exports", "/exports/new", "/orders", "/orders/check", "/store", "/nowhere"):
            page.goto(path)
            check(page)
        page.goto("/exports?state=completed")
        page.locator("td").get_by_role("link", name="Invoices").first.click()
        check(page)

    with page_of(browser, installation.url) as page:
        # any complaint about its policy would fail the test
        page.goto("/docs")
        page.get_by_text("Create an export", exact=True).wait_for()
        sign_in(page, installation.token("bob"))
        assert page.get_by_text("No exports yet").is_visible()


@pytest.mark.long
def test_without_the_script_everything_is_there(browser, installation):
    with page_of(browser, installation.url, java_script_enabled=False, accept_downloads=True) as page:
        sign_in(page, installation.token("carol"))
        bring_in(page)

        create(page, "7102")
        while not page.get_by_role("link", name="Download the archive").is_visible():
            page.get_by_role("link", name="Look again").click()

        assert [name for name in download(page) if name.endswith(".pdf")] == ["invoice-7102.pdf"]
        page.locator(".me summary").click()
        page.get_by_role("button", name="Sign out", exact=True).click()
        page.wait_for_url("**/sign-in")
        page.goto("/exports")
        assert page.get_by_label("Token").is_visible()
