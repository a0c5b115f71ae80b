"""A step costs the same in a large export: others that are left are not looked at, nor all ids that were asked for."""

import re

import pytest
from sqlalchemy import event

from tests.database.conftest import content


@pytest.fixture
def planned(bench):
    """A job of 600 items in as many render steps."""
    bench.load(*(content(shop_id) for shop_id in range(1, 601)))
    return bench.planned(every=1)


@pytest.fixture
def sent(bench):
    """The statements that are sent, with their values."""
    statements = []
    event.listen(
        bench.database._engine, "before_cursor_execute", lambda *given: statements.append((given[2], given[3]))
    )
    return statements


def test_the_next_step_is_found_without_sorting_those_behind_it(bench, planned, sent):
    bench.claim(planned)
    (next_step,) = [one for one in sent if one[0].startswith("SELECT") and "ORDER BY steps.ordinal" in one[0]]
    is_sqlite = bench.url.startswith("sqlite")
    statement, values = next_step[0], next_step[1]

    with bench.database.transaction() as tx:
        tx.connection().exec_driver_sql("ANALYZE steps")
        explained = tx.connection().exec_driver_sql(
            ("EXPLAIN QUERY PLAN " if is_sqlite else "EXPLAIN ") + statement.replace("FOR UPDATE", ""), values
        )
        plan = "\n".join(str(row[-1]) for row in explained)

    assert "ix_steps_next" in plan
    assert not re.search("sort|temp b-tree", plan, re.IGNORECASE), plan


def test_neither_claim_nor_checkpoint_reads_what_was_asked_for(bench, planned, sent):
    bench.checkpoint(bench.claim(planned))

    of_jobs = [statement for statement, _values in sent if "jobs.revision" in statement]
    assert len(of_jobs) >= 3
    assert not [statement for statement in of_jobs if "jobs.selection" in statement]
