"""SQLite's driver works in threads that cannot be cancelled: what a create leaves there when it is cut off.

Every moment is made certain: by a hook at the point itself, or by asking the thread where it is.
"""

import threading

import pytest
from sqlalchemy import text

from app.deadline.admission import Permits
from app.deadline.outcome import Outcome
from tests.deadline.cutting import (
    CUT,
    LEFT,
    assert_as_new,
    cut_off,
    end_of,
    give_function,
    is_writable,
    on_statement,
    trigger,
)
from tests.deadline.observed import Observed
from tests.deadline.scenes import BOUND, clock, until
from tests.shop import orders

on_sqlite = pytest.mark.parametrize("migrated_url", ["sqlite"], indirect=True)


@pytest.fixture
def house(migrated_url, tmp_path):
    house = Observed(migrated_url, tmp_path, clock=clock, permits=Permits(4, wait=BOUND))
    yield house
    house.database.close()


@pytest.fixture
def alice(house):
    return house.owner()


@on_sqlite
@cut_off
def test_a_create_that_is_cut_off_gives_up_waiting_for_sqlites_only_lock(house, alice, cut):
    async def scene():
        await alice.load(orders(2))
        begun = threading.Event()

        def note(statement: str) -> None:
            if statement == "BEGIN IMMEDIATE":
                begun.set()

        with house.database.transaction() as tx, on_statement(house.engine, "before_cursor_execute", note):
            tx.execute(text("SELECT 1"))  # from here on it has the lock
            visit = alice.create().begin()
            await until(begun.is_set)

            CUT[cut](visit)
            await visit.end()

            assert end_of(house, visit) == (LEFT if cut == "caller" else (504, Outcome.DEADLINE_DOWNSTREAM))
            await until(lambda: not house.held)
        await assert_as_new(house, alice, jobs=0)

    house.play(scene())


HOLD = "CREATE TRIGGER hold AFTER INSERT ON jobs BEGIN SELECT hold(); END"


@on_sqlite
@cut_off
def test_a_write_that_the_drivers_thread_cannot_leave_is_undone_when_it_can(house, alice, cut):
    async def scene():
        inside, let_go = threading.Event(), threading.Event()
        give_function(house, "hold", lambda: inside.set() or let_go.wait(BOUND))
        await alice.load(orders(2))
        with trigger(house, "hold", HOLD):
            visit = alice.create().begin()
            await until(inside.is_set)

            CUT[cut](visit)
            await visit.end()

            assert end_of(house, visit) == (LEFT if cut == "caller" else (504, Outcome.DEADLINE_DOWNSTREAM))
            # the INSERT is done for nobody, and its RETURNING is never fetched
            let_go.set()
            await until(lambda: is_writable(house))
        await assert_as_new(house, alice, jobs=0)

    house.play(scene())


SLOW = """
CREATE TRIGGER slow AFTER INSERT ON steps BEGIN
  SELECT inside();
  SELECT count(*) FROM (
    WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 4000000000) SELECT i FROM n
  );
END
"""


@on_sqlite
@cut_off
def test_a_long_statement_of_sqlite_that_is_cut_off_ends_and_is_undone(house, alice, cut):
    async def scene():
        inside = threading.Event()
        give_function(house, "inside", lambda: inside.set() or 1)
        await alice.load(orders(2))
        with trigger(house, "slow", SLOW):
            visit = alice.create(Connect_Timeout_Ms="4000").begin()
            await until(inside.is_set)

            CUT[cut](visit)
            await visit.end()

            assert end_of(house, visit) == (LEFT if cut == "caller" else (504, Outcome.DEADLINE_DOWNSTREAM))
            await until(lambda: is_writable(house))
        await assert_as_new(house, alice, jobs=0)

    house.play(scene())
