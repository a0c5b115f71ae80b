"""Chaos, in short: whatever is killed, every export ends as in a calm run. And the run itself can tell."""

import os
import signal
import subprocess
from dataclasses import dataclass
from uuid import UUID, uuid4

import psycopg
import pytest

from app.database.engines import sync_engine
from app.database.packaging import complete
from app.database.stores import create_store
from app.database.transactions import Database
from tests.chaos import audit, report
from tests.chaos.customers import Case
from tests.chaos.journal import Journal, Signalled
from tests.chaos.left import judge_what_lives
from tests.chaos.processes import MARK
from tests.chaos.recovery import recoveries
from tests.chaos.run import MUST, run
from tests.chaos.script import Errand, Script
from tests.chaos.verdict import Ending, judge_artifacts, judge_cases, judge_changes, judge_rows
from tests.database.conftest import Bench, content
from tests.migrated import LIMITS, migrate


def test_whatever_is_killed_every_export_ends_as_in_a_calm_run(tmp_path):
    outcome = run(Script(jobs=16, owners=6, seed=1, minutes=1.5), Journal(), tmp_path)

    assert outcome.journal.violations == [], report.text(outcome)
    assert outcome.deeds.keys() >= MUST, report.text(outcome)
    assert outcome.states["completed"] >= 1


def test_a_seed_decides_every_fault_and_every_wish():
    def told(seed):
        script = Script(jobs=50, owners=5, seed=seed, minutes=1)
        faults = script.faults()
        return [next(faults) for _ in range(100)], [list(script.errands(owner)) for owner in range(5)]

    assert told(7) == told(7)
    assert told(7) != told(8)
    assert sorted(errand.number for errands in told(7)[1] for errand in errands) == list(range(50))


@dataclass
class Audited:
    """A completed job of two items in a database with the audit's triggers."""

    bench: Bench
    connection: psycopg.Connection
    job: UUID

    def violations(self, told):
        journal = Journal()
        judge_rows(journal, self.connection, told)
        judge_changes(journal, audit.job_changes(self.connection), audit.item_changes(self.connection))
        return journal.violations


@pytest.fixture(scope="module")
def template(postgres_server):
    name = postgres_server.create_database()
    migrate(postgres_server.url(name))
    with psycopg.connect(plain(postgres_server.url(name)), autocommit=True) as connection:
        audit.install(connection)
    return name


def plain(url):
    return url.replace("+psycopg", "")


@pytest.fixture
def audited(postgres_server, template):
    url = postgres_server.url(postgres_server.create_database(template=template))
    engine = sync_engine(url, LIMITS)
    bench = Bench(Database(engine), url)
    with bench.database.transaction() as tx:
        bench.store_id = create_store(tx, key="demo", name="Demo").id
    with psycopg.connect(plain(url), autocommit=True) as connection:
        bench.load(content(1), content(2))
        job = bench.planned(every=2)
        bench.checkpoint(bench.claim(job))
        claim = bench.claim(job)
        with bench.database.transaction() as tx:
            complete(tx, claim, archive_key="k", archive_bytes=1, archive_sha256="0" * 64, archive_ttl=60)
        yield Audited(bench, connection, job)
    bench.database.close()


def test_a_calm_job_breaks_no_promise(audited):
    assert audited.violations({str(audited.job): "completed"}) == []


@pytest.mark.parametrize(
    ("statement", "violation"),
    [
        ("UPDATE items SET outcome = 'pending' WHERE ordinal = 1", "committed more than once: item 1"),
        ("UPDATE items SET sha256 = 'f' WHERE ordinal = 2", "committed more than once: item 2: rendered → rendered"),
        ("UPDATE jobs SET expires_at = now()", "a job that had ended was changed: completed → completed"),
        (
            "UPDATE jobs SET state = 'processing', finished_at = NULL; "
            "UPDATE jobs SET state = 'completed', finished_at = now()",
            "a job that had ended was changed: completed → processing",
        ),
        ("DELETE FROM items WHERE ordinal = 2", "counters say [2, 2, 0, 0], its items [1, 1, 0, 0]"),
        ("UPDATE jobs SET state = 'processing', finished_at = NULL", "still processing"),
        ("UPDATE jobs SET state = 'cancelled'", "its owner was told completed, and it is cancelled"),
        (
            "UPDATE steps SET state = 'claimed', lease_until = now() WHERE kind = 'render'",
            "has a claimed step although all is over",
        ),
        ("DELETE FROM jobs", "was accepted and is not there"),
    ],
)
def test_what_no_worker_may_commit_is_noticed(audited, statement, violation):
    audited.bench.sql(statement)

    found = audited.violations({str(audited.job): "completed"})

    assert any(line.startswith(violation) for line in found), found


def test_a_job_that_nobody_accepted_is_noticed(audited):
    assert audited.violations({}) == [f"nobody was told that it was accepted [{audited.job}]"]


def test_artifacts_that_are_left_or_missing_are_noticed(audited):
    journal = Journal()

    judge_artifacts(journal, ["left"], audited.connection)

    assert journal.violations == ["left behind: left", "missing: k"]


ENDING = Ending("completed", None, (1, 1, 0, 0), "a")


def exported(state="completed", sha256="a"):
    return {
        "state": state,
        "failure": None,
        "counts": {"requested": 1, "rendered": 1, "failed": 0, "skipped": 0},
        "archive": {"sha256": sha256} if state == "completed" else None,
    }


@pytest.mark.parametrize(
    ("case", "violation"),
    [
        ({"final": exported(), "sha256": "a"}, None),
        ({"final": exported("cancelled"), "was_cancelled": True}, None),
        ({}, "no known end"),
        ({"final": exported(), "sha256": "b"}, "a calm run gives"),
        ({"final": exported(sha256="b"), "sha256": "a"}, "published b, downloaded a"),
        ({"final": exported("failed")}, "a calm run gives"),
        ({"final": exported("cancelled")}, "a calm run gives"),
        ({"final": exported(), "sha256": "a", "was_cancelled": True}, "its cancel was accepted"),
    ],
)
def test_a_customer_who_gets_something_else_is_noticed(case, violation):
    journal = Journal()

    judge_cases(journal, [Case(Errand(1, 0, None, "key"), "alice", "id", **case)], [ENDING])

    assert bool(journal.violations) == (violation is not None)
    assert violation is None or violation in journal.violations[0]


def test_a_recovery_is_counted_from_the_holders_kill_to_its_jobs_next_progress():
    claims = [
        audit.StepChange(10.0, "job", 1, "render", 1, 1, "claimed", "host:7", 0),
        audit.StepChange(10.0, "other", 2, "render", 1, 1, "claimed", "host:8", 0),
        audit.StepChange(11.5, "other", 2, "render", 1, 1, "done", "host:8", 0),
        audit.StepChange(15.0, "job", 1, "render", 1, 2, "claimed", "host:8", 1),
        audit.StepChange(16.0, "job", 1, "render", 1, 2, "done", "host:8", 1),
    ]

    found = recoveries([Signalled(11.0, "worker", 7, "SIGKILL"), Signalled(20.0, "worker", 8, "SIGKILL")], claims, [])

    assert [(one.job_id, one.pid, one.seconds) for one in found] == [("job", 7, 5.0)]


def test_a_process_and_a_backend_that_live_on_are_noticed(audited):
    journal, mark = Journal(), uuid4().hex
    left = subprocess.Popen(["sleep", "60"], env={**os.environ, MARK: mark})
    audited.connection.execute("SET application_name = 'sheaf'")

    judge_what_lives(journal, audited.connection, mark, within=0)

    assert left.wait(10) == -signal.SIGKILL
    assert journal.violations[-1] == f"a process is left: {left.pid}"
    assert journal.violations[0].startswith("a backend is left: ")
