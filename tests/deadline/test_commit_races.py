"""An uncertain write is never called a failure: the time ends around a COMMIT, wherever that stands."""

import shutil
import threading
from contextlib import ExitStack

import pytest

from app.database.engines import sync_engine
from app.deadline.effect import Phase
from app.domain.identity import job_id
from tests.deadline.postgresql_holds import (
    GATE,
    WITHOUT_STANDBY,
    BehindALock,
    LockTimeout,
    PanickingServer,
    Refusal,
    StandingStill,
    WithoutStandby,
)
from tests.deadline.racing import Api
from tests.deadline.sqlite_holds import AfterCommit, BeforeCommit, BrokenDisk, BrokenPromise, Returning, ThreadStopped
from tests.migrated import LIMITS, migrate
from tests.servers import ServerMissing, running_postgres
from tests.waiting import PATIENCE, until

POSTGRESQL = (BehindALock, WithoutStandby, StandingStill)
SQLITE = (BeforeCommit, AfterCommit)


@pytest.fixture(scope="module")
def server():
    """A PostgreSQL of our own, since its processes are stopped and killed."""
    try:
        with running_postgres(WITHOUT_STANDBY) as server:
            yield server
    except ServerMissing as missing:
        pytest.skip(str(missing))


@pytest.fixture(scope="module")
def gated(server):
    """The URL of a migrated database on it, with a gate before each COMMIT."""
    url = server.url(server.create_database())
    migrate(url)
    engine = sync_engine(url, LIMITS)
    with engine.begin() as connection:
        connection.exec_driver_sql(GATE)
    engine.dispose()
    return url


@pytest.fixture
def held(request, tmp_path):
    """A way in which a COMMIT is held, on the API that meets it."""
    way = request.param
    with ExitStack() as stack:
        if issubclass(way, ThreadStopped):
            shutil.copy(request.getfixturevalue("migrated_sqlite"), tmp_path / "sheaf.db")
            api = Api(f"sqlite:///{tmp_path / 'sheaf.db'}", tmp_path)
            hold = way(api)
        else:
            url = request.getfixturevalue("gated")
            api = Api(url, tmp_path)
            hold = way(api, request.getfixturevalue("server"))
        stack.enter_context(api.running())
        yield hold


@pytest.fixture
def alice(held):
    return held.api.owner()


def held_by(*ways):
    return pytest.mark.parametrize("held", ways, indirect=True, ids=lambda way: way.__name__)


@held_by(*POSTGRESQL, *SQLITE)
def test_a_create_that_nobody_confirmed_is_unknown_and_its_repeat_is_certain(held, alice):
    with held:
        first = alice.create()
        held.until_held()
        phase = first.deadline.effect.phase
        held.api.hurry(first)
        unknown = first.answer()
    was_created = alice.jobs() == 1
    repeat = alice.create().answer()

    assert phase is Phase.SENT
    path = f"/v1/exports/{job_id(store='demo', owner=alice.name, key='k')}"
    assert (unknown.status_code, unknown.json()["code"]) == (504, "outcome_unknown")
    assert (unknown.headers["location"], unknown.headers["idempotency-key"]) == (path, "k")
    assert (unknown.json()["export"], unknown.json()["idempotency_key"]) == (path, "k")
    assert (repeat.status_code, repeat.headers["location"]) == (202, path)
    assert ("idempotent-replayed" in repeat.headers) is was_created
    assert held.is_committed in {None, was_created}
    assert alice("GET", unknown.headers["location"]).json() == repeat.json()
    assert alice.jobs() == 1


@held_by(*POSTGRESQL, *SQLITE)
def test_a_cancel_that_nobody_confirmed_is_unknown_and_its_repeat_is_certain(held, alice):
    export = alice.create().answer().json()
    path, cancel = export["links"]["self"], export["links"]["cancel"]
    with held:
        first = alice.ask("POST", cancel)
        held.until_held()
        held.api.hurry(first)
        unknown = first.answer()
    repeat = alice("POST", cancel)

    assert (unknown.status_code, unknown.json()["code"]) == (504, "outcome_unknown")
    assert (unknown.headers["location"], unknown.json()["export"]) == (path, path)
    assert (repeat.status_code, repeat.json()["state"]) == (202, "cancelled")
    assert alice("GET", unknown.headers["location"]).json() == repeat.json()


@held_by(BehindALock, *SQLITE)
def test_a_retry_that_nobody_confirmed_is_unknown_and_its_repeat_is_certain(held, alice):
    parent = alice.failed()
    key = {"Idempotency-Key": "again"}
    with held:
        first = alice.ask("POST", parent["links"]["retry"], headers=key)
        held.until_held()
        held.api.hurry(first)
        unknown = first.answer()
    repeat = alice("POST", parent["links"]["retry"], headers=key)

    path = f"/v1/exports/{job_id(store='demo', owner=alice.name, key='again')}"
    assert (unknown.status_code, unknown.json()["code"]) == (504, "outcome_unknown")
    assert (unknown.headers["location"], unknown.headers["idempotency-key"]) == (path, "again")
    assert (repeat.status_code, repeat.headers["location"], repeat.json()["retry_of"]) == (202, path, parent["id"])
    assert alice("GET", path).json() == repeat.json()
    assert alice.jobs() == 2


@held_by(*POSTGRESQL, *SQLITE)
def test_a_delete_that_nobody_confirmed_is_unknown_and_its_repeat_is_certain(held, alice):
    export = alice.create().answer().json()
    path = export["links"]["self"]
    alice("POST", export["links"]["cancel"])
    with held:
        first = alice.ask("DELETE", path)
        held.until_held()
        held.api.hurry(first)
        unknown = first.answer()
    was_deleted = alice.jobs() == 0
    repeat = alice("DELETE", path)

    assert (unknown.status_code, unknown.json()["code"]) == (504, "outcome_unknown")
    assert (unknown.headers["location"], unknown.json()["export"]) == (path, path)
    assert held.is_committed in {None, was_deleted}
    assert repeat.status_code == (404 if was_deleted else 204)
    assert (alice("GET", path).status_code, alice.jobs()) == (404, 0)


@held_by(BehindALock, *SQLITE)
def test_a_change_of_settings_that_nobody_confirmed_is_unknown_and_its_repeat_is_certain(held, alice):
    change = {"json": {"footer": ["Registered in Kiel"]}}
    before = alice("GET", "/v1/store").json()
    with held:
        first = alice.ask("PATCH", "/v1/store", **change)
        held.until_held()
        held.api.hurry(first)
        unknown = first.answer()
    repeat = alice("PATCH", "/v1/store", **change)

    assert (unknown.status_code, unknown.json()["code"]) == (504, "outcome_unknown")
    assert (unknown.headers["location"], unknown.json()["store"]) == ("/v1/store", "/v1/store")
    assert repeat.status_code == 200
    assert (repeat.json()["footer"], repeat.json()["version"]) == (["Registered in Kiel"], before["version"] + 1)
    assert alice("GET", "/v1/store").json() == repeat.json()


@held_by(BehindALock, WithoutStandby)
def test_a_create_without_a_key_is_told_the_key_to_repeat_it_with(held, alice):
    with held:
        first = alice.create(key=None)
        held.until_held()
        held.api.hurry(first)
        unknown = first.answer()
    repeat = alice.create(key=unknown.json()["idempotency_key"]).answer()

    assert unknown.headers["idempotency-key"] == unknown.json()["idempotency_key"]
    assert (repeat.status_code, repeat.headers["location"]) == (202, unknown.headers["location"])
    assert alice.jobs() == 1


@held_by(BehindALock, WithoutStandby, StandingStill, BeforeCommit)
def test_a_repeat_waits_for_an_undecided_create_and_gives_its_job(held, alice):
    with held:
        first = alice.create()
        held.until_held()
        repeat = alice.create()
        held.until_behind(repeat)
        assert alice("GET", "/v1/exports").json()["items"] == []  # which proves nothing
        held.let_go()
        answers = [first.answer(), repeat.answer()]

    assert [answer.status_code for answer in answers] == [202, 202]
    assert answers[0].json() == answers[1].json()
    assert ["idempotent-replayed" in answer.headers for answer in answers] == [False, True]
    assert alice.jobs() == 1


@held_by(StandingStill, BeforeCommit)
def test_a_repeat_whose_own_time_ends_before_the_first_is_decided_creates_nothing(held, alice):
    with held:
        first = alice.create()
        held.until_held()
        held.api.hurry(first)
        unknown = first.answer()
        second = alice.create()
        held.until_behind(second)
        held.api.hurry(second)
        late = second.answer()
    repeat = alice.create().answer()

    assert unknown.json()["code"] == "outcome_unknown"
    # what is told is of the second call alone: it never came to its own COMMIT
    assert (late.status_code, late.json()["code"]) == (504, "deadline_downstream")
    assert (repeat.status_code, repeat.headers["location"]) == (202, unknown.headers["location"])
    assert alice.jobs() == 1


@held_by(BehindALock)
def test_of_two_repeats_at_once_one_creates_the_job(held, alice):
    with held:
        lost = alice.create()
        held.until_held()
        held.api.hurry(lost)
        unknown = lost.answer()
        until(lambda: held.holder() is None)
        repeats = [alice.create()]
        held.until_held()
        repeats.append(alice.create())
        held.until_behind(repeats[1])
        held.let_go()
        answers = [repeat.answer() for repeat in repeats]

    assert [answer.status_code for answer in answers] == [202, 202]
    assert {answer.headers["location"] for answer in answers} == {unknown.headers["location"]}
    assert ["idempotent-replayed" in answer.headers for answer in answers] == [False, True]
    assert alice.jobs() == 1


@held_by(BehindALock, WithoutStandby)
def test_a_server_process_that_is_ended_in_its_commit_leaves_the_outcome_unknown(held, alice):
    with held:
        first = alice.create()
        held.until_held()
        held.one("SELECT pg_terminate_backend(%s)", held.pid)
        unknown = first.answer()
    repeat = alice.create().answer()

    assert (unknown.status_code, unknown.json()["code"]) == (504, "outcome_unknown")
    assert repeat.status_code == 202
    assert ("idempotent-replayed" in repeat.headers) is held.is_committed
    assert alice.jobs() == 1


@held_by(BehindALock, WithoutStandby)
def test_a_server_that_crashes_in_a_commit_leaves_the_outcome_unknown(held, alice, server):
    with held:
        first = alice.create()
        held.until_held()
        server.kill()
        unknown = first.answer()
        server.start()
    repeat = alice.create().answer()

    assert (unknown.status_code, unknown.json()["code"]) == (504, "outcome_unknown")
    assert repeat.status_code == 202
    assert ("idempotent-replayed" in repeat.headers) is held.is_committed
    assert alice.jobs() == 1


@held_by(PanickingServer, BrokenDisk)
def test_an_error_that_does_not_say_how_far_the_commit_came_leaves_the_outcome_unknown(held, alice):
    with held:
        unknown = alice.create().answer()
    repeat = alice.create().answer()

    assert (unknown.status_code, unknown.json()["code"]) == (504, "outcome_unknown")
    assert (repeat.status_code, repeat.headers["location"]) == (202, unknown.headers["location"])
    assert alice.jobs() == 1


@held_by(Refusal, LockTimeout, BrokenPromise)
def test_a_commit_that_the_database_refuses_is_no_unknown_outcome(held, alice):
    with held:
        first = alice.create()
        refused = first.answer()
    nothing = alice.jobs()
    again = alice.create().answer()

    assert (refused.status_code, refused.json()["code"]) == held.says
    assert "location" not in refused.headers
    assert first.deadline.effect.phase is Phase.EMPTY
    assert nothing == 0
    assert (again.status_code, "idempotent-replayed" in again.headers) == (202, False)


@held_by(Returning)
def test_a_confirmed_create_is_accepted_although_its_time_ends_before_its_answer(held, alice):
    with held:
        first = alice.create()
        held.until_held()
        phase = first.deadline.effect.phase
        held.api.hurry(first)
        accepted = first.answer()

    assert phase is Phase.ACKNOWLEDGED
    assert accepted.status_code == 202
    assert alice("GET", accepted.headers["location"]).json() == accepted.json()


@held_by(BehindALock, BeforeCommit)
def test_a_confirmed_create_is_accepted_although_its_time_ends_while_the_bell_is_rung(held, alice):
    rung, heard = threading.Event(), threading.Event()
    held.api.broker.ring = lambda: rung.set() or heard.wait(PATIENCE)

    first = alice.create()
    assert rung.wait(PATIENCE)
    phase = first.deadline.effect.phase
    held.api.hurry(first)
    accepted = first.answer()
    stuck = held.api.zombies.count
    heard.set()

    assert phase is Phase.ACKNOWLEDGED
    assert accepted.status_code == 202
    assert alice("GET", accepted.headers["location"]).json() == accepted.json()
    assert held.api.services.bell.unheard == stuck == 1
    until(lambda: held.api.zombies.count == 0)


@held_by(BehindALock, BeforeCommit)
def test_a_handler_that_fails_after_its_commit_has_accepted(held, alice):
    def ring():
        raise RuntimeError("a bug")

    held.api.broker.ring = ring

    accepted = alice.create().answer()

    assert accepted.status_code == 202
    assert alice("GET", accepted.headers["location"]).json() == accepted.json()
