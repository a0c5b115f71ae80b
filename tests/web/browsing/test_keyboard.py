"""Everything can be done with a keyboard alone, and whoever does it sees at every stop where they are."""

from tests.web.browsing.keys import Keys
from tests.web.browsing.steps import EXPORT, bring_in, names_in, sign_in, wait_until
from tests.web.chromium import page_of

FOCUSED = "one => one === document.activeElement"
MANY = [str(number) for number in range(7101, 7141)]


def export_of(keys: Keys, *numbers: str) -> None:
    """Make an export by its form, looked at before it is made."""
    page = keys.page
    keys.press("New export")
    page.wait_for_url("**/exports/new")
    keys.press("Skip to the content")
    assert page.locator("main").evaluate(FOCUSED)
    keys.to("Invoices")
    page.keyboard.press("ArrowDown")
    assert page.get_by_label("Packing slips").is_checked()
    keys.type("Order numbers", ", ".join(numbers))
    keys.press("Preview", "Space")
    page.locator("#preview").wait_for()
    keys.press("Create the export")
    page.wait_for_url(EXPORT)


def test_from_sign_in_to_sign_out_with_the_keyboard_alone(browser, installation):
    with page_of(browser, installation.url, accept_downloads=True) as page:
        token = installation.token("keys", "keys")
        sign_in(page, token)
        bring_in(page)
        page.context.clear_cookies()
        keys = Keys(page)

        page.goto("/")
        keys.type("Token", token)
        page.keyboard.press("Enter")
        page.wait_for_url("**/exports")

        export_of(keys, *MANY)
        keys.press("Cancel…")
        held = page.locator("summary", has_text="Cancel…")
        page.locator(".now progress:not([value='0'])").wait_for()
        assert held.evaluate(FOCUSED)
        keys.press("Cancel this export")
        wait_until(page, "Stopped at your request")

        export_of(keys, "7102", "7103")
        keys.to("All exports")
        back = page.get_by_role("link", name="All exports")
        page.get_by_role("link", name="Download the archive").wait_for()
        # all of the page was replaced meanwhile
        assert back.evaluate(FOCUSED)
        with page.expect_download() as found:
            keys.press("Download the archive")
        assert len([name for name in names_in(found.value) if name.endswith(".pdf")]) == 2

        for path in ("/exports/new", "/store"):
            page.goto(path)
            assert Keys(page).round() > 20
        keys.press("keys at keys")
        keys.press("Sign out")
        page.wait_for_url("**/sign-in")
