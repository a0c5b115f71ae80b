"""What keeps an export has a name, a sentence and a way on, and only what nobody is resolving counts as stuck."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from uuid import uuid4

import pytest

from app.database.hosts import Fleet
from app.database.operating import NOTHING_OPEN, HeldStep, OpenSteps
from app.database.tables import JobRow
from app.domain.lifecycle import JobState, StepKind
from app.exports.diagnosis import Circumstances, diagnose

AT = datetime(2026, 11, 30, 12, tzinfo=UTC)
CALM = Circumstances(at=AT, hosts=Fleet(1, 1, 2), live_claims=1, position=None, cancel_grace=1.2)
HELD = HeldStep(7, StepKind.RENDER, 1, 1, 0, "h:1", is_host_alive=True, claimed_at=AT, lease_left=14.0)


def ago(seconds: float) -> datetime:
    return AT - timedelta(seconds=seconds)


def job(state: JobState = JobState.PROCESSING, **columns) -> JobRow:
    known = {"id": uuid4(), "created_at": ago(60), "progressed_at": ago(5), "waiting_for": None}
    return JobRow(state=state, **{**known, **columns})


def held(**changes) -> OpenSteps:
    return replace(NOTHING_OPEN, held=(replace(HELD, **changes),))


QUEUED, CANCELLING = JobState.QUEUED, JobState.CANCELLING
CASES = {
    "no_worker": (job(), NOTHING_OPEN, replace(CALM, hosts=Fleet(0, 0, 0)), True),
    "no_renderer": (job(), NOTHING_OPEN, replace(CALM, hosts=Fleet(2, 0, 0)), True),
    "waiting": (job(waiting_for="disk"), replace(NOTHING_OPEN, delayed=1, next_in=4.0), CALM, True),
    "handed_back": (job(), replace(NOTHING_OPEN, delayed=2, next_in=20.0), CALM, False),
    "lapsed": (job(), held(lease_left=-30.0), CALM, True),
    "host_silent": (job(), held(is_host_alive=False), CALM, False),
    "no_progress": (job(progressed_at=ago(1000)), held(), CALM, True),
    "many_lapses": (job(), replace(NOTHING_OPEN, most_lapses=7), CALM, True),
    "behind": (job(QUEUED), NOTHING_OPEN, replace(CALM, live_claims=2, position=1), False),
    "not_taken": (job(QUEUED), NOTHING_OPEN, replace(CALM, live_claims=0, position=1), True),
    "cancel_overdue": (job(CANCELLING, cancel_requested_at=ago(60)), held(), CALM, True),
}


@pytest.mark.parametrize("trouble", CASES)
def test_each_trouble_has_its_name_its_sentence_and_a_way_on(trouble):
    row, steps, around, is_stuck = CASES[trouble]

    (finding,) = diagnose(row, steps, around)

    assert (finding.trouble, finding.is_stuck) == (trouble, is_stuck)
    assert finding.sentence.endswith(".")
    assert finding.advice


@pytest.mark.parametrize(
    ("row", "steps", "around"),
    [
        (job(), held(), CALM),
        (job(), held(lease_left=14.0, lapses=4), replace(CALM, live_claims=2)),
        (job(CANCELLING, cancel_requested_at=ago(1)), held(), CALM),
        (job(JobState.COMPLETED), NOTHING_OPEN, replace(CALM, hosts=Fleet(0, 0, 0))),
    ],
    ids=["held", "busy", "being cancelled", "ended"],
)
def test_what_goes_on_or_has_ended_has_no_finding(row, steps, around):
    assert diagnose(row, steps, around) == []


def test_the_worst_comes_first():
    steps = replace(held(is_host_alive=False), most_lapses=9)

    found = diagnose(job(), steps, CALM)

    assert [finding.trouble for finding in found] == ["many_lapses", "host_silent"]
