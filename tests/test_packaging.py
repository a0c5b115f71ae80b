"""The wheel is all of Sheaf: installed in an empty folder, it serves."""

import os
import subprocess
import sys
import sysconfig
import time
import urllib.request
from pathlib import Path
from zipfile import ZipFile

import pytest

from tests.servers import free_port

ROOT = Path(__file__).parents[1]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory) -> Path:
    """The wheel of this checkout, built with the locked build tools and without a network."""
    folder = tmp_path_factory.mktemp("wheel")
    subprocess.run(
        [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", folder, ROOT],
        check=True,
        stdout=subprocess.DEVNULL,
    )
    (built,) = folder.glob("sheaf-*.whl")
    return built


@pytest.fixture(scope="module")
def installed(wheel, tmp_path_factory) -> Path:
    """A virtual environment with the wheel and our locked dependencies, which sees nothing of the checkout."""
    folder = tmp_path_factory.mktemp("installed")
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder], check=True)
    python = folder / "bin" / "python"
    # The dependencies by path. Their own .pth files, the one of the checkout among them, are not followed.
    site = next(folder.glob("lib/python*/site-packages"))
    (site / "dependencies.pth").write_text(sysconfig.get_path("purelib") + "\n")
    subprocess.run(
        [sys.executable, "-m", "pip", "--python", python, "install", "--quiet", "--no-index", "--no-deps",
         "--disable-pip-version-check", wheel],
        check=True,
    )  # fmt: skip
    return folder


def test_the_wheel_carries_everything_that_runs_and_nothing_else(wheel):
    shipped = {name for room in ("app", "worker", "migrations") for name in files_of(room)}
    samples = {f"app/{name}" for name in files_of("samples")}

    carried = {name for name in ZipFile(wheel).namelist() if ".dist-info/" not in name}

    assert samples
    assert carried == shipped | samples


def test_an_installed_wheel_serves_from_an_empty_folder(installed, tmp_path):
    port = free_port()
    environment = {"PATH": os.environ["PATH"], "HOME": str(tmp_path), "SHEAF_PORT": str(port)}
    log = tmp_path / "log"

    with log.open("wb") as output:
        serving = subprocess.Popen(
            [installed / "bin" / "sheaf", "serve", "--data", "data"],
            cwd=tmp_path, env=environment, stdout=output, stderr=output,
        )  # fmt: skip
    try:
        ready = is_ready(f"http://127.0.0.1:{port}/readyz", process=serving)
        serving.terminate()
        status = serving.wait(30)
    finally:
        serving.kill()

    assert ready, log.read_text()
    assert status == 0, log.read_text()
    assert (tmp_path / "data" / "sheaf.db").exists()


def files_of(room: str) -> set[str]:
    """The files below a folder of the checkout, by their paths from its root."""
    found = (path for path in (ROOT / room).rglob("*") if path.is_file())
    return {str(path.relative_to(ROOT)) for path in found if "__pycache__" not in path.parts}


def is_ready(url: str, *, process: subprocess.Popen[bytes], within_s: float = 60) -> bool:
    """Whether the address answers 200 before the time is over or the process ends."""
    give_up_at = time.monotonic() + within_s
    while time.monotonic() < give_up_at and process.poll() is None:
        try:
            with urllib.request.urlopen(url, timeout=2) as answer:
                return answer.status == 200
        except OSError:
            time.sleep(0.1)
    return False
