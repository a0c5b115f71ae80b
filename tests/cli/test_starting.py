"""The command starts fast, and says in a line what keeps it from running."""

import json
import shutil
import signal
import socket
import subprocess
import sys

import pytest

from tests.cli.running import SHEAF, clean_environment, sheaf, sheaf_process

# pydantic itself is not among them: typer converts arguments with it
HEAVY = (
    *("weasyprint", "sqlalchemy", "alembic", "fastapi", "pydantic_settings"),
    *("httpx", "babel", "dramatiq", "uvicorn", "rich"),
)

ROOMS = {"stores", "store", "tokens", "orders", "export", "documents", "jobs", "db", "store_template", "demo"}
"""Modules that only those need who ask for them."""

ASK = """
import json, sys
from app.cli.main import main
sys.argv = ["sheaf", *sys.argv[1:]]
try:
    main()
except SystemExit:
    pass
print(json.dumps(sorted(sys.modules)), file=sys.stderr)
"""


@pytest.mark.parametrize(
    ("arguments", "told"), [(("--version",), "sheaf 0."), (("--help",), "export"), (("export", "--help"), "create")]
)
def test_showing_help_loads_no_heavy_room(arguments, told):
    done = subprocess.run(
        [sys.executable, "-c", ASK, *arguments],
        env=clean_environment({}),
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )

    loaded = set(json.loads(done.stderr))
    assert told in done.stdout
    assert {name.partition(".")[0] for name in loaded} & set(HEAVY) == set()
    assert {name for name in ROOMS if f"app.cli.{name}" in loaded} == ROOMS & set(arguments)


def test_what_each_renderer_child_loads_again_is_next_to_nothing():
    """It is the main module of its worker: were that the whole command, each child would load the command line."""
    ask = "import sys, app.cli.__main__; print(*sys.modules)"

    done = subprocess.run([sys.executable, "-c", ask], capture_output=True, text=True, check=True, timeout=60)

    ours = {name for name in done.stdout.split() if name.partition(".")[0] in {"app", "worker", "typer"}}
    assert ours == {"app", "app.cli", "app.cli.__main__"}


def test_a_worker_that_starts_loads_neither_what_migrates_nor_what_merges(migrated_sqlite, tmp_path):
    shutil.copy(migrated_sqlite, tmp_path / "sheaf.db")

    done = subprocess.run(
        [sys.executable, "-c", f"import worker.process\n{ASK}", "worker", "--check"],
        env=clean_environment({"SHEAF_DATABASE_URL": f"sqlite:///{tmp_path / 'sheaf.db'}"}),
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )

    told, loaded = done.stderr.splitlines()
    assert told.startswith("No worker called ")
    assert {"sqlalchemy", "dramatiq"} <= set(json.loads(loaded))
    assert not {"alembic", "mako", "pikepdf"} & set(json.loads(loaded))


@pytest.mark.parametrize(
    ("variables", "code", "told"),
    [
        ({"SHEAF_PORT": "many"}, 2, "SHEAF_PORT: "),
        ({"SHEAF_DATABASE_URL": "postgresql+psycopg://u:hidden@127.0.0.1:9/x"}, 1, "The database cannot be used: "),
        ({"SHEAF_DATABASE_URL": "hidden"}, 1, "SHEAF_DATABASE_URL is no address of a database"),
        ({}, 1, "Which installation?"),
    ],
    ids=["setting", "unreachable", "no address", "nothing"],
)
def test_what_keeps_a_command_from_running_is_told_in_a_line(tmp_path, monkeypatch, variables, code, told):
    monkeypatch.chdir(tmp_path)

    done = sheaf("tokens", "list", "--store", "shop", environment=variables)

    assert done.code == code
    assert told in done.err
    assert "Traceback" not in done.err
    assert "hidden" not in done.err


def test_a_port_that_is_taken_is_named_before_any_work_begins(tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])

        done = sheaf_process("serve", "--data", str(tmp_path / "data"), "--port", port)

    assert (done.code, done.err) == (1, f"Cannot listen on 127.0.0.1:{port}: Address already in use.\n")


def test_a_server_that_is_told_to_end_ends_its_worker_first(tmp_path):
    serving = subprocess.Popen(
        [*SHEAF, "serve", "--data", str(tmp_path), "--port", "0"],
        env=clean_environment({}),
        stderr=subprocess.PIPE,
        text=True,
    )
    assert serving.stderr is not None
    while not serving.stderr.readline().startswith("Sheaf serves "):
        assert serving.poll() is None

    serving.send_signal(signal.SIGTERM)
    _, rest = serving.communicate(timeout=60)

    assert serving.returncode == 0
    assert json.loads(rest.splitlines()[-1])["event"] == "worker.ended"
