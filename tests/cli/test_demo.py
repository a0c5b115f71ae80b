"""`sheaf demo` does the main job in one command, and leaves no server behind."""

import json
import signal
import subprocess
import zipfile
from pathlib import Path

from app.cli.composing import locked_folder
from tests.cli.running import SHEAF, Running, clean_environment, sheaf_process


def assert_is_free(folder: Path) -> None:
    """No server holds the folder: its lock would be taken."""
    with locked_folder(folder):
        pass


def test_the_demo_ends_with_an_archive_of_twenty_invoices(tmp_path):
    elsewhere = {"SHEAF_DATABASE_URL": "postgresql+psycopg://nobody@127.0.0.1:9/x", "SHEAF_PORT": "1"}

    done = sheaf_process("demo", environment=elsewhere, cwd=tmp_path)

    assert done.code == 0, done.err
    assert "rendering" in done.err
    assert "20 requested = 20 rendered + 0 failed + 0 skipped" in done.out
    assert "invoice-7001.pdf" in done.out
    with zipfile.ZipFile(tmp_path / "demo" / "invoices.zip") as archive:
        assert len(json.loads(archive.read("manifest.json"))["items"]) == 20
    assert "sheaf_" not in done.out + done.err
    assert_is_free(tmp_path / "demo")


def test_a_demo_that_is_stopped_ends_its_server(tmp_path):
    demo = subprocess.Popen(
        [*SHEAF, "demo", "--data", "here"],
        env=clean_environment({}),
        cwd=tmp_path,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert demo.stderr is not None
    while not demo.stderr.readline().startswith("It serves "):
        assert demo.poll() is None

    demo.send_signal(signal.SIGINT)
    demo.communicate(timeout=60)

    assert demo.returncode == 130
    assert_is_free(tmp_path / "here")


def test_a_server_that_does_not_start_is_heard(server: Running):
    done = sheaf_process("demo", "--data", str(server.folder))

    assert done.code == 1
    assert "The server ended. The last lines of" in done.err
    assert "is in use by another `sheaf serve`" in done.err
