"""The store's page in a browser: a document follows what is typed, before anything is saved."""

import pytest

from tests.web.browsing.steps import bring_in, check, sign_in
from tests.web.chromium import page_of

SHOWN = """
window.shown = [];
const note = () => {
  const one = document.querySelector("#shown img")?.src;
  if (one && one !== window.shown.at(-1)) window.shown.push(one);
};
new MutationObserver(note).observe(document, { childList: true, subtree: true });
"""
"""Remembers every picture that was shown, in their order."""


def newest(page, than):
    """Wait for another picture than this one."""
    page.wait_for_function("than => (document.querySelector('#shown img')?.src ?? than) !== than", arg=than)
    return page.locator("#shown img").first.get_attribute("src")


def test_a_document_follows_what_is_typed_until_it_is_saved(browser, installation):
    with page_of(browser, installation.url) as page, installation.owner("typist", "typed") as owner:
        sign_in(page, installation.token("typist", "typed"))
        bring_in(page)
        page.add_init_script(SHOWN)
        page.clock.install()
        page.goto("/store")
        first = newest(page, "")
        before = owner.get("/v1/store").json()

        # while one is on its way no other is asked for, and what comes of it is not shown any more
        asked, sent = [], []
        page.route("**/store/preview", lambda route: asked.append(route) if not asked else route.continue_())
        page.on("request", lambda request: sent.append(request.url) if request.url.endswith("/store/preview") else None)
        page.get_by_label("Name").fill("Typed & S")
        page.clock.run_for(1000)
        page.wait_for_function("document.querySelector('[aria-busy]')")
        page.get_by_label("Name").fill("Typed & Sons")
        page.clock.run_for(1000)
        assert len(sent) == 1
        asked[0].continue_()
        second = newest(page, first)
        assert len(sent) == 2
        assert page.evaluate("window.shown") == [first, second]

        page.get_by_label("Colour", exact=True).fill("#ffcc00")
        page.locator("#shown .notice", has_text="1.51 to 1").wait_for()
        page.get_by_label("Colour", exact=True).fill("#1a4d8f")
        third = newest(page, "")
        page.get_by_label("Of", exact=True).select_option(label="order 7148, Katrin Öllinger")
        newest(page, third)
        page.locator("#contrast", has_text="to 1").wait_for()
        check(page)
        assert owner.get("/v1/store").json() == before

        page.get_by_role("button", name="Save").click()
        page.get_by_text("Saved: the settings are at version 2").wait_for()
        assert owner.get("/v1/store").json()["name"] == "Typed & Sons"


@pytest.mark.long
def test_without_the_script_a_button_shows_the_document(browser, installation):
    with page_of(browser, installation.url, java_script_enabled=False) as page:
        sign_in(page, installation.token("typist", "plain"))
        page.goto("/store")
        page.get_by_label("Name").fill("Plainly typed")
        page.get_by_label("Document").select_option("credit_note")

        for _ in range(20):
            page.get_by_role("button", name="Show").click()
            # until then it says that the renderer is starting
            if page.locator("#shown img").count():
                break

        assert page.get_by_label("Name").input_value() == "Plainly typed"
        assert page.get_by_label("Document").input_value() == "credit_note"
