"""From settings to running parts. Heavy rooms are imported only by the commands that need them."""

import fcntl
import os
import sqlite3
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import IO, TYPE_CHECKING

from app.cli.failing import Refused
from app.settings import Settings

if TYPE_CHECKING:
    import dramatiq
    from fastapi import FastAPI
    from prometheus_client import CollectorRegistry

    from app.api.application import Deadlines
    from app.artifacts.store import ArtifactStore
    from app.database.engines import EngineLimits
    from app.database.transactions import Database
    from app.deadline.signals import Signals
    from app.documents.pool import Render, RendererPool
    from worker.process import WorkerProcess


class Misconfigured(Refused):
    """A command cannot run with these settings; the text says what to set."""


class FolderInUse(Refused):
    """Another `sheaf serve` has this data folder."""


def database_url(settings: Settings) -> str:
    """The database's address; raises `Misconfigured` if none is set."""
    if settings.database_url is None:
        raise Misconfigured(
            "Set SHEAF_DATABASE_URL. Without a database server use `sheaf serve`, or --data DIR where a command has it."
        )
    return settings.database_url.get_secret_value()


def engine_limits(settings: Settings) -> "EngineLimits":
    """What a process may ask of its database."""
    from app.database.engines import EngineLimits

    return EngineLimits(
        connections=settings.database_connections,
        connect=settings.database_connect_seconds,
        statement=settings.database_statement_seconds,
        lock=settings.database_lock_seconds,
    )


def open_database(settings: Settings) -> "Database":
    """A database for commands and workers; raises `SchemaOutdated` unless it is where this release needs it."""
    from app.database.engines import sync_engine
    from app.database.revisions import require_head
    from app.database.transactions import Database

    limits = engine_limits(settings)
    # steps that wait for a lock must leave the pulse, the reconciler and their helpers a connection each
    enough = replace(limits, connections=max(limits.connections, settings.worker_slots + 5))
    engine = sync_engine(database_url(settings), enough)
    require_head(engine)
    return Database(engine)


def open_artifact_store(settings: Settings, database: "Database") -> "ArtifactStore":
    """The artifacts, checked to be the very ones that every other host uses."""
    from app.artifacts.folder import MARKER
    from app.artifacts.opening import ArtifactsAddressInvalid, open_artifacts
    from app.artifacts.store import ArtifactsUnavailable
    from app.database.hosts import fact, find_fact

    if settings.artifacts is None:
        raise Misconfigured("Set SHEAF_ARTIFACTS to the folder that every host shares, or to s3://bucket/prefix.")
    with database.reading() as tx:
        known = find_fact(tx, "artifacts")
    try:
        if known is None:
            mine = open_artifacts(settings.artifacts).identify()
            with database.transaction() as tx:
                known = fact(tx, "artifacts", if_new=mine)
        store = open_artifacts(settings.artifacts, known)
        store.check()
    except ArtifactsAddressInvalid as invalid:
        raise Misconfigured(f"{invalid}.") from None
    except ArtifactsUnavailable as away:
        raise Misconfigured(
            f"SHEAF_ARTIFACTS ({settings.artifacts}): {away}. The id in its {MARKER} must be the one in the "
            "database: mount the folder that the other hosts share, or name their bucket."
        ) from None
    return store


def open_broker(settings: Settings) -> "dramatiq.Broker":
    """The bell's broker: on Redis if there is one, else inside this process."""
    from app.messaging.broker import memory_broker, redis_broker

    if settings.redis_url is None:
        return memory_broker()
    return redis_broker(settings.redis_url.get_secret_value(), seconds=settings.redis_seconds)


def build_api(
    settings: Settings,
    *,
    broker: "dramatiq.Broker",
    artifacts: "ArtifactStore",
    render: "Render | None" = None,
) -> "FastAPI":
    """The HTTP application, the console included. `render` takes the place of our own renderer."""
    from app.api.application import create_api
    from app.api.deadlines import ROUTES
    from app.api.metrics import PREFIX, Metrics, process_metrics
    from app.api.readiness import Readiness
    from app.api.rendering import RENDERER, Renderer
    from app.api.services import ApiLimits, Services
    from app.database.engines import async_engine
    from app.database.revisions import outgrown
    from app.database.transactions import AsyncDatabase
    from app.deadline.policy import Priority
    from app.deadline.prometheus import PrometheusSignals
    from app.deadline.sqlalchemy import BudgetedPool
    from app.deadline.zombies import Threads
    from app.documents.counting import Children
    from app.messaging.bell import Bell
    from app.web.application import install_console

    bell = Bell(broker)
    token = settings.metrics_token.get_secret_value() if settings.metrics_token is not None else ""
    metrics = Metrics(process_metrics(bell), token.encode() or None)
    signals = PrometheusSignals(metrics.registry, prefix=PREFIX, routes=ROUTES)
    deadlines = _deadlines(settings, signals)
    engine, guard = async_engine(database_url(settings), engine_limits(settings))
    pool = BudgetedPool(size=settings.database_connections, guard=guard, wait=settings.database_connect_seconds)
    database = AsyncDatabase(engine, pool)
    limits = ApiLimits(
        root_path=settings.root_path.rstrip("/"),
        max_items=settings.max_items,
        checkpoint_every=settings.checkpoint_every,
        combined_part=settings.combined_part,
        body_max_bytes=settings.body_max_kib * 1024,
        import_max_bytes=settings.import_max_bytes,
        import_idle=settings.import_idle_seconds,
        stream_seconds=settings.stream_seconds,
    )
    threads = Threads(deadlines.zombies, size=settings.api_threads, name="api")
    children = renderer_pool(settings, children=settings.preview_children, render=render)
    metrics.registry.register(Children(children, prefix=f"{PREFIX}preview_"))
    renderer = Renderer(children, children=settings.preview_children, zombies=deadlines.zombies)
    services = Services(database, artifacts, bell, threads, renderer, limits)
    admission = deadlines.admission
    signals.watch_pool("database", lambda: pool.in_use, lambda: pool.size)
    signals.watch_pool(RENDERER, lambda: renderer.in_use, lambda: renderer.size)
    signals.watch_pool("permits", lambda: admission.taken(Priority.NORMAL), lambda: admission.limit(Priority.NORMAL))
    api = create_api(services, Readiness(database, outgrown=outgrown()), deadlines, metrics)
    install_console(
        api, root_path=limits.root_path, session_seconds=settings.session_seconds, trusted=settings.trusted_networks
    )
    return api


def _deadlines(settings: Settings, signals: "Signals") -> "Deadlines":
    from app.api.application import Deadlines
    from app.api.deadlines import Policies, words
    from app.deadline.admission import Admission, Permits
    from app.deadline.middleware import Rules
    from app.deadline.zombies import Zombies

    rules = Rules(
        policy_of=Policies(request_seconds=settings.request_seconds).of,
        words=words,
        trusted=settings.trusted_networks,
        is_enforced=settings.deadlines,
    )
    admission = Admission(Permits(settings.api_permits, least=settings.database_connections))
    return Deadlines(rules, admission, Zombies(signals, cap=settings.api_stuck), signals)


def build_worker(
    settings: Settings,
    *,
    database: "Database",
    artifacts: "ArtifactStore",
    broker: "dramatiq.Broker",
    render: "Render | None" = None,
    registry: "CollectorRegistry | None" = None,
) -> "WorkerProcess":
    """A worker process; nothing of it runs yet.

    `render` takes the place of our own renderer; `registry` gets its metrics, else one of its own.
    """
    from app.messaging.broker import BellBroker
    from worker.asking import own_registry
    from worker.context import WorkerContext, WorkerLimits
    from worker.lanes import Lanes
    from worker.metrics import WorkerSignals
    from worker.process import assemble

    limits = WorkerLimits(
        slots=settings.worker_slots,
        lease=settings.lease_seconds,
        pulse=settings.pulse_seconds,
        cancel_grace=settings.cancel_grace_seconds,
        sweep=settings.sweep_seconds,
        shutdown=settings.shutdown_seconds,
        max_items=settings.max_items,
        package_time=timedelta(seconds=settings.package_seconds),
        queue_ttl=settings.queue_ttl_seconds,
        run_ttl=settings.run_ttl_seconds,
        archive_ttl=settings.archive_ttl_seconds,
        archive_grace=settings.archive_grace_seconds,
        record_ttl=settings.record_ttl_seconds,
    )
    pool = renderer_pool(settings, children=settings.worker_slots, render=render)
    signals = WorkerSignals(registry or own_registry())
    database.on_end = signals.job_ended
    database.watch_errors(signals.database_failed)
    if isinstance(broker, BellBroker):
        signals.watch_bells(lambda: broker.lost_connections)
    context = WorkerContext(
        host_id=uuid.uuid4(),
        host=f"{settings.worker_name}:{os.getpid()}",
        database=database,
        artifacts=artifacts,
        artifacts_address=settings.artifacts or "",
        pool=pool,
        lanes=Lanes(settings.worker_slots),
        limits=limits,
        signals=signals,
    )
    return assemble(context, broker)


def renderer_pool(settings: Settings, *, children: int, render: "Render | None" = None) -> "RendererPool":
    """So many renderer children with the limits that all have; none is started. `render` as for `build_worker`."""
    from app.documents import child
    from app.documents.pool import RendererPool

    return RendererPool(
        workers=children,
        time_limit=timedelta(seconds=settings.render_seconds),
        memory_limit=settings.render_memory_mib * 1024 * 1024,
        documents_per_child=settings.documents_per_child,
        render=render or child.render,
    )


def keep_private() -> None:
    """Let nobody else read what this process makes from now on: it holds customers' data.

    The folder itself may be one that somebody made for us, with a mode of its own.
    """
    os.umask(0o077)


@contextmanager
def locked_folder(folder: Path) -> Iterator[None]:
    """Hold a data folder for one `sheaf serve`; raises `FolderInUse`. A killed process lets go of it."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    keep_private()
    with (folder / "lock").open("w") as file:
        _lock(file, folder)
        yield


def _lock(file: IO[str], folder: Path) -> None:
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise FolderInUse(f"{folder} is in use by another `sheaf serve`.") from None


def migrate_folder(settings: Settings, folder: Path) -> Path | None:
    """Bring a data folder's SQLite file to this release, after a backup; says where that is, if one was made."""
    from app.database.engines import sync_engine
    from app.database.migrating import upgrade
    from app.database.revisions import current, head

    engine = sync_engine(database_url(settings), engine_limits(settings))
    try:
        found = current(engine)
        if found == head():
            return None
        backup = None
        if found is not None:
            backup = folder / f"sheaf-{found}-{datetime.now(UTC):%Y%m%dT%H%M%SZ}.backup.db"
            _back_up(folder / "sheaf.db", backup)
        upgrade(engine)
    finally:
        engine.dispose()
    return backup


def _back_up(source: Path, target: Path) -> None:
    # SQLite's own backup: a copy of the file would miss what is in the write-ahead log
    with sqlite3.connect(source) as old, sqlite3.connect(target) as new:
        old.backup(new)
    old.close()
    new.close()
