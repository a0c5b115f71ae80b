"""What docker-compose.yml and the Dockerfile describe is true: each service runs as written, on loopback servers."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import httpx
import pytest
import yaml

from app.settings import Settings
from tests.servers import free_port

ROOT = Path(__file__).parents[1]
COMPOSE = yaml.safe_load((ROOT / "docker-compose.yml").read_text())
SAMPLE = ROOT / "samples" / "orders.json"
DOCKERFILE = (ROOT / "Dockerfile").read_text()
OURS = {name: service for name, service in COMPOSE["services"].items() if service["image"] == "sheaf"}
# The image's ENTRYPOINT, as this environment has it.
ENTRYPOINT = str(Path(sys.executable).with_name("sheaf"))


class Deployment:
    """The file's services with the addresses and folders of this machine in place of a container's."""

    def __init__(self, postgres_server, redis_server, folder: Path) -> None:
        port = free_port()
        self.folder = folder
        self.address = f"http://127.0.0.1:{port}"
        self.stand_ins = {
            "postgresql+psycopg://sheaf:sheaf@postgres:5432/sheaf": postgres_server.url(
                postgres_server.create_database()
            ),
            "redis://redis:6379/0": redis_server.url,
            "/var/lib/sheaf/artifacts": str(folder),
            "0.0.0.0": "127.0.0.1",
            "8080": str(port),
        }

    def localized(self, text: str) -> str:
        text = re.sub(r"\$\{\w+:-(.*?)\}", r"\1", text)
        for theirs, here in self.stand_ins.items():
            text = text.replace(theirs, here)
        return text

    def environment(self, service: str) -> dict[str, str]:
        described = {name: self.localized(value) for name, value in OURS[service]["environment"].items()}
        programs = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
        return {"PATH": programs, "HOME": str(self.folder), **described}

    @contextmanager
    def running(self, service: str) -> Iterator[subprocess.Popen[bytes]]:
        log = self.folder / f"{service}.log"
        with log.open("wb") as output:
            process = subprocess.Popen(
                [ENTRYPOINT, *OURS[service]["command"]],
                env=self.environment(service), cwd=self.folder, stdout=output, stderr=output,
            )  # fmt: skip
        try:
            yield process
        except BaseException as failed:
            failed.add_note(f"log of {service}:\n{log.read_text()}")
            raise
        finally:
            process.kill()
            process.wait()

    def execute(self, service: str, *command: str) -> str:
        """What `docker compose exec SERVICE sheaf COMMAND` prints."""
        done = subprocess.run(
            [ENTRYPOINT, *command], env=self.environment(service), cwd=self.folder, capture_output=True, text=True,
            check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        return done.stdout

    def run_to_its_end(self, service: str) -> int:
        with self.running(service) as process:
            return process.wait(120)

    def is_healthy(self, service: str, process: subprocess.Popen[bytes], *, within_s: float = 60) -> bool:
        """Whether the service's own health check passes before the time is over or the process ends."""
        kind, *check = (self.localized(word) for word in OURS[service]["healthcheck"]["test"])
        assert kind == "CMD"
        give_up_at = time.monotonic() + within_s
        while time.monotonic() < give_up_at and process.poll() is None:
            done = subprocess.run(check, env=self.environment(service), capture_output=True, check=False)
            if done.returncode == 0:
                return True
            time.sleep(0.2)
        return False


@pytest.fixture
def deployment(postgres_server, redis_server, tmp_path) -> Deployment:
    return Deployment(postgres_server, redis_server, tmp_path)


@pytest.mark.parametrize("service", OURS)
def test_every_variable_that_a_service_sets_is_a_setting(service):
    known = {f"SHEAF_{name.upper()}" for name in Settings.model_fields}

    assert set(OURS[service]["environment"]) <= known


def test_every_mounted_volume_is_declared():
    mounted = {
        volume.partition(":")[0] for service in COMPOSE["services"].values() for volume in service.get("volumes", [])
    }

    assert mounted == set(COMPOSE["volumes"])


def test_the_image_has_the_system_packages_of_the_demo():
    table = (ROOT / "scripts" / "system.sh").read_text()
    of_the_demo = set(re.findall(r"^demo (\S+)", table, flags=re.MULTILINE)) - {"python3", "python3-venv"}

    in_the_image = set(
        re.findall(r"\b(?:lib|fonts-)\w[\w.+-]*", DOCKERFILE.partition("--no-install-recommends")[2].partition("&&")[0])
    )

    assert in_the_image == of_the_demo


@pytest.mark.long
def test_the_services_migrate_export_and_end_as_described(deployment):
    # Each start of the whole migrates again: the second finds nothing to do.
    assert [deployment.run_to_its_end("migrate"), deployment.run_to_its_end("migrate")] == [0, 0]

    few = [order["id"] for order in json.loads(SAMPLE.read_text())[:3]]

    with deployment.running("api") as api, deployment.running("worker") as worker:
        assert deployment.is_healthy("api", api)
        assert deployment.is_healthy("worker", worker)
        token = deployment.execute("api", "tokens", "create", "--owner", "ops", "--store", "shop").strip()
        deployment.execute("api", "orders", "import", "--store", "shop", str(SAMPLE))
        with httpx.Client(base_url=deployment.address, headers={"Authorization": f"Bearer {token}"}) as client:
            job = submit(client, document_type="invoice", layout="separate", selection={"order_ids": few})
            ended = wait_until_terminal(client, job["links"]["self"])
            archive = client.get(ended["links"]["archive"])
        names = ZipFile(BytesIO(archive.content)).namelist()

        for process in (worker, api):
            process.send_signal(signal.SIGTERM)

        assert ended["state"] == "completed"
        assert len([name for name in names if name.endswith(".pdf")]) == len(few)
        assert [worker.wait(20), api.wait(10)] == [0, 0]


def submit(client: httpx.Client, **body: object) -> dict[str, Any]:
    answer = client.post("/v1/exports", json=body)
    assert answer.status_code == 202, answer.text
    return answer.json()


def wait_until_terminal(client: httpx.Client, location: str) -> dict[str, Any]:
    give_up_at = time.monotonic() + 120
    while time.monotonic() < give_up_at:
        job = client.get(location).json()
        if job["state"] in {"completed", "failed", "cancelled"}:
            return job
        time.sleep(0.2)
    pytest.fail(f"not terminal: {job}")
