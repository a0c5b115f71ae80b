"""Following an export: every listener hears what is new, in order, and one final state."""

import json
from contextlib import ExitStack
from uuid import UUID

import pytest
from sqlalchemy import event

from app.api.application import drain
from app.api.events import event_stream
from app.api.watching import Watcher
from app.database.deleting import remove_jobs
from app.database.jobs import find_watched_jobs
from app.database.planning import plan
from app.exports.inspect import views
from tests.api.finishing import claimed, finish, render_step
from tests.shop import orders
from tests.waiting import until


def snapshots(text: str) -> list[dict]:
    """What a stream has told."""
    found = []
    for block in text.split("\n\n"):
        lines = dict(line.partition(": ")[::2] for line in block.splitlines() if not line.startswith(":"))
        if "data" in lines:
            found.append({**json.loads(lines["data"]), "event": lines["event"], "event_id": int(lines["id"])})
    return found


@pytest.fixture
def export(alice):
    alice.load(orders(25))
    return alice.create().json()


@pytest.fixture
def streaming(listening):
    """Begins to follow an export beside the test."""
    return lambda export, **headers: listening(f"{export['links']['self']}/events", **headers)


def test_a_stream_goes_forward_only_and_ends_with_the_one_final_state(door, alice, export, streaming):
    streams = [streaming(export) for _ in range(2)]
    heard = door.api.state.watcher.looks

    with door.database.transaction() as tx:
        plan(tx, claimed(tx, UUID(export["id"])), max_items=1000)
    until(lambda: door.api.state.watcher.looks > heard + 1)
    render_step(door.database, UUID(export["id"]))
    heard = door.api.state.watcher.looks
    until(lambda: door.api.state.watcher.looks > heard + 1)
    alice("POST", export["links"]["cancel"])

    for stream in streams:
        answer = stream.result()
        told = snapshots(answer.text)
        assert answer.headers["content-type"].startswith("text/event-stream")
        assert [one["state"] for one in told] == ["queued", "processing", "processing", "cancelled"]
        assert [one["percent"] for one in told] == [0, 0, 39, 39]
        assert [one["event_id"] for one in told] == [one["revision"] for one in told]
        assert len({one["revision"] for one in told}) == len(told) == len(sorted(one["revision"] for one in told))
        assert {one["event"] for one in told} == {"snapshot"}
    assert until(lambda: door.api.state.watcher.count == 0)


def test_whoever_comes_back_is_told_what_is_newer_and_nothing_twice(door, alice, export):
    finish(door.database, door.artifacts, export["id"])
    path = f"{export['links']['self']}/events"
    final = alice("GET", export["links"]["self"]).json()

    def told(last):
        answer = alice("GET", path, headers={"Last-Event-ID": last})
        return answer.status_code, [one["event_id"] for one in snapshots(answer.text)]

    assert told(str(final["revision"])) == (204, [])
    assert told("1") == told("nonsense") == told("") == (200, [final["revision"]])
    assert snapshots(alice("GET", path).text)[0]["percent"] == 100


def test_a_stream_of_an_unchanged_export_says_nothing_known_and_ends_in_its_time(door, export):
    with door.database.reading() as tx:
        view = views(tx, find_watched_jobs(tx, [UUID(export["id"])]))[0]

    async def told(last_event):
        stream = event_stream(
            door.api.state.watcher, view, last_event=last_event, lasts=0.05, show=lambda one: str(one.job.revision)
        )
        return [piece.decode() async for piece in stream.body_iterator]

    assert door.http.portal.call(told, str(export["revision"])) == ["retry: 1000\n\n"]
    assert door.http.portal.call(told, None)[1] == "event: snapshot\ndata: 1\nid: 1\n\n"


def test_a_stream_ends_when_its_export_is_deleted_or_its_process_ends(door, alice, export, streaming):
    alice("POST", export["links"]["cancel"])
    other = alice.create().json()
    stream = streaming(other)
    with door.database.transaction() as tx:
        remove_jobs(tx, [UUID(other["id"])])
    deleted = snapshots(stream.result().text)
    third = alice.create().json()
    stream = streaming(third)
    drain(door.api)

    assert [one["state"] for one in deleted] == ["queued"]
    assert [one["state"] for one in snapshots(stream.result().text)] == ["queued"]


def test_however_many_listen_they_are_looked_for_at_once(door, alice):
    """Each owner has one active export, so these are as many owners."""
    alice.load(orders(1))
    ids = [UUID(door.owner(f"owner-{number}").create().json()["id"]) for number in range(8)]
    # not the one that looks by itself
    watcher, statements = Watcher(door.api.state.services.database), []
    engine = door.api.state.services.database._engine.sync_engine
    event.listen(engine, "before_cursor_execute", lambda *given: statements.append(given[2]))

    def selects_for(listened):
        with ExitStack() as listeners:
            heard = [listeners.enter_context(watcher.listen(one)) for one in listened]
            statements.clear()
            door.http.portal.call(watcher.look)
            assert [listener._latest.job.id for listener in heard] == listened
            return [text.partition("WHERE")[0] for text in statements if text.startswith("SELECT")]

    assert selects_for(ids) == selects_for(ids[:1])
    assert watcher.looks == 2


def test_more_listeners_than_a_process_can_keep_are_refused(door, alice, export, monkeypatch):
    monkeypatch.setattr("app.api.watching.MOST", 0)

    answer = alice("GET", f"{export['links']['self']}/events")

    assert (answer.status_code, answer.json()["code"]) == (503, "concurrency_limit")
    assert answer.headers["retry-after"]
