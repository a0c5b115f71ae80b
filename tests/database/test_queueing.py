"""A queued job's position is the order in which workers take them, and its start follows the running ones."""

from uuid import UUID, uuid4

import pytest

from app.database.hosts import sign_in
from app.database.steps import candidates
from app.exports.inspect import ExportView, view
from tests.database.conftest import content


def look(bench, job_id: UUID) -> ExportView:
    with bench.database.reading() as tx:
        return view(tx, bench.job(job_id))


def add_host(bench, *, slots: int, can_render: bool = True) -> None:
    with bench.database.transaction() as tx:
        sign_in(tx, host_id=uuid4(), name="h:1", can_render=can_render, slots=slots)


@pytest.fixture
def busy(bench):
    """One host with two slots, both taken: by a render step begun just now and by the plan of another job."""
    bench.load(*(content(n) for n in range(1, 41)))
    add_host(bench, slots=2)
    running = bench.planned(every=10)
    bench.claim(running)
    bench.claim(bench.submit())
    return running


def test_positions_are_the_order_in_which_workers_take_them(bench, busy):
    queued = [bench.submit() for _ in range(5)]
    # on one clock's tick the id decides, whatever the order of the creates was
    bench.sql("UPDATE jobs SET created_at = (SELECT min(created_at) FROM jobs) WHERE state = 'queued'")

    positions = {look(bench, job).queue_position: job for job in queued}
    with bench.database.reading() as tx:
        taken = candidates(tx, limit=10)

    assert sorted(positions) == [1, 2, 3, 4, 5]
    assert [positions[place] for place in sorted(positions)] == taken[:5]
    assert taken[5:] == [busy]


def test_a_free_slot_takes_a_queued_job_at_once(bench):
    bench.load(content(1))
    add_host(bench, slots=2)

    queued = [bench.submit() for _ in range(3)]

    assert [look(bench, job).starts_in_seconds for job in queued] == [0, 0, None]


def test_the_start_follows_the_rate_at_which_running_jobs_end_steps(bench, busy):
    queued = [bench.submit() for _ in range(2)]
    unknown = look(bench, queued[0])
    # 20 documents in 40 s are a step of ten every 20 s
    ago = "strftime('%Y-%m-%dT%H:%M:%f','now','-40 seconds') || '000Z'"
    if "postgresql" in bench.url:
        ago = "now() - interval '40 seconds'"
    bench.sql(f"UPDATE jobs SET rendered = 20, planned_at = {ago} WHERE phase = 'rendering'")

    first, second = (look(bench, job) for job in queued)

    assert (unknown.queue_position, unknown.starts_in_seconds) == (1, None)
    assert (first.queue_position, second.queue_position) == (1, 2)
    assert 20 <= first.starts_in_seconds <= 30
    assert 40 <= second.starts_in_seconds <= 60


def test_without_a_host_that_renders_nobody_knows_when(bench):
    bench.load(content(1))
    add_host(bench, slots=4, can_render=False)
    job = bench.submit()

    assert (look(bench, job).queue_position, look(bench, job).starts_in_seconds) == (1, None)


def test_what_has_begun_has_no_place_in_the_queue(bench, busy):
    found = look(bench, busy)

    assert (found.queue_position, found.starts_in_seconds) == (None, None)
