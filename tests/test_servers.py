"""The test kit keeps its own promises: servers live, freeze and die as told, and CI takes no skip."""

import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import psycopg
import pytest
import redis

from tests.servers import DURABLE, PostgresServer, children_of, running_postgres
from tests.waiting import until

ROOT = Path(__file__).parents[1]


@pytest.fixture(scope="module")
def own_postgres(postgres_server):
    """A server to freeze and to kill; skipped with the shared one."""
    with running_postgres(DURABLE) as server:
        yield server


def connect(server: PostgresServer, database: str, **options):
    return psycopg.connect(server.url(database).replace("+psycopg", ""), autocommit=True, **options)


def test_a_killed_server_starts_again_with_what_was_committed(own_postgres):
    database = own_postgres.create_database()
    with connect(own_postgres, database) as connection:
        connection.execute("CREATE TABLE kept (number integer)")
        connection.execute("INSERT INTO kept VALUES (7)")

    own_postgres.kill()
    own_postgres.start()

    with connect(own_postgres, database) as connection:
        assert connection.execute("SELECT number FROM kept").fetchall() == [(7,)]


def test_a_frozen_server_answers_nobody_until_it_is_thawed(own_postgres):
    own_postgres.freeze()
    with pytest.raises(psycopg.OperationalError):
        connect(own_postgres, "postgres", connect_timeout=2)

    own_postgres.thaw()

    connect(own_postgres, "postgres").close()


def test_a_database_is_a_copy_of_its_template(postgres_server):
    template = postgres_server.create_database()
    with connect(postgres_server, template) as connection:
        connection.execute("CREATE TABLE copied ()")

    copy = postgres_server.create_database(template=template)

    with connect(postgres_server, copy) as connection:
        assert connection.execute("SELECT count(*) FROM copied").fetchone() == (0,)


def test_redis_forgets_when_flushed(redis_server):
    with redis.Redis.from_url(redis_server.url) as client:
        client.set("news", "old")

        redis_server.flush()

        assert client.get("news") is None


def run_pytest(folder: Path, test: str, **environment: str) -> subprocess.Popen[str]:
    """A pytest of its own, with our conftest, over one file."""
    file = folder / "test_it.py"
    file.write_text(test)
    command = [sys.executable, "-m", "pytest", "-c", ROOT / "pyproject.toml", "--rootdir", folder]
    return subprocess.Popen(
        [*command, "-p", "no:cacheprovider", "-p", "tests.conftest", file],
        env={
            "PATH": os.environ["PATH"],
            "PYTHONPATH": str(ROOT),
            "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",  # what others bring takes seconds to import
            **environment,
        },
        cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
    )  # fmt: skip


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_no_server_outlives_an_interrupted_pytest(postgres_server, redis_server, tmp_path, number):
    sign = tmp_path / "started"
    test = (
        f"def test_it(postgres_server, redis_server): open({str(sign)!r}, 'w').close(); __import__('time').sleep(600)"
    )
    interrupted = run_pytest(tmp_path, test)
    until(sign.exists, within=60)
    servers = children_of(interrupted.pid)
    # PostgreSQL works in data/ of its folder.
    folders = [Path(*Path(f"/proc/{pid}/cwd").resolve().parts[:3]) for pid in servers]
    assert len(servers) == 2

    interrupted.send_signal(number)
    interrupted.communicate(timeout=60)

    until(lambda: not any(Path(f"/proc/{pid}").exists() for pid in servers), within=60)
    # Only SIGKILL, which leaves pytest no time to tidy up, leaves files behind.
    assert [folder.exists() for folder in folders] == [number == signal.SIGKILL] * 2
    for folder in folders:
        shutil.rmtree(folder, ignore_errors=True)


@pytest.mark.parametrize(
    "test",
    [
        "import pytest\ndef test_it(): pytest.skip('not today')",
        "import pytest\npytest.skip('not today', allow_module_level=True)",
    ],
)
def test_a_skip_is_a_failure_in_ci_only(tmp_path, test):
    at_home = run_pytest(tmp_path, test)
    output_at_home = at_home.communicate(timeout=60)[0]
    in_ci = run_pytest(tmp_path, test, CI="true")
    output_in_ci = in_ci.communicate(timeout=60)[0]

    assert "1 skipped" in output_at_home
    assert at_home.returncode in {pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED}
    assert "not today" in output_in_ci
    assert in_ci.returncode in {pytest.ExitCode.TESTS_FAILED, pytest.ExitCode.INTERRUPTED}


def test_a_missing_server_skips_with_a_reason(tmp_path):
    without = run_pytest(tmp_path, "def test_it(redis_server): pass", PATH=str(tmp_path))

    output = without.communicate(timeout=60)[0]

    assert "SKIPPED [1]" in output
    assert "no redis-server on this machine" in output
