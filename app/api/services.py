"""What the routes are given by the composition root."""

from dataclasses import dataclass
from typing import Annotated, cast

from fastapi import Depends, Request

from app.api.rendering import Renderer
from app.artifacts.store import ArtifactStore
from app.database.transactions import AsyncDatabase
from app.deadline.zombies import Threads
from app.messaging.bell import Bell


@dataclass(frozen=True, slots=True)
class ApiLimits:
    """The tunables of the API; times in seconds, sizes in bytes."""

    root_path: str
    max_items: int
    checkpoint_every: int
    combined_part: int
    body_max_bytes: int
    import_max_bytes: int
    import_idle: float
    stream_seconds: float
    """After which a stream of events ends, and its reader comes back."""


@dataclass(frozen=True, slots=True)
class Services:
    """What one API process works with: `threads` is for what blocks, `renderer` for documents in a caller's time."""

    database: AsyncDatabase
    artifacts: ArtifactStore
    bell: Bell
    threads: Threads
    renderer: Renderer
    limits: ApiLimits


def services_of(request: Request) -> Services:
    """The services of the application that serves this request."""
    return cast("Services", request.app.state.services)


async def _services_of(request: Request) -> Services:
    # the framework would run a plain function in a thread, which no deadline can stop
    return services_of(request)


ServicesDependency = Annotated[Services, Depends(_services_of)]
