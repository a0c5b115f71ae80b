"""A create is cut off at each of its points, by its caller or by its deadline: what is durable, and what is held.

Every moment is made certain: by a hook at the point itself, or by asking the database who waits.
"""

from collections.abc import Iterator

import pytest

from app.deadline.admission import Permits
from app.deadline.outcome import Outcome
from app.deadline.policy import Priority
from tests.deadline.cutting import (
    CUT,
    LEFT,
    HeldBroker,
    assert_as_new,
    cut_off,
    end_of,
    leaves,
    on_statement,
)
from tests.deadline.observed import Observed, Witness
from tests.deadline.scenes import BOUND, clock, jump, until
from tests.shop import orders

on_postgresql = pytest.mark.parametrize("migrated_url", ["postgresql"], indirect=True)


@pytest.fixture
def broker():
    return HeldBroker()


@pytest.fixture
def house(migrated_url, tmp_path, broker):
    house = Observed(migrated_url, tmp_path, clock=clock, broker=broker, permits=Permits(4, wait=BOUND))
    yield house
    house.database.close()


@pytest.fixture
def alice(house):
    return house.owner()


@pytest.fixture
def witness(migrated_url) -> Iterator[Witness]:
    witness = Witness(migrated_url)
    yield witness
    witness.close()


@cut_off
def test_a_create_that_is_cut_off_before_its_permit_was_never_begun(house, alice, cut):
    async def scene():
        await alice.load(orders(2))
        taken = [await house.admission.acquire(Priority.NORMAL, within=0) for _ in range(3)]
        reached = len(house.notes.used_of)
        visit = alice.create(Connect_Timeout_Ms="1000").begin()
        await until(lambda: house.admission._lanes[Priority.NORMAL].waiting)

        if cut == "caller":
            visit.leave()
            taken[0].release()
        else:
            jump(visit.deadline.left() - visit.deadline.policy.minimum)
        await visit.end()

        assert end_of(house, visit) == (LEFT if cut == "caller" else (503, Outcome.ADMISSION_DENIED))
        assert len(house.notes.used_of) == reached, "something was begun"
        for permit in taken:
            permit.release()
        await assert_as_new(house, alice, jobs=0)

    house.play(scene())


@cut_off
def test_a_create_that_is_cut_off_while_it_waits_for_a_connection_takes_none(house, alice, cut):
    async def scene():
        await alice.load(orders(2))
        borrowed = [house.services.database.reading() for _ in range(house.pool.size)]
        for one in borrowed:
            await one.__aenter__()
        visit = alice.create().begin()
        await until(lambda: visit.place == "pool")

        CUT[cut](visit)
        await visit.end()

        assert end_of(house, visit) == (LEFT if cut == "caller" else (504, Outcome.DEADLINE_LOCAL))
        assert cut == "caller" or visit.told == (504, "deadline_local", "pool")
        assert (house.pool.in_use, house.held.get("permits", 0)) == (house.pool.size, 0)
        for one in borrowed:
            await one.__aexit__(None, None, None)
        await assert_as_new(house, alice, jobs=0)

    house.play(scene())


@on_postgresql
@cut_off
def test_a_statement_that_is_cut_off_waits_for_its_lock_no_more(house, alice, witness, cut):
    async def scene():
        await alice.load(orders(2))
        with witness.connection.transaction():
            witness.one("LOCK TABLE jobs IN SHARE MODE")  # whoever reads passes
            visit = alice.create(Connect_Timeout_Ms="4000").begin()
            await until(witness.blocked)

            CUT[cut](visit)
            await visit.end()

            assert end_of(house, visit) == (LEFT if cut == "caller" else (504, Outcome.DEADLINE_DOWNSTREAM))
            assert cut == "caller" or visit.told == (504, "deadline_downstream", "database")
            # gone although the lock is still taken
            await until(lambda: witness.blocked() == [])
        await assert_as_new(house, alice, jobs=0)

    house.play(scene())


@on_postgresql
@cut_off
def test_a_create_that_is_cut_off_when_all_is_written_leaves_nothing(house, alice, witness, cut):
    async def scene():
        await alice.load(orders(2))

        def lock_hosts(statement: str) -> None:
            if statement.startswith("INSERT INTO steps"):
                # the last that is asked before the COMMIT is who could work on it
                witness.one("LOCK TABLE hosts IN ACCESS EXCLUSIVE MODE")

        with witness.connection.transaction(), on_statement(house.engine, "after_cursor_execute", lock_hosts):
            visit = alice.create(Connect_Timeout_Ms="4000").begin()
            await until(witness.blocked)

            CUT[cut](visit)
            await visit.end()

            assert end_of(house, visit) == (LEFT if cut == "caller" else (504, Outcome.DEADLINE_DOWNSTREAM))
            await until(lambda: witness.blocked() == [])
        await assert_as_new(house, alice, jobs=0)

    house.play(scene())


def test_right_before_its_commit_a_create_whose_time_is_up_is_not_committed(house, alice):
    async def scene():
        await alice.load(orders(2))
        visit = alice.create()
        house.at = {"staged": lambda: jump(visit.deadline.left())}

        await visit.answer()

        # by our own look at the clock, or by that of whoever waits for the ROLLBACK
        assert visit.told in {(504, "deadline_local", "commit"), (504, "deadline_downstream", "database")}
        house.at = {}
        await assert_as_new(house, alice, jobs=0)

    house.play(scene())


GATE = """
CREATE FUNCTION gate() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN PERFORM pg_advisory_xact_lock_shared(7); RETURN NULL; END $$;
CREATE CONSTRAINT TRIGGER gate AFTER INSERT ON jobs DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION gate();
"""


@pytest.fixture
def gated(witness):
    witness.connection.execute(GATE)
    yield
    witness.connection.execute("DROP FUNCTION gate CASCADE")


@on_postgresql
@cut_off
def test_a_commit_that_is_cut_off_before_the_server_has_done_it_is_undone(house, alice, witness, gated, cut):
    async def scene():
        await alice.load(orders(2))
        witness.one("SELECT pg_advisory_lock(7)")
        visit = alice.create(Connect_Timeout_Ms="4000").begin()
        await until(witness.blocked)

        CUT[cut](visit)
        await visit.end()

        assert end_of(house, visit) == (LEFT if cut == "caller" else (504, Outcome.OUTCOME_UNKNOWN))
        await until(lambda: witness.blocked() == [])
        witness.one("SELECT pg_advisory_unlock(7)")
        await assert_as_new(house, alice, jobs=0)

    house.play(scene())


@cut_off
def test_a_create_that_is_cut_off_after_its_commit_is_durable(house, alice, broker, cut):
    async def scene():
        await alice.load(orders(2))
        visit = alice.create()
        house.at = {"acknowledged": lambda: leaves(visit) if cut == "caller" else jump(visit.deadline.left())}

        await visit.answer()

        assert end_of(house, visit) == (LEFT if cut == "caller" else (202, Outcome.COMPLETED))
        house.at = {}
        await assert_as_new(house, alice, jobs=1)

    house.play(scene())


@pytest.mark.parametrize("cut", ["caller", "cap", "deadline"])
def test_an_announcement_that_is_cut_off_fails_nobodys_create(house, alice, broker, cut):
    async def scene():
        await alice.load(orders(2))
        broker.let_go.clear()
        visit = alice.create().begin()
        await until(broker.inside.is_set)
        on_the_way = dict(house.held)

        match cut:
            case "caller":
                visit.leave()
            case "cap":
                jump(visit.deadline.policy.caps["announce"])
            case "deadline":
                jump(visit.deadline.left())
        await visit.end()

        assert on_the_way == {"permits": 1}, "the announcement needs no connection"
        assert end_of(house, visit) == (LEFT if cut == "caller" else (202, Outcome.COMPLETED))
        assert house.held == {"zombies": 1}
        assert cut != "cap" or house.services.bell.unheard == 1
        broker.let_go.set()
        await assert_as_new(house, alice, jobs=1)

    house.play(scene())
