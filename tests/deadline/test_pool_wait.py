"""The wait for a connection of work that has no deadline."""

import asyncio

import pytest
from sqlalchemy.exc import TimeoutError as PoolTimeout
from sqlalchemy.ext.asyncio import create_async_engine

from app.deadline.sqlalchemy import BudgetedPool
from app.deadline.sqlite import SqliteGuard
from tests.deadline.scenes import jump, play, turns


def test_without_a_deadline_the_wait_for_a_connection_ends_all_the_same():
    async def scene():
        engine = create_async_engine("sqlite+aiosqlite://")
        guard = SqliteGuard()
        guard.watch(engine)
        pool = BudgetedPool(size=1, guard=guard, wait=5)

        async def use() -> None:
            async with pool.transaction(engine):
                pass

        async with pool.transaction(engine):
            late = asyncio.create_task(use())
            await turns()
            jump(5)
            with pytest.raises(PoolTimeout, match="within 5 s"):
                await late
        await use()

        assert pool.in_use == 0
        await engine.dispose()

    play(scene())
