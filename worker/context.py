"""What every part of a worker process is given by its composition root."""

from dataclasses import dataclass
from datetime import timedelta
from uuid import UUID

from app.artifacts.store import ArtifactStore
from app.database.transactions import Database
from app.documents.pool import RendererPool
from worker.lanes import Lanes
from worker.metrics import WorkerSignals


@dataclass(frozen=True, slots=True)
class WorkerLimits:
    """The tunables of a worker; seconds are floats where the database takes them."""

    slots: int
    lease: float
    pulse: float
    cancel_grace: float
    sweep: float
    shutdown: float
    max_items: int
    package_time: timedelta
    queue_ttl: float
    run_ttl: float
    archive_ttl: float
    archive_grace: float
    record_ttl: float


@dataclass(frozen=True, slots=True)
class WorkerContext:
    """A worker process's identity and the things it works with."""

    host_id: UUID
    host: str
    database: Database
    artifacts: ArtifactStore
    artifacts_address: str
    pool: RendererPool
    lanes: Lanes
    """Where render steps have their documents made, by the children of the pool."""
    limits: WorkerLimits
    signals: WorkerSignals
