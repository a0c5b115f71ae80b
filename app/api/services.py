"""What the routes are given by the composition root."""

from dataclasses import dataclass
from typing import Annotated, cast

from fastapi import Depends, Request

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
    """The database, the artifacts, the bell, the threads for what blocks, and the limits of one API process."""

    database: AsyncDatabase
    artifacts: ArtifactStore
    bell: Bell
    threads: Threads
    limits: ApiLimits


def services_of(request: Request) -> Services:
    """The services of the application that serves this request."""
    return cast("Services", request.app.state.services)


async def _services_of(request: Request) -> Services:
    # the framework would run a plain function in a thread, which no deadline can stop
    return services_of(request)


ServicesDependency = Annotated[Services, Depends(_services_of)]
