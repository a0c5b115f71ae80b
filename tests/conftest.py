"""The servers that tests share, and the rule that nothing is skipped in continuous integration."""

import gc
import os
import shutil
import signal
from collections.abc import Generator, Iterator
from pathlib import Path
from typing import cast

import pytest
from sqlalchemy import Engine, QueuePool
from sqlalchemy.exc import DBAPIError

from app.database import engines
from app.database.engines import sync_engine
from app.database.tables import Table
from tests.lasting import end_unused, lasting
from tests.migrated import LIMITS, migrated_database, migrated_file
from tests.s3 import S3Server, running_s3
from tests.servers import PostgresServer, RedisServer, Server, ServerMissing, running_postgres, running_redis

# A tenth of what TRUNCATE takes, which writes new files for each table and index.
EMPTIED = ";".join(
    (
        "SET LOCAL session_replication_role = replica",  # no reference is looked after
        *(f"DELETE FROM {table}" for table in Table.metadata.tables),
        "SELECT setval((schemaname || '.' || sequencename)::regclass, 1, false) FROM pg_sequences",
    )
)
"""Every table without a row, every sequence at its beginning."""

IN_CI = os.environ.get("CI", "").lower() in {"1", "true"}


@pytest.fixture(scope="session", autouse=True)
def _patience() -> Iterator[None]:
    """Let this process stand still inside a transaction for longer than a worker may: its machine may be busy."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(engines, "STANDS_STILL", 60.0)
        yield


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[PostgresServer]:
    """One PostgreSQL for the session. A test that stops, freezes or reconfigures it takes one of its own."""
    try:
        with running_postgres() as server:
            yield server
    except ServerMissing as missing:
        pytest.skip(str(missing))


@pytest.fixture(scope="session")
def redis_server() -> Iterator[RedisServer]:
    """One Redis for the session. A test that stops or freezes it takes one of its own."""
    try:
        with running_redis() as server:
            yield server
    except ServerMissing as missing:
        pytest.skip(str(missing))


@pytest.fixture(scope="module")
def s3_server(request) -> S3Server:
    """One S3 server for all in a row. A test that stops or freezes it takes one of its own."""
    try:
        return lasting(request, running_s3, folders=(Path(__file__).parent / "artifacts",))
    except ServerMissing as missing:
        pytest.skip(str(missing))


@pytest.fixture(params=["sqlite", "postgresql"])
def database_url(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """The SQLAlchemy URL of an empty database, once for each that we support."""
    match request.param:
        case "sqlite":
            yield f"sqlite:///{tmp_path / 'sheaf.db'}"
        case _:
            server: PostgresServer = request.getfixturevalue("postgres_server")
            name = server.create_database()
            yield server.url(name)
            server.drop_database(name)


@pytest.fixture(scope="session")
def migrated_sqlite(tmp_path_factory):
    """A migrated SQLite file to copy: migrating takes a second, copying nothing."""
    file = tmp_path_factory.mktemp("migrated") / "sheaf.db"
    file.write_bytes(migrated_file())
    return file


@pytest.fixture(scope="session")
def migrated_postgresql(postgres_server):
    """A migrated PostgreSQL database and its engine: emptying it after each test is faster than making another."""
    engine = sync_engine(migrated_database(postgres_server), LIMITS)
    yield engine
    engine.dispose()


@pytest.fixture(scope="session")
def sqlite_engine(tmp_path_factory):
    """An engine on a file that each test finds as the migrated one."""
    engine = sync_engine(f"sqlite:///{tmp_path_factory.mktemp('sqlite') / 'sheaf.db'}", LIMITS)
    yield engine
    engine.dispose()


@pytest.fixture(params=["sqlite", "postgresql"])
def migrated_url(request) -> Iterator[str]:
    """The address of a migrated, empty database of each kind."""
    if request.param == "sqlite":
        engine: Engine = request.getfixturevalue("sqlite_engine")
        file = Path(str(engine.url.database))
        for left in file.parent.glob(f"{file.name}*"):
            left.unlink()
        shutil.copy(request.getfixturevalue("migrated_sqlite"), file)
        yield str(engine.url)
        return
    engine = request.getfixturevalue("migrated_postgresql")
    yield engine.url.render_as_string(hide_password=False)
    empty(engine)


def empty(engine: Engine) -> None:
    """Leave no row in PostgreSQL, and one connection at most to the next test, which it saves opening one."""
    pool = cast(QueuePool, engine.pool)
    if pool.checkedout() or pool.checkedin() > 1:
        engine.dispose()
    try:
        with engine.begin() as connection:
            connection.exec_driver_sql(EMPTIED)
    except DBAPIError as error:
        # the test ended its server process
        if not error.connection_invalidated:
            raise
        with engine.begin() as connection:
            connection.exec_driver_sql(EMPTIED)


@pytest.fixture
def migrated_engine(request, migrated_url) -> Iterator[Engine]:
    """An engine on it. It is the session's: to compile a statement takes longer than to run it, and it does so once."""
    if migrated_url.startswith("sqlite"):
        engine: Engine = request.getfixturevalue("sqlite_engine")
        yield engine
        engine.dispose()
    else:
        yield request.getfixturevalue("migrated_postgresql")


def pytest_collection_finish() -> None:
    """What is loaded by now stays: nobody looks through it for garbage again and again, test by test."""
    gc.collect()
    gc.freeze()


def pytest_configure() -> None:
    """Let every polite kill of pytest end the session in order, servers included, as Ctrl-C does."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.default_int_handler)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_teardown(item: pytest.Item, nextitem: pytest.Item | None) -> Generator[None, None, None]:
    """End what was started for many tests and has no use for the next one."""
    yield
    end_unused(item.config, nextitem)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Show the servers' logs beside a failure, and take a skip for one in CI."""
    report = yield
    if report.skipped and IN_CI and not hasattr(report, "wasxfail"):
        report.outcome = "failed"
        report.longrepr = f"skipped, which CI does not allow: {report.longrepr}"
    if report.failed:
        for server in getattr(item, "funcargs", {}).values():
            if isinstance(server, Server):
                report.sections.append((f"log of {type(server).__name__}", server.log_tail()))
    return report


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report() -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    """A module that skips itself whole is no exception."""
    report = yield
    if report.skipped and IN_CI:
        report.outcome = "failed"
        report.longrepr = f"skipped, which CI does not allow: {report.longrepr}"
    return report
