"""The servers that tests share, and the rule that nothing is skipped in continuous integration."""

import os
import signal
from collections.abc import Generator, Iterator
from pathlib import Path

import pytest

from tests.servers import PostgresServer, RedisServer, Server, ServerMissing, running_postgres, running_redis

IN_CI = os.environ.get("CI", "").lower() in {"1", "true"}


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


def pytest_configure() -> None:
    """Let every polite kill of pytest end the session in order, servers included, as Ctrl-C does."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.default_int_handler)


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
