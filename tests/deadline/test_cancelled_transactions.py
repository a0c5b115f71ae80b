"""A transaction that is cancelled at any of its waits gives its connection back."""

import asyncio
from collections.abc import Generator

import psycopg.waiting
import pytest
from sqlalchemy import text

from app.database.engines import async_engine
from app.database.transactions import AsyncDatabase
from app.deadline.sqlalchemy import BudgetedPool
from tests.migrated import LIMITS


class CancelledAt(Generator):
    """Awaits something, and cancels its own task at the wait with this number."""

    def __init__(self, awaited, number):
        self.steps = awaited.__await__()
        self.number = number
        self.waits = 0

    def __await__(self):
        return self

    def send(self, value):
        return self._waiting(self.steps.send(value))

    def throw(self, *error):
        return self._waiting(self.steps.throw(*error))

    def _waiting(self, waited_for):
        self.waits += 1
        if self.waits == self.number:
            asyncio.current_task().cancel()
        return waited_for


async def once(database, way):
    async with way(database)() as tx:
        await tx.scalar(text("SELECT 1"))


@pytest.mark.parametrize("way", [lambda d: d.reading, lambda d: d.transaction], ids=["reading", "transaction"])
def test_wherever_a_transaction_is_cancelled_its_place_in_the_pool_is_free_again(database_url, way, monkeypatch):
    # psycopg lets others run when it has not done so for a while: now it does so always
    monkeypatch.setattr(psycopg.waiting, "MAX_BUSY_TIME", 0.0)

    async def cancel_everywhere():
        engine, guard = async_engine(database_url, LIMITS)
        database = AsyncDatabase(engine, BudgetedPool(size=LIMITS.connections, guard=guard))
        left_behind, number = {}, 0
        while True:
            number += 1
            await once(database, way)  # so that there is an idle connection
            call = CancelledAt(once(database, way), number)
            task = asyncio.ensure_future(call)
            await asyncio.wait([task])
            if call.waits < number:
                break
            assert task.cancelled()
            left_behind[number] = (engine.pool.checkedout(), database.pool.in_use)
        await database.close()
        return left_behind

    left_behind = asyncio.run(cancel_everywhere())

    assert len(left_behind) > 3
    assert left_behind == dict.fromkeys(left_behind, (0, 0))


async def half_done(database):
    async with database.transaction() as tx:
        await tx.execute(text("CREATE TABLE half_done (id int)"))
        await tx.execute(text("SELECT pg_sleep(30)"))


def test_a_statement_that_is_given_up_costs_no_connection(postgres_server):
    url = postgres_server.url(postgres_server.create_database())
    backend = text("SELECT pg_backend_pid()")

    async def give_up_a_statement():
        engine, guard = async_engine(url, LIMITS)
        database = AsyncDatabase(engine, BudgetedPool(size=LIMITS.connections, guard=guard))
        async with database.reading() as tx:
            before = await tx.scalar(backend)
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(half_done(database), 0.1)
        async with database.reading() as tx:
            after = await tx.scalar(backend)
            table = await tx.scalar(text("SELECT to_regclass('half_done')"))
        await database.close()
        return before, after, table

    before, after, table = asyncio.run(give_up_a_statement())

    assert (after, table) == (before, None)
