"""A holder whose step is gone, given back or opened again finds its claim lost, however it comes back."""

import pytest

from app.database import packaging, steps
from app.database.steps import ClaimLost
from app.domain.lifecycle import JobState, Phase, StepKind
from tests.database.conftest import content


@pytest.fixture
def packaging_job(bench):
    """A job of four items in two render steps, all of them rendered."""
    bench.load(*(content(shop_id) for shop_id in range(1, 5)))
    job = bench.planned(every=2)
    bench.checkpoint(bench.claim(job))
    bench.checkpoint(bench.claim(job))
    return job


def reopen(bench, package, render):
    with bench.database.transaction() as tx:
        packaging.reopen_steps(tx, package, step_ids=[render.id])


def complete(bench, claim, *, key="k"):
    with bench.database.transaction() as tx:
        packaging.complete(tx, claim, archive_key=key, archive_bytes=1, archive_sha256="0" * 64, archive_ttl=3600)


def test_a_package_step_that_was_taken_away_never_comes_back(bench, packaging_job):
    zombie = bench.claim(packaging_job)
    bench.lapse(zombie)
    reopen(bench, bench.claim(packaging_job), bench.steps(packaging_job)[1])
    bench.checkpoint(bench.claim(packaging_job))
    fresh = bench.claim(packaging_job)

    assert (fresh.kind, fresh.attempt) == (zombie.kind, zombie.attempt) == (StepKind.PACKAGE, 1)
    assert fresh.step_id > zombie.step_id
    with pytest.raises(ClaimLost):
        complete(bench, zombie, key="stale")
    with bench.database.transaction() as tx:
        assert steps.renew(tx, [zombie, fresh], lease=60) == {zombie}
    complete(bench, fresh)
    assert bench.job(packaging_job).archive_key == "k"


def test_a_package_step_that_was_given_back_reopens_nothing(bench, packaging_job):
    package = bench.claim(packaging_job)
    with bench.database.transaction() as tx:
        steps.give_back(tx, package)

    with pytest.raises(ClaimLost):
        reopen(bench, package, bench.steps(packaging_job)[1])

    found = bench.job(packaging_job)
    assert (found.state, found.phase, found.rendered) == (JobState.PROCESSING, Phase.PACKAGING, 4)
