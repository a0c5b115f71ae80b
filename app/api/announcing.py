"""Ringing the workers' bell for a job: after its commit, inside what is left, never failing the answer."""

from functools import partial
from typing import Final
from uuid import UUID

from app.api.services import Services
from app.deadline.budget import Budget, DeadlineSpent, DependencyTimedOut
from app.deadline.current import spending

_EARLIER: Final = 0.01
"""Seconds by which the bell gives up before us, so that it is the bell that says what was unheard."""


async def announce(services: Services, job_id: UUID) -> None:
    """Tell the workers; without the bell work starts half a second later."""
    try:
        async with spending("announce") as budget:
            ring = partial(services.bell.announce, job_id, Budget(budget.cutoff - _EARLIER))
            await services.threads.run(ring)
    except (DeadlineSpent, DependencyTimedOut) as late:
        services.bell.missed(job_id, late)
