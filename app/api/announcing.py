"""Ringing the workers' bell for a job: after its commit, inside what is left, never failing the answer."""

from functools import partial
from uuid import UUID

import structlog

from app.api.services import Services
from app.deadline.budget import DeadlineSpent, DependencyTimedOut
from app.deadline.current import spending

log = structlog.get_logger()


async def announce(services: Services, job_id: UUID) -> None:
    """Tell the workers; without the bell work starts half a second later."""
    try:
        async with spending("announce") as budget:
            await services.threads.run(partial(services.bell.announce, job_id, budget))
    except (DeadlineSpent, DependencyTimedOut) as late:
        log.warning("bell.unheard", job_id=str(job_id), error=type(late).__name__)
