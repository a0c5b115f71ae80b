"""The pages of exports in every state, by the same figures as the API, to their owner alone."""

from uuid import UUID, uuid4

import pytest
from sqlalchemy import text

from app.database import jobs
from app.database.planning import plan
from app.domain.codes import JobFailure
from app.domain.lifecycle import JobEvent
from app.web.texts import Texts
from tests.api.finishing import ARCHIVE, SHA256, claimed, finish, render_step
from tests.shop import orders
from tests.web.conftest import Browser

TEXTS = Texts("en")
pytestmark = pytest.mark.parametrize("migrated_url", ["sqlite"], indirect=True)


def plan_it(door, export):
    with door.database.transaction() as tx:
        plan(tx, claimed(tx, id_of(export)), max_items=1000)


def id_of(export):
    return UUID(export["id"])


@pytest.fixture
def export(alice):
    """Of twelve orders; one more was asked for that does not exist."""
    alice.load(orders(12))
    return alice.create(selection={"order_ids": [*range(5001, 5013), 1]}).json()


def test_without_exports_the_page_says_what_to_do_first(hers, alice):
    without_orders = hers.look("/exports")
    alice.load(orders(1))
    with_orders = hers.look("/exports")

    assert TEXTS("exports.no_orders") in without_orders
    assert TEXTS("exports.none_yet") in with_orders


def test_a_queued_export_tells_its_place_and_what_it_waits_for(hers, export):
    for page in (hers.look("/exports"), hers.look(f"/exports/{export['id']}")):
        assert "place 1 in the queue" in page
        assert TEXTS("waiting.worker") in page
        assert f"/exports/{export['id']}/cancel" in page
    assert hers("GET", "/exports").headers["retry-after"] == "2"


def test_an_export_at_work_shows_the_figures_of_the_api(door, alice, hers, export):
    plan_it(door, export)
    render_step(door.database, id_of(export))
    with door.database.transaction() as tx:
        tx.execute(text("UPDATE jobs SET planned_at = '2026-01-01T00:00:00.000000Z'"))

    told = alice("GET", export["links"]["self"]).json()
    page = hers.look(f"/exports/{export['id']}")

    assert (told["percent"], told["counts"]["rendered"]) == (83, 10)
    assert '<progress max="100" value="83"' in page
    assert "11 of 13" in page
    assert "a minute" in page
    assert "days left" in page
    assert TEXTS("item.order_not_found") in page
    assert TEXTS("do.order_not_found") in page


def test_a_completed_export_is_downloaded_as_the_api_gives_it(door, alice, hers, export):
    finish(door.database, door.artifacts, export["id"])
    path = f"/exports/{export['id']}"

    page = hers.look(path)
    whole, part = hers("GET", f"{path}/archive"), hers("GET", f"{path}/archive", headers={"Range": "bytes=0-3"})

    assert SHA256 in page
    assert TEXTS("export.retry_failed", count=1) in page
    assert (whole.status_code, whole.content) == (200, ARCHIVE)
    assert (part.status_code, part.content) == (206, ARCHIVE[:4])
    assert whole.headers["repr-digest"] == alice("GET", export["links"]["archive"]).headers["repr-digest"]
    listed = hers("GET", f"{path}/failures.csv")
    assert listed.text == alice("GET", export["links"]["failures"], headers={"Accept": "text/csv"}).text
    assert hers("GET", f"{path}/manifest.csv").text.count("\n") == 14
    listed = hers.look("/exports")
    assert f'href="{path}/archive"' in listed
    assert f'action="{path}/retry"' in listed


def test_an_expired_archive_is_a_page_that_says_so(door, hers, export):
    finish(door.database, door.artifacts, export["id"])
    with door.database.transaction() as tx:
        tx.execute(text("UPDATE jobs SET expires_at = created_at"))

    answer = hers("GET", f"/exports/{export['id']}/archive")

    assert (answer.status_code, answer.headers["content-type"]) == (410, "text/html; charset=utf-8")
    assert "kept until its expiry" in answer.text
    assert TEXTS("export.expired") in hers.look(f"/exports/{export['id']}")
    assert TEXTS("exports.expired") in hers.look("/exports")


def test_a_failed_export_says_why_and_what_an_operator_noted(door, hers, export):
    with door.database.transaction() as tx:
        job = jobs.lock_job(tx, id_of(export))
        jobs.move_job(tx, job, JobEvent.FAILED, failure_code=JobFailure.FAILED_BY_OPERATOR, failure_note="<b>Full</b>")

    page = hers.look(f"/exports/{export['id']}")

    assert "An operator ended this export: &lt;b&gt;Full&lt;/b&gt;" in page
    assert TEXTS("export.retry") in page
    assert "Failed" in hers.look("/exports?state=failed")
    assert TEXTS("exports.none_such") in hers.look("/exports?state=completed")


def test_cancel_retry_and_delete_do_what_they_say_once(door, alice, hers, export):
    path = f"/exports/{export['id']}"

    cancelled = hers.post(f"{path}/cancel")
    again = hers.post(f"{path}/cancel")
    gone = hers.post(f"{path}/delete")

    assert [(one.status_code, one.headers["location"]) for one in (cancelled, again, gone)] == [
        (303, path), (303, path), (303, "/exports"),
    ]  # fmt: skip
    assert alice("GET", export["links"]["self"]).status_code == 404

    other = alice.create(selection={"order_ids": [5001, 1]}).json()
    finish(door.database, door.artifacts, other["id"])
    page = f"/exports/{other['id']}"
    too_late = hers.post(f"{page}/cancel")
    key = hers.hidden(page)["key"]
    twice = [hers.post(f"{page}/retry", {"key": key}) for _ in range(2)]

    assert too_late.headers["location"] == page
    assert {(one.status_code, one.headers["location"]) for one in twice} == {(303, twice[0].headers["location"])}
    assert len(alice("GET", f"/v1/exports?retry_of={other['id']}").json()["items"]) == 1
    assert TEXTS("export.parent") in hers.look(twice[0].headers["location"])
    assert twice[0].headers["location"] in hers.look(page)
    in_the_way = hers.post(f"{page}/retry", {"key": "another"})
    assert (in_the_way.status_code, "active export" in in_the_way.text) == (409, True)
    assert f'href="{twice[0].headers["location"]}"' in in_the_way.text


@pytest.mark.parametrize("other", [("bob", "demo"), ("alice", "elsewhere")])
def test_a_foreign_export_is_answered_like_an_unknown_one(door, alice, export, other):
    stranger = Browser(door)
    stranger.sign_in(door.owner(*other).token)
    reads = ("", "/archive", "/failures.csv", "/manifest.csv")

    for one in (export["id"], uuid4(), "no-uuid"):
        answers = [stranger("GET", f"/exports/{one}{rest}") for rest in reads]
        answers += [stranger.post(f"/exports/{one}/{verb}", {"key": "k"}) for verb in ("cancel", "retry", "delete")]
        assert {answer.status_code for answer in answers} == {404}
        assert len({answer.content for answer in answers}) <= 2  # those that can be repeated offer it
    assert alice("GET", export["links"]["self"]).json()["state"] == "queued"
    assert export["id"] not in stranger.look("/exports")


def test_items_without_a_document_are_chosen_by_reason_and_paged(door, alice, hers):
    alice.load([*orders(60), *({**one, "status": "cancelled"} for one in orders(60, first=61))])
    export = alice.create().json()
    plan_it(door, export)
    path = f"/exports/{export['id']}"

    first = hers.look(path)
    (after,) = {part.split("#")[0] for part in first.split("after=")[1:]}
    second = hers.look(f"{path}?after={after.partition('#')[0].partition(chr(34))[0]}")

    assert first.count("No invoice is owed") == 50
    assert second.count("No invoice is owed") == 10
    assert TEXTS("items.none_such") in hers.look(f"{path}?code=order_not_found")


def test_documents_with_warnings_are_told_with_them_and_paged(door, alice, hers):
    alice.load(orders(65))
    export = alice.create().json()
    plan_it(door, export)
    path = f"/exports/{export['id']}"
    without = hers.look(path)
    for _ in range(6):
        render_step(door.database, id_of(export), warnings=("No font has U+E000.", "Sums < lines."))
    render_step(door.database, id_of(export))

    first = hers.look(path)
    (after,) = {part.partition('"')[0] for part in first.split("odd_after=")[1:]}
    second = hers.look(f"{path}?odd_after={after.partition('#')[0]}")

    assert TEXTS("odd.title") not in without
    assert TEXTS("odd.count", count=60) in first
    assert [page.count("No font has U+E000.<br>Sums &lt; lines.") for page in (first, second)] == [50, 10]
    assert "odd_after=" not in second


def test_lists_are_paged_newest_first(alice, hers, monkeypatch):
    monkeypatch.setattr("app.web.routes.exports._ROWS", 2)
    alice.load(orders(1))
    for _ in range(3):
        alice("POST", alice.create().json()["links"]["cancel"])

    first = hers.look("/exports")
    (following,) = {part.partition('"')[0].replace("&amp;", "&") for part in first.split('rel="next" href="')[1:]}

    assert first.count("<tr>") - 1 == 2
    assert hers.look(following).count("<tr>") - 1 == 1


def test_stored_text_is_text(door, alice, hers):
    alice.load([{**orders(1)[0], "number": "<script>alert(1)</script>", "status": "cancelled"}])
    export = alice.create(filename_pattern="{number} & co").json()
    plan_it(door, export)

    page = hers.look(f"/exports/{export['id']}")

    assert "<script>alert" not in page
    assert "&lt;script&gt;alert(1)" in page
    assert "{number} &amp; co" in page
