"""Progress as it moves: the page's stream shows what the page shows, and is its owner's alone."""

import pytest

from app.web.texts import Texts
from tests.api.finishing import finish
from tests.shop import orders
from tests.web.conftest import Browser

TEXTS = Texts("en")
pytestmark = pytest.mark.parametrize("migrated_url", ["sqlite"], indirect=True)


def test_a_page_that_is_left_open_is_told_its_end(door, alice, hers):
    alice.load(orders(3))
    export = alice.create().json()
    path = f"/exports/{export['id']}"
    assert f'data-live="{path}/events"' in hers.look(path)
    finish(door.database, door.artifacts, export["id"])

    stream = hers("GET", f"{path}/events", headers={"Accept": "text/event-stream"})
    again = hers("GET", f"{path}/events", headers={"Last-Event-ID": stream.text.partition("id: ")[2].split()[0]})

    assert 'data: <div class="now" data-state="completed" data-percent="100"' in stream.text
    assert TEXTS("doing.completed") in stream.text
    assert again.status_code == 204
    assert "data-live" not in hers.look(path)


def test_nobody_follows_what_is_not_theirs(door, alice, browser):
    alice.load(orders(1))
    path = f"/exports/{alice.create().json()['id']}/events"
    bobs = Browser(door)
    bobs.sign_in(door.owner("bob").token)

    nobody = browser("GET", path, headers={"Accept": "text/event-stream"})
    bob = bobs("GET", path, headers={"Accept": "text/event-stream"})

    # a redirect would be followed by the script's stream, to a page that is none
    assert (nobody.status_code, bob.status_code) == (401, 404)
