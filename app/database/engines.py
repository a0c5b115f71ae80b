"""Engines for PostgreSQL and SQLite, set so that nothing waits for ever."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from sqlalchemy import URL, Connection, Engine, create_engine, event, make_url
from sqlalchemy.exc import DBAPIError, InvalidatePoolError
from sqlalchemy.ext.asyncio import AsyncEngine, create_async_engine
from sqlalchemy.pool import ConnectionPoolEntry

from app.deadline.sqlalchemy import Guard

STANDS_STILL = 3.0
"""Seconds that a transaction may send nothing: a process that is frozen inside one holds the lock of a job.

Less than a cancel waits for the database, so that the owner's word comes through. See `standing` for what is in the
way of one.
"""
APPLICATION: Final = "sheaf"
"""How PostgreSQL's own views name our connections."""

READING = "sheaf_reading"
"""Execution option: the transaction only reads. SQLite then begins without its write lock.

Not `postgresql_readonly`: that is set and reset on a connection's way out of its pool and back, where
SQLAlchemy loses a connection, and its place in the pool, if the wait for it is cancelled.
"""

ASK_AFTER: Final = 1.0
"""Seconds of idleness after which a PostgreSQL connection is asked whether its server still answers."""
_USED_AT: Final = "sheaf_used_at"


@dataclass(frozen=True, slots=True)
class EngineLimits:
    """How long a database may keep us, in seconds, and how many connections we hold."""

    connections: int
    connect: float
    statement: float
    lock: float


def sync_engine(address: str, limits: EngineLimits) -> Engine:
    """An engine for workers and commands; `address` is a SQLAlchemy URL."""
    url = make_url(address)
    if url.get_backend_name() == "sqlite":
        engine = create_engine(
            url.set(drivername="sqlite"), **_pool(limits), connect_args=_sqlite_arguments(limits.lock)
        )
        _prepare_sqlite(engine, Connection.exec_driver_sql)
        return engine
    # BEGIN is ours to send, as with SQLite: with its mode it is one message instead of two
    arguments = {**_postgresql_arguments(limits), "autocommit": True}
    engine = create_engine(_psycopg(url), **_pool(limits), connect_args=arguments)
    _ask_the_idle(engine)

    @event.listens_for(engine, "begin")
    def _on_begin(connection: Connection) -> None:
        reading = connection.get_execution_options().get(READING, False)
        connection.exec_driver_sql("BEGIN READ ONLY" if reading else "BEGIN")

    return engine


def async_engine(address: str, limits: EngineLimits) -> tuple[AsyncEngine, Guard]:
    """An engine for the API, and what holds its transactions to a budget; `address` is a SQLAlchemy URL."""
    url = make_url(address)
    if url.get_backend_name() == "sqlite":
        return _async_sqlite(url, limits)
    return _async_postgresql(url, limits)


def _async_sqlite(url: URL, limits: EngineLimits) -> tuple[AsyncEngine, Guard]:
    from app.deadline.sqlite import SLICE, SqliteGuard, begin_in_slices  # noqa: PLC0415 - one driver is enough

    engine = create_async_engine(
        url.set(drivername="sqlite+aiosqlite"), **_pool(limits), connect_args=_sqlite_arguments(SLICE)
    )

    def begin(connection: Connection, statement: str) -> None:
        begin_in_slices(connection, statement, at_most=limits.lock, clock=time.monotonic)

    _prepare_sqlite(engine.sync_engine, begin)
    guard = SqliteGuard()
    guard.watch(engine)
    return engine, guard


def _async_postgresql(url: URL, limits: EngineLimits) -> tuple[AsyncEngine, Guard]:
    from app.deadline.postgresql import PostgresqlGuard  # noqa: PLC0415 - one driver is enough

    engine = create_async_engine(_psycopg(url), **_pool(limits), connect_args=_postgresql_arguments(limits))
    _ask_the_idle(engine.sync_engine)
    guard = PostgresqlGuard(reading=READING)
    guard.watch(engine)
    return engine, guard


def _psycopg(url: URL) -> URL:
    # `postgres://` and `postgresql://` are what people have at hand
    return url.set(drivername="postgresql+psycopg")


def _pool(limits: EngineLimits) -> dict[str, Any]:
    return {
        "pool_size": limits.connections,
        "max_overflow": 0,
        "pool_timeout": limits.connect,
        # an error's text goes to logs: the statement may, what it carried may not
        "hide_parameters": True,
    }


def _sqlite_arguments(lock: float) -> dict[str, Any]:
    return {"timeout": lock, "check_same_thread": False}


def _postgresql_arguments(limits: EngineLimits) -> dict[str, Any]:
    options = {
        "statement_timeout": int(limits.statement * 1000),
        "lock_timeout": int(limits.lock * 1000),
        "idle_in_transaction_session_timeout": int(STANDS_STILL * 1000),
        # the server looks every 400 ms whether a statement's caller is still there
        "client_connection_check_interval": 400,
        # the driver prepares statements: one that was planned while a table was small would go on reading all of it
        "plan_cache_mode": "force_custom_plan",
    }
    return {
        "connect_timeout": max(2, int(limits.connect)),
        "tcp_user_timeout": int(limits.statement * 1000),
        "options": " ".join(f"-c {name}={value}" for name, value in options.items()),
        "application_name": APPLICATION,
    }


def has_stood_still(error: DBAPIError) -> bool:
    """Whether PostgreSQL ended a transaction that sent nothing for `STANDS_STILL`; nothing of it was committed."""
    return getattr(error.orig, "sqlstate", None) == "25P03"


def _ask_the_idle(engine: Engine) -> None:
    """Before a connection is used again after a while, ask whether its server still answers.

    As SQLAlchemy's `pool_pre_ping`, which asks each time: a round trip for every transaction.
    """

    @event.listens_for(engine, "checkin")
    def _on_checkin(_connection: Any, record: ConnectionPoolEntry) -> None:
        record.info[_USED_AT] = time.monotonic()

    @event.listens_for(engine, "checkout")
    def _on_checkout(connection: Any, record: ConnectionPoolEntry, _proxy: Any) -> None:
        used_at = record.info.get(_USED_AT)
        if used_at is None or time.monotonic() - used_at < ASK_AFTER:
            return
        try:
            engine.dialect.do_ping(connection)
        except engine.dialect.loaded_dbapi.Error as error:
            raise InvalidatePoolError from error


def _prepare_sqlite(engine: Engine, begin: Callable[[Connection, str], object]) -> None:
    @event.listens_for(engine, "connect")
    def _on_connect(connection: Any, _record: Any) -> None:
        # we send BEGIN ourselves: the driver's own would begin too late and without its mode
        connection.isolation_level = None
        cursor = connection.cursor()
        cursor.execute("PRAGMA journal_mode=WAL")
        cursor.execute("PRAGMA synchronous=FULL")
        cursor.execute("PRAGMA foreign_keys=ON")
        cursor.close()

    @event.listens_for(engine, "begin")
    def _on_begin(connection: Connection) -> None:
        reading = connection.get_execution_options().get(READING, False)
        begin(connection, "BEGIN" if reading else "BEGIN IMMEDIATE")
