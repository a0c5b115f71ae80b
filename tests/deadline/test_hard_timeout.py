"""Both steps of a time-out come, and apart from each other."""

import asyncio

from app.deadline.current import AGAIN_AFTER, hard_timeout
from tests.deadline.racing import HurriedLoop


def test_a_loop_that_was_busy_at_the_time_still_takes_both_steps():
    told = []

    async def deaf():
        loop = asyncio.get_running_loop()
        for _ in range(2):
            try:
                await asyncio.Event().wait()
            except asyncio.CancelledError:
                told.append(loop.time())
        raise asyncio.CancelledError

    async def busy():
        # as if something had kept the loop from its timers until both were due
        asyncio.get_running_loop().ahead += 60
        await asyncio.wait({ending}, timeout=100 * AGAIN_AFTER)
        assert isinstance(ending.exception(), TimeoutError)

    async def call():
        async with hard_timeout(30):
            await deaf()

    with asyncio.Runner(loop_factory=HurriedLoop) as runner:
        ending = runner.get_loop().create_task(call())
        runner.run(busy())

    first, second = told
    assert second - first >= AGAIN_AFTER - 0.001
