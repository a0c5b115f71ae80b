"""What an operator sees of everybody's exports with `sheaf jobs`, and how they resolve what is stuck."""

import json
from uuid import UUID, uuid4

import pytest

from app.api.presenting import export_model
from app.cli.surveys import report, table
from app.database.hosts import sign_in
from app.database.jobs import lock_job, request_cancel
from app.database.steps import ClaimLost, give_back
from app.domain.codes import WaitingFor
from app.domain.lifecycle import JobState, StepState
from app.exports.inspect import view
from app.exports.surveying import Examined, examine
from tests.cli.running import Done, sheaf
from tests.database.conftest import Bench, content


def jobs(bench: Bench, *arguments: str) -> Done:
    done = sheaf("jobs", *map(str, arguments), environment={"SHEAF_DATABASE_URL": bench.url})
    assert "Traceback" not in done.err
    return done


def listed(bench: Bench, *arguments: str) -> dict[str, dict]:
    lines = jobs(bench, "list", "--json", *arguments).out.splitlines()
    return {job["id"]: job for job in map(json.loads, lines)}


def examined(bench: Bench, job: UUID) -> Examined:
    with bench.database.reading() as tx:
        return examine(tx, job, cancel_grace=1.2)


def add_host(bench: Bench, name: str = "h", *, slots: int = 2, can_render: bool = True) -> None:
    with bench.database.transaction() as tx:
        sign_in(tx, host_id=uuid4(), name=name, can_render=can_render, slots=slots)


def past(bench: Bench, seconds: int) -> str:
    """An instant that many seconds ago, in this database's words."""
    if "postgresql" in bench.url:
        return f"now() - interval '{seconds} seconds'"
    return f"strftime('%Y-%m-%dT%H:%M:%f','now','-{seconds} seconds') || '000Z'"


@pytest.fixture
def stocked(bench):
    bench.load(*(content(n) for n in range(1, 31)))
    return bench


def test_without_a_worker_every_export_is_stuck_and_says_so(stocked):
    queued, running = stocked.submit(), stocked.planned()

    found = listed(stocked)

    assert list(found) == [str(queued), str(running)]
    assert [job["is_stuck"] for job in found.values()] == [True, True]
    assert [finding["code"] for job in found.values() for finding in job["findings"]] == ["no_worker", "no_worker"]
    assert found[str(running)]["steps"] == {"plan": {"done": 1}, "render": {"ready": 3}}
    assert "sheaf worker" in found[str(queued)]["findings"][0]["advice"]


def test_a_calm_export_is_not_stuck(stocked):
    add_host(stocked)
    running = stocked.planned()
    claim = stocked.claim(running)
    behind = stocked.submit()
    stocked.claim(stocked.submit())

    found = listed(stocked)

    assert found[str(running)]["findings"] == []
    (held,) = found[str(running)]["held"]
    assert (held["step"], held["host"], held["is_host_alive"], held["attempt"]) == (claim.step_id, "h", True, 1)
    assert 50 < held["lease_left_seconds"] <= 60
    assert [finding["code"] for finding in found[str(behind)]["findings"]] == ["behind"]
    assert not any(job["is_stuck"] for job in found.values())


def test_a_lost_holder_is_seen_and_the_next_command_is_told(stocked):
    add_host(stocked)
    job = stocked.planned()
    silent, lapsed = stocked.claim(job), stocked.claim(job)
    stocked.sql(f"UPDATE steps SET host = 'gone:1' WHERE id = {silent.step_id}")
    stocked.sql(f"UPDATE steps SET lease_until = {past(stocked, 60)} WHERE id = {lapsed.step_id}")

    found = examined(stocked, job)

    assert {finding.trouble: finding.is_stuck for finding in found.surveyed.findings} == {
        "lapsed": True, "host_silent": False,
    }  # fmt: skip
    worst, other = found.surveyed.findings
    assert list(report(found))[-2:] == [f"{one.sentence}\n  → {one.advice}" for one in (worst, other)]
    assert worst.sentence in next(table([found.surveyed], is_terminal=False))
    assert f"sheaf jobs release {job}" in worst.advice


def test_only_the_stuck_ones_can_be_listed(stocked):
    add_host(stocked)
    calm, stuck = stocked.planned(), stocked.planned()
    stocked.sql(f"UPDATE jobs SET waiting_for = 'artifacts' WHERE id <> '{calm.hex}'")

    text = jobs(stocked, "list", "--stuck")

    assert list(listed(stocked, "--stuck")) == [str(stuck)]
    assert text.out.startswith(f"{stuck}  demo/owner-2  rendering  0/30")
    assert "It waits for the artifacts." in text.out


def test_a_terminal_gets_a_table(stocked):
    job = stocked.planned()

    lines = list(table([examined(stocked, job).surveyed], is_terminal=True))

    assert lines[0].split() == ["export", "store/owner", "state", "items", "age", "why"]


def test_the_list_is_narrowed_by_state_store_and_owner(stocked):
    first, second = stocked.submit(), stocked.submit()
    jobs(stocked, "fail", first, "--reason", "No paper")

    assert list(listed(stocked)) == [str(second)]
    assert list(listed(stocked, "--state", "failed")) == [str(first)]
    assert list(listed(stocked, "--owner", "owner-2", "--store", "demo", "--limit", "5")) == [str(second)]
    assert listed(stocked, "--owner", "owner-1") == {}
    assert listed(stocked, "--store", "absent") == {}


def test_everything_of_an_export_is_shown(stocked):
    add_host(stocked)
    job = stocked.planned()
    stocked.checkpoint(stocked.claim(job))
    stocked.claim(job)
    stocked.sql("UPDATE items SET strikes = 2 WHERE ordinal = 12")

    document = json.loads(jobs(stocked, "show", job, "--json").out)
    text = jobs(stocked, "show", job).out

    assert document["counts"] == {"requested": 30, "rendered": 10, "failed": 0, "skipped": 0}
    assert document["steps"] == {"plan": {"done": 1}, "render": {"claimed": 1, "done": 1, "ready": 1}}
    assert document["struck"] == [{"ordinal": 12, "number": "12", "strikes": 2, "outcome": "pending"}]
    assert (document["stored_steps"], document["archive"], document["owner"]) == (1, None, "owner-1")
    for words in ("demo/owner-1", "30 documents: 10 rendered", "is held by h", "2 strikes", "nothing is to be done"):
        assert words in text


def test_a_failed_export_has_ended_for_its_holders_and_its_owner_reads_why(stocked):
    job = stocked.planned()
    held = stocked.claim(job)

    done = jobs(stocked, "fail", job, "--reason", "The printer's tray is empty")

    assert done.code == 0
    assert "tray is empty" in done.out
    with pytest.raises(ClaimLost):
        stocked.checkpoint(held)
    row = stocked.job(job)
    with stocked.database.reading() as tx:
        failure = export_model(view(tx, row), "").failure
    assert (row.state, row.rendered, row.failure_code) == (JobState.FAILED, 0, "failed_by_operator")
    assert failure.reason == "An operator ended this export: The printer's tray is empty"
    (step,) = [step for step in stocked.steps(job) if step.id == held.step_id]
    assert (step.state, step.attempt, step.holder) == (StepState.READY, held.attempt + 1, None)


def test_failing_again_changes_nothing_and_what_has_ended_stays(stocked):
    job, ended = stocked.submit(), stocked.submit()
    first = jobs(stocked, "fail", job, "--reason", "first")
    with stocked.database.transaction() as tx:
        row = lock_job(tx, ended)
        request_cancel(tx, row)

    again = jobs(stocked, "fail", job, "--reason", "second", "--json")
    late = jobs(stocked, "fail", ended, "--reason", "late")

    assert (first.code, again.code, late.code) == (0, 0, 1)
    assert json.loads(again.out)["ending"] == "failed_before"
    assert (stocked.job(job).failure_note, stocked.job(job).revision) == ("first", 2)
    assert "is cancelled; what has ended stays as it is" in late.err


def test_failing_a_cancel_ends_it_as_its_owner_was_promised(stocked):
    job = stocked.planned()
    held = stocked.claim(job)
    with stocked.database.transaction() as tx:
        request_cancel(tx, lock_job(tx, job))

    refused = jobs(stocked, "release", job)
    done = jobs(stocked, "fail", job, "--reason", "stuck")

    assert (refused.code, "sheaf jobs fail" in refused.err) == (1, True)
    assert (done.code, stocked.job(job).state) == (0, JobState.CANCELLED)
    assert "ended as cancelled" in done.out
    with stocked.database.transaction() as tx, pytest.raises(ClaimLost):
        give_back(tx, held)


def test_a_wait_is_ended_by_a_release(stocked):
    job = stocked.planned()
    claim = stocked.claim(job)
    with stocked.database.transaction() as tx:
        give_back(tx, claim, seconds=3600, waiting_for=WaitingFor.DISK)

    first, again = (json.loads(jobs(stocked, "release", job, "--json").out) for _ in range(2))

    assert (first["waits_ended"], first["taken"]) == (1, [])
    assert (again["waits_ended"], again["taken"]) == (0, [])
    assert stocked.job(job).waiting_for is None
    assert stocked.claim(job).step_id == claim.step_id


def test_a_lost_holder_is_fenced_out_by_a_release_and_one_that_lives_is_left(stocked):
    add_host(stocked)
    job = stocked.planned()
    alive, dead, lapsed = (stocked.claim(job) for _ in range(3))
    stocked.sql(f"UPDATE steps SET host = 'gone:1' WHERE id = {dead.step_id}")
    stocked.lapse(lapsed)

    released = json.loads(jobs(stocked, "release", job, "--json").out)

    assert released["taken"] == [dead.step_id, lapsed.step_id]
    for stale in (dead, lapsed):
        with pytest.raises(ClaimLost):
            stocked.checkpoint(stale)
    stocked.checkpoint(alive)
    assert {stocked.claim(job).step_id, stocked.claim(job).step_id} == {dead.step_id, lapsed.step_id}


def test_one_step_is_taken_even_from_a_holder_that_lives_and_only_one_ever_writes(stocked):
    add_host(stocked)
    job = stocked.planned()
    stubborn, other = stocked.claim(job), stocked.claim(job)

    done = jobs(stocked, "release", job, "--step", stubborn.step_id)
    fresh = stocked.claim(job)

    assert (done.code, fresh.step_id, fresh.attempt) == (0, stubborn.step_id, stubborn.attempt + 2)
    with pytest.raises(ClaimLost):
        stocked.checkpoint(stubborn)
    stocked.checkpoint(fresh)
    stocked.checkpoint(other)
    assert stocked.job(job).rendered == 20
    settled = jobs(stocked, "release", job, "--step", stubborn.step_id)
    assert (settled.code, "nothing to release" in settled.out) == (0, True)


NONSENSE = [
    (("show", "not-an-id"), 2, "sheaf jobs list"),
    (("show", "00000000-0000-0000-0000-000000000000"), 1, "There is no export"),
    (("fail", "00000000-0000-0000-0000-000000000000", "--reason", "x"), 1, "There is no export"),
    (("release", "00000000-0000-0000-0000-000000000000"), 1, "There is no export"),
    (("fail", "{job}", "--reason", "two\nlines"), 2, "one line"),
    (("fail", "{job}", "--reason", " "), 2, "one line"),
    (("fail", "{job}"), 2, "--reason"),
    (("release", "{job}", "--step", "999999"), 1, "has no step 999999"),
]


def test_nonsense_is_refused_with_a_way_on(stocked):
    job = stocked.submit()

    for arguments, code, told in NONSENSE:
        done = jobs(stocked, *(part.replace("{job}", str(job)) for part in arguments))

        assert (done.code, done.out) == (code, ""), arguments
        assert told in done.err, arguments
    assert stocked.job(job).state is JobState.QUEUED
