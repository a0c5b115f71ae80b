"""`Prefer: wait`: answered at the next change, at the end of the wait, or as the process ends; nearly over, at once."""

import time
from uuid import UUID

import pytest

from app.api.application import drain
from app.api.watching import LOOK_EVERY, LOOK_SOON, QUICK_LOOKS, Watcher
from app.database.deleting import remove_jobs
from app.database.jobs import change_job, lock_job, request_cancel
from app.domain.lifecycle import Phase
from tests.api.finishing import claimed
from tests.shop import orders
from tests.waiting import until


@pytest.fixture
def export(alice):
    alice.load(orders(1))
    return alice.create().json()


@pytest.fixture
def waiting(alice, listening):
    """Begins to wait for news of an export beside the test."""

    def wait(export):
        path = export["links"]["self"]
        etag = alice("GET", path).headers["etag"]
        return listening(path, **{"If-None-Match": etag, "Prefer": "wait=20"})

    return wait


def test_all_who_wait_hear_of_the_next_change(door, export, waiting):
    answers = [waiting(export) for _ in range(3)]
    assert not any(answer.done() for answer in answers)

    with door.database.transaction() as tx:
        claimed(tx, UUID(export["id"]))

    told = [answer.result(15) for answer in answers]
    assert [(answer.status_code, answer.json()["state"]) for answer in told] == [(200, "processing")] * 3
    until(lambda: door.api.state.watcher.count == 0)


def test_who_waits_for_an_export_that_is_deleted_is_told(door, export, waiting):
    answer = waiting(export)

    with door.database.transaction() as tx:
        request_cancel(tx, lock_job(tx, UUID(export["id"])))
        remove_jobs(tx, [UUID(export["id"])])

    assert answer.result(15).status_code == 404


def test_a_token_that_is_revoked_meanwhile_hears_nothing(door, export, waiting):
    answer = waiting(export)

    with door.database.transaction() as tx:
        tx.connection().exec_driver_sql("UPDATE tokens SET revoked_at = created_at")
        claimed(tx, UUID(export["id"]))

    assert answer.result(15).status_code == 401


def test_a_process_that_ends_keeps_nobody_waiting(door, export, waiting):
    answer, began = waiting(export), time.monotonic()

    drain(door.api)

    assert answer.result(15).status_code == 304
    assert time.monotonic() - began < 15


@pytest.mark.parametrize(
    ("phase", "steps_left", "soon"),
    [
        (Phase.SELECTING, 0, False),
        (Phase.RENDERING, 3, False),
        (Phase.RENDERING, 2, True),
        (Phase.PACKAGING, 0, True),
    ],
)
def test_an_export_that_is_nearly_over_is_looked_at_more_often_for_some_time(door, export, phase, steps_left, soon):
    job_id = UUID(export["id"])
    with door.database.transaction() as tx:
        claimed(tx, job_id)
        change_job(tx, lock_job(tx, job_id), phase=phase, steps_left=steps_left)
    watcher = Watcher(door.api.state.services.database)  # not the one that looks by itself
    assert QUICK_LOOKS > 2

    with watcher.listen(job_id):
        pauses = [door.http.portal.call(watcher.look) for _ in range(QUICK_LOOKS + 1)]

    assert pauses == [LOOK_SOON if soon else LOOK_EVERY] * QUICK_LOOKS + [LOOK_EVERY]
