"""Scenes: what a test plays on an event loop of its own, whose time it can move on."""

import asyncio
import threading
from collections.abc import Callable, Coroutine
from typing import Any

BOUND = 10.0
"""Seconds after which a test gives up: many times what anything here takes."""


def play(scene: Coroutine[Any, Any, None]) -> None:
    """Run a scene on such a loop, bounded."""

    async def bounded() -> None:
        loop = asyncio.get_running_loop()
        assert isinstance(loop, JumpingLoop)
        _playing[:] = [loop]
        timer = threading.Timer(BOUND, loop.call_soon_threadsafe, [_here().cancel])
        timer.start()
        try:
            await scene
        except BaseException:
            await _end_others()
            raise
        finally:
            timer.cancel()

    with asyncio.Runner(loop_factory=JumpingLoop) as runner:
        runner.run(bounded())


async def _end_others() -> None:
    """A scene that fails must end too, with those in it who do not hear a cancel the first time."""
    others = asyncio.all_tasks() - {_here()}
    for _ in range(5):
        for one in others:
            one.cancel()
        if others:
            await asyncio.wait(others, timeout=0.01)


def _here() -> "asyncio.Task[Any]":
    task = asyncio.current_task()
    assert task is not None
    return task


class JumpingLoop(asyncio.SelectorEventLoop):
    """An event loop whose time can be moved on, so that no test has to wait for a deadline."""

    def __init__(self) -> None:
        super().__init__()
        self._ahead = 0.0

    def time(self) -> float:
        return super().time() + self._ahead

    def jump(self, seconds: float) -> None:
        """It is that much later from now on."""
        self._ahead += seconds


_playing: list[JumpingLoop] = []
"""The loop on which a scene is played now, for those who ask from other threads too."""


def clock() -> float:
    """The time of that loop: the monotonic clock, but for jumps."""
    return _playing[-1].time()


def jump(seconds: float) -> None:
    """Move the time on."""
    _playing[-1].jump(seconds)


async def until(is_so: Callable[[], object]) -> None:
    """Let the event loop go on until something is so that has no event of its own."""
    while not is_so():  # noqa: ASYNC110
        await asyncio.sleep(0.001)


async def turns(count: int = 5) -> None:
    """Let everybody act who can."""
    for _ in range(count):
        await asyncio.sleep(0)
