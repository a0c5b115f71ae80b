"""What a package step whose child dies costs: a second, not its job; but not for ever."""

from app.database import steps
from app.domain.lifecycle import JobState, StepKind
from tests.database.conftest import content


def test_a_child_that_dies_again_and_again_takes_its_job_down(bench):
    bench.load(content(1))
    job = bench.planned()
    bench.checkpoint(bench.claim(job))
    deaths = 0
    while bench.job(job).state is JobState.PROCESSING:
        claim = bench.claim(job)
        assert claim.kind is StepKind.PACKAGE
        with bench.database.transaction() as tx:
            steps.give_back(tx, claim, waiting_for="renderer", lapses=5)
        deaths += 1
        assert deaths <= 10

    assert deaths == 10
    assert (bench.job(job).state, bench.job(job).failure_code) == (JobState.FAILED, "workers_lost")
