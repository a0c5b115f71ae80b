"""The faults: an API process on private servers, and what can be done to one of them."""

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import psycopg

from tests.installation import Installation, distributed
from tests.servers import PostgresServer, Server, running_postgres, running_redis

PERMITS: Final = {"SHEAF_API_PERMITS": "200"}
"""Nobody is refused for want of a permit: what is measured is lateness, not shedding."""
ENOUGH: Final = {**PERMITS, "SHEAF_DATABASE_CONNECTIONS": "60"}
"""A connection for every call that there can be at once: none waits for one, all reach the database."""
FEW: Final = {**PERMITS, "SHEAF_DATABASE_CONNECTIONS": "4"}


@dataclass(frozen=True, slots=True)
class Scene:
    """An installation, its database's address, and its fault, which lasts as long as the block."""

    installation: Installation
    database_url: str
    fault: Callable[[], AbstractContextManager[None]]


@contextmanager
def postgresql_frozen(folder: Path) -> Iterator[Scene]:
    """Every process of the database server stands still; its connections stay open."""
    with running_postgres() as postgres, running_redis() as redis:
        url = postgres.url(postgres.create_database())
        with distributed(folder, url, redis.url, workers=0, **ENOUGH) as installation:
            yield Scene(installation, url, lambda: frozen(postgres))


@contextmanager
def redis_frozen(folder: Path) -> Iterator[Scene]:
    """Every announcement hangs."""
    with running_postgres() as postgres, running_redis() as redis:
        url = postgres.url(postgres.create_database())
        with distributed(folder, url, redis.url, workers=0, **ENOUGH) as installation:
            yield Scene(installation, url, lambda: frozen(redis))


@contextmanager
def pool_exhausted(folder: Path) -> Iterator[Scene]:
    """Four connections, each held by a statement that waits for a lock of somebody else."""
    with running_postgres() as postgres, running_redis() as redis:
        name = postgres.create_database()
        with distributed(folder, postgres.url(name), redis.url, workers=0, **FEW) as installation:
            yield Scene(installation, postgres.url(name), lambda: tokens_locked(postgres, name))


@contextmanager
def sqlite_write_locked(folder: Path) -> Iterator[Scene]:
    """An API process on a file, while another process holds its write lock; no worker, whose rendering costs more."""
    file = folder / "sheaf.db"
    with distributed(folder, f"sqlite:///{file}", None, workers=0, **ENOUGH) as installation:
        yield Scene(installation, f"sqlite:///{file}", lambda: write_locked(file))


FAULTS: Final = {
    "postgresql": postgresql_frozen,
    "redis": redis_frozen,
    "pool": pool_exhausted,
    "sqlite": sqlite_write_locked,
}


@contextmanager
def frozen(server: Server) -> Iterator[None]:
    """Stop every process of a server."""
    server.freeze()
    try:
        yield
    finally:
        server.thaw()


@contextmanager
def tokens_locked(postgres: PostgresServer, database: str) -> Iterator[None]:
    """Hold the table that every call reads first."""
    with psycopg.connect(host="127.0.0.1", port=postgres.port, user="sheaf", dbname=database) as connection:
        connection.execute("LOCK TABLE tokens IN ACCESS EXCLUSIVE MODE")
        yield
        connection.rollback()


@contextmanager
def write_locked(file: Path) -> Iterator[None]:
    """Hold the write lock of an SQLite file."""
    with closing(sqlite3.connect(file, isolation_level=None, timeout=30)) as connection:
        connection.execute("BEGIN IMMEDIATE")
        yield
        connection.execute("ROLLBACK")
