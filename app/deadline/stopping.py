"""Stopping a task that nobody waits for: told once, told again, and then left and counted."""

import asyncio
import logging
from typing import Final

from starlette.requests import ClientDisconnect

from app.deadline.budget import DeadlineSpent, DependencyTimedOut
from app.deadline.current import AGAIN_AFTER, Deadline
from app.deadline.zombies import TASK, Zombies

log = logging.getLogger(__name__)

UNWINDING: Final = 0.003
"""Seconds that a task gets after the second step of its cancel, to drop what it holds."""


async def stop(child: asyncio.Task[None], deadline: Deadline, zombies: Zombies, *, why: str) -> None:
    """Take both steps of a cancel; whatever the task does, this ends after `AGAIN_AFTER` and `UNWINDING`."""
    told_at = deadline.clock()
    deadline.is_over = True
    if child.done():
        # by itself, before anybody told it
        _note_error(child)
        return
    for patience in (AGAIN_AFTER, UNWINDING):
        if not child.done():
            child.cancel()
            await asyncio.wait({child}, timeout=patience)
    if child.done():
        _stopped(child, deadline, why, told_at)
        return
    zombies.rose(TASK)

    def ended(_: asyncio.Task[None]) -> None:
        zombies.fell(TASK)
        _stopped(child, deadline, why, told_at)

    child.add_done_callback(ended)


def _stopped(child: asyncio.Task[None], deadline: Deadline, why: str, told_at: float) -> None:
    deadline.signals.stopped(seconds=deadline.clock() - told_at)
    if not child.cancelled() and child.exception() is None:
        deadline.signals.finished_late(why)
    _note_error(child)


def _note_error(child: asyncio.Task[None]) -> None:
    """Log what nobody else will see, but for what a handler may well raise when its request is over."""
    error = None if child.cancelled() else child.exception()
    if error is not None and not isinstance(error, DeadlineSpent | DependencyTimedOut | ClientDisconnect):
        log.warning("deadline.error_while_stopping: %s", type(error).__name__)
