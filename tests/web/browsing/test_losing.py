"""The stream of progress is lost, and its server: the page says so, asks as often as it is told, never goes back."""

from itertools import pairwise

from tests.web.browsing.steps import WATCH, bring_in, create, sign_in
from tests.web.chromium import page_of

LOST = "net::ERR_|responded with a status of 4"
"""What a browser complains of when a server is gone, and when it is refused."""


def test_a_page_whose_stream_and_server_are_lost_goes_on_by_asking(browser, installation):
    with page_of(browser, installation.url, forgiven=LOST) as page:
        sign_in(page, installation.token("lost", "lost"))
        bring_in(page)
        page.add_init_script(WATCH)
        refused, asked = [], []
        create(page)
        page.locator(".now progress:not([value='0'])").wait_for()

        page.route("**/events", lambda route: (refused.append(route.request.url), route.abort()))
        installation.server.kill()
        installation.server.wait()
        page.locator(".offline").wait_for()
        kept = int(page.locator(".now").get_attribute("data-percent"))
        is_poll = lambda answer: answer.url == page.url and answer.request.resource_type == "fetch"  # noqa: E731
        page.on("response", lambda answer: asked.append(answer) if is_poll(answer) else None)
        _, _, port = installation.url.rpartition(":")
        installation.serve("serve", *installation.data, "--port", port, "--verbose")

        page.locator(".offline").wait_for(state="detached")
        page.get_by_role("link", name="Download the archive").wait_for()
        seen = page.evaluate("window.seen")
        assert seen == sorted(seen)
        assert kept in seen
        assert max(seen) < 100
        assert refused
        polls = [(one.request.timing["startTime"], one.headers.get("retry-after")) for one in asked if one.ok]
        assert len(polls) > 2
        for (begun, wait), (following, _) in pairwise(polls):
            assert following - begun >= 1000 * int(wait)
