"""Real installations for tests: `sheaf serve` on a folder, or API and workers on PostgreSQL and Redis.

Every process is one that we started, and is ended by its id.
"""

import io
import json
import os
import signal
import subprocess
import sys
import time
import zipfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import httpx
from sqlalchemy import create_engine, text

from tests.migrated import migrate, migrated_file
from tests.minting import mint
from tests.servers import children_of

ROOT: Final = Path(__file__).parents[1]
SHEAF: Final = (sys.executable, "-m", "app.cli")
FAULTY_WORKER: Final = (sys.executable, "-m", "tests.faulty_worker")
"""A worker whose renderer does what an order's note says."""
STARTED_WITHIN: Final = 180.0
ENDED_WITHIN: Final = 240.0

QUICK: Final[Mapping[str, str]] = {
    "SHEAF_WORKER_SLOTS": "2",
    "SHEAF_SWEEP_SECONDS": "1",
    "SHEAF_SHUTDOWN_SECONDS": "5",
    "SHEAF_WORKER_METRICS_PORT": "0",
}
"""What every test installation is set to; two cores are all there is."""


def start(command: tuple[str, ...], environment: Mapping[str, str], log: Path) -> subprocess.Popen[bytes]:
    """Start one of our commands with nothing of our own environment but what it needs."""
    inherited = {name: os.environ[name] for name in ("PATH", "HOME", "LANG", "TMPDIR") if name in os.environ}
    with log.open("ab") as output:
        return subprocess.Popen(
            command, env={**inherited, **QUICK, **environment}, cwd=ROOT, stdout=output, stderr=output
        )


def run(*arguments: str, environment: Mapping[str, str]) -> str:
    """Run a short `sheaf` command and give its standard output."""
    inherited = {name: os.environ[name] for name in ("PATH", "HOME", "LANG") if name in os.environ}
    done = subprocess.run(
        [*SHEAF, *arguments],
        env={**inherited, **environment},
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def renderers_of(worker: "subprocess.Popen[bytes]") -> list[int]:
    """The ids of a worker's renderer children, which its fork server makes."""
    return [child for server in children_of(worker.pid) for child in children_of(server)]


@dataclass
class Installation:
    """A running installation and the processes that make it up."""

    environment: Mapping[str, str]
    folder: Path
    url: str = ""
    server: subprocess.Popen[bytes] | None = None
    workers: list[subprocess.Popen[bytes]] = field(default_factory=list)

    @property
    def artifacts(self) -> Path:
        """Where the documents are."""
        return self.folder / "artifacts"

    def serve(self, *arguments: str, command: tuple[str, ...] = SHEAF) -> None:
        """Start the API (or all of it, when embedded) and wait until it answers."""
        log = self.folder / "server.log"
        before = log.stat().st_size if log.exists() else 0
        self.server = start((*command, *arguments), {**self.environment, "SHEAF_PORT": "0"}, log)
        give_up_at = time.monotonic() + STARTED_WITHIN
        while time.monotonic() < give_up_at:
            for line in log.read_bytes()[before:].decode().splitlines():
                if line.startswith("Sheaf serves "):
                    self.url = line.split()[2]
                    self._await_readiness(give_up_at)
                    return
            assert self.server.poll() is None, log.read_text()
            time.sleep(0.05)
        raise AssertionError(f"not serving after {STARTED_WITHIN} s: {log.read_text()}")

    def _await_readiness(self, give_up_at: float) -> None:
        while time.monotonic() < give_up_at:
            try:
                if httpx.get(f"{self.url}/readyz").status_code == 200:
                    return
            except httpx.TransportError:
                pass
            time.sleep(0.05)
        raise AssertionError("never ready")

    def add_worker(
        self, command: tuple[str, ...] = (*SHEAF, "worker", "--verbose"), **environment: str
    ) -> subprocess.Popen[bytes]:
        """Start one more worker process."""
        log = self.folder / f"worker-{len(self.workers)}.log"
        worker = start(command, {**self.environment, **environment}, log)
        self.workers.append(worker)
        return worker

    def until_started(self, number: int) -> None:
        """Wait until a worker of `add_worker`, counted from 0, has found all that it needs."""
        log = self.folder / f"worker-{number}.log"
        give_up_at = time.monotonic() + STARTED_WITHIN
        while "worker.started" not in log.read_text():
            assert time.monotonic() < give_up_at, log.read_text()
            time.sleep(0.05)

    @property
    def data(self) -> tuple[str, ...]:
        """What names it to a command that has its environment."""
        return ()

    @property
    def database_url(self) -> str:
        """Where its rows are, for SQLAlchemy."""
        return self.environment["SHEAF_DATABASE_URL"]

    def token(self, owner: str = "alice", store: str = "demo") -> str:
        """A new token."""
        return mint(self.database_url, owner, store)

    def owner(self, owner: str = "alice", store: str = "demo") -> "OwnerClient":
        """A client with a token of its own."""
        return OwnerClient(self, self.token(owner, store))

    def ask(self, statement: str) -> list[tuple[Any, ...]]:
        """What the database of a distributed installation says."""
        engine = create_engine(self.database_url)
        try:
            with engine.begin() as connection:
                answer = connection.execute(text(statement))
                return [tuple(row) for row in answer] if answer.returns_rows else []
        finally:
            engine.dispose()

    def end(self) -> None:
        """End every process in order; kill what does not end."""
        processes = [process for process in (*self.workers, self.server) if process is not None]
        for process in processes:
            if process.poll() is None:
                process.send_signal(signal.SIGCONT)
                process.terminate()
        for process in processes:
            try:
                process.wait(20)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()

    def logs(self) -> str:
        """The ends of all logs, for a failure's report."""
        return "\n".join(f"== {log.name}\n{log.read_text()[-6000:]}" for log in sorted(self.folder.glob("*.log")))


class OwnerClient(httpx.Client):
    """An owner's view: plain HTTP, so that the tests hold the contract and not a library of ours."""

    def __init__(self, installation: Installation, token: str) -> None:
        super().__init__(base_url=installation.url, headers={"Authorization": f"Bearer {token}"}, timeout=60)
        self.secret = token
        self.installation = installation

    def load(self, orders: list[dict[str, Any]]) -> dict[str, Any]:
        """Import orders."""
        answer = self.post("/v1/orders/import", json=orders)
        assert answer.status_code == 200, answer.text
        return answer.json()

    def create(self, **body: Any) -> dict[str, Any]:
        """Create an export that must be accepted."""
        answer = self.post("/v1/exports", json={"document_type": "invoice", **body})
        assert answer.status_code == 202, answer.text
        return answer.json()

    def look(self, export: Mapping[str, Any]) -> dict[str, Any]:
        """The export as it stands."""
        return self.get(export["links"]["self"]).json()

    def until(self, export: Mapping[str, Any], is_reached, *, within: float = ENDED_WITHIN) -> dict[str, Any]:
        """The export as soon as `is_reached` says so."""
        give_up_at = time.monotonic() + within
        while time.monotonic() < give_up_at:
            answer = self.get(export["links"]["self"])
            found = answer.json()
            # where the machine stands still for seconds the API refuses in time, as it should
            if answer.status_code not in {503, 504} and is_reached(found):
                return found
            time.sleep(0.05)
        raise AssertionError(f"never reached: {found}\n{self.installation.logs()}")

    def until_over(self, export: Mapping[str, Any], *, within: float = ENDED_WITHIN) -> dict[str, Any]:
        """The export in its final state."""
        return self.until(export, lambda found: found["state"] in {"completed", "failed", "cancelled"}, within=within)

    def until_rendered(self, export: Mapping[str, Any], count: int) -> dict[str, Any]:
        """The export once that many documents are made; it must still be at work."""
        found = self.until(export, lambda found: found["counts"]["rendered"] >= count)
        assert found["state"] == "processing", found
        return found

    def archive(self, export: Mapping[str, Any]) -> "Archive":
        """The finished archive."""
        answer = self.get(export["links"]["archive"])
        assert answer.status_code == 200, answer.text
        return Archive(answer.content)

    def every(self, address: str) -> list[dict[str, Any]]:
        """All rows of a paged list, by its `next` links."""
        rows: list[dict[str, Any]] = []
        page: str | None = address
        while page is not None:
            answer = self.get(page).json()
            rows += answer["items"]
            page = answer["next"]
        return rows


class Archive:
    """A ZIP that was downloaded."""

    def __init__(self, content: bytes) -> None:
        self.content = content
        self.zip = zipfile.ZipFile(io.BytesIO(content))
        assert self.zip.testzip() is None

    @property
    def names(self) -> list[str]:
        """The entries, in their order."""
        return self.zip.namelist()

    @property
    def documents(self) -> list[str]:
        """The PDFs, in their order."""
        return [name for name in self.names if name.endswith(".pdf")]

    @property
    def manifest(self) -> dict[str, Any]:
        """`manifest.json`."""
        return json.loads(self.zip.read("manifest.json"))

    def text(self, name: str) -> str:
        """A text entry without its BOM."""
        return self.zip.read(name).decode("utf-8-sig")


@contextmanager
def embedded(folder: Path, **environment: str) -> Iterator[Installation]:
    """`sheaf serve` on a data folder, which has its tables already: a server of its own makes them in other tests."""
    data = folder / "data"
    data.mkdir(mode=0o700, exist_ok=True)
    if not (file := data / "sheaf.db").exists():
        file.write_bytes(migrated_file())
    installation = EmbeddedInstallation(environment, folder)
    try:
        installation.serve("serve", "--data", str(data), "--verbose")
        yield installation
    finally:
        installation.end()


class EmbeddedInstallation(Installation):
    """`sheaf serve`: its artifacts are in its data folder."""

    @property
    def artifacts(self) -> Path:
        """Where the documents are."""
        return self.folder / "data" / "artifacts"

    @property
    def data(self) -> tuple[str, ...]:
        """What names it to a command."""
        return ("--data", str(self.folder / "data"))

    @property
    def database_url(self) -> str:
        """Its file."""
        return f"sqlite:///{self.folder / 'data' / 'sheaf.db'}"


@contextmanager
def distributed(
    folder: Path,
    database_url: str,
    redis_url: str | None,
    *,
    workers: int = 2,
    prepare: Callable[[str], None] = migrate,
    **environment: str,
) -> Iterator[Installation]:
    """An API process and that many worker processes on servers, once the database at this address was prepared."""
    settings = {
        **environment,
        "SHEAF_DATABASE_URL": database_url,
        "SHEAF_ARTIFACTS": environment.get("SHEAF_ARTIFACTS", str(folder / "artifacts")),
        "SHEAF_WORKER_SLOTS": environment.get("SHEAF_WORKER_SLOTS", "1"),
        **({"SHEAF_REDIS_URL": redis_url} if redis_url else {}),
    }
    installation = Installation(settings, folder)
    prepare(database_url)
    try:
        installation.serve("api")
        for _ in range(workers):
            installation.add_worker()
        yield installation
    finally:
        installation.end()
