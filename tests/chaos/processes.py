"""Our processes, each started again when it has ended, as a service manager would; and what they leave behind."""

import os
import signal
import subprocess
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from tests.chaos.journal import Journal
from tests.installation import start
from tests.servers import children_of, send

PAUSE: Final = 0.3
"""Seconds before a process that ended is started again."""
MARK: Final = "SHEAF_WORKER_NAME"
"""Every process of a run and every child of one has this in its environment, with the run's own value."""


@dataclass(slots=True)
class Kept:
    """One process that is kept running."""

    name: str
    command: tuple[str, ...]
    environment: Mapping[str, str]
    log: Path
    journal: Journal
    sign_of_life: str
    """What it logs when it is up: ending by itself after that is a fault of ours."""
    process: subprocess.Popen[bytes] | None = None
    is_frozen: bool = False
    _is_ours: bool = False
    _start_at: float = 0.0
    _log_from: int = 0
    starts: int = field(default=0)

    @property
    def pid(self) -> int | None:
        """Its id while it runs."""
        return self.process.pid if self.process is not None and self.process.poll() is None else None

    @property
    def is_up(self) -> bool:
        """Whether it runs and has said so."""
        return self.pid is not None and self.sign_of_life in self._logged()

    def look(self) -> None:
        """Start it if it is not running and its pause is over."""
        now = time.monotonic()
        if self.process is not None and self.process.poll() is not None:
            self._noticed_its_end(self.process)
            self._start_at = now + PAUSE
            self.process = None
        if self.process is None and now >= self._start_at:
            self._log_from = self.log.stat().st_size if self.log.exists() else 0
            self.process = start(self.command, self.environment, self.log)
            self._is_ours = self.is_frozen = False
            self.starts += 1
            self.journal.note(self.name, f"started as {self.process.pid}")

    def kill(self) -> None:
        """End it with SIGKILL; nothing if it is down."""
        if (pid := self.pid) is not None and self.process is not None:
            self._is_ours = True
            self.journal.signalled(self.name, pid, "SIGKILL")
            self.process.kill()
            self.process.wait()

    def freeze(self, *, with_children: bool) -> list[int]:
        """Let it stand still; says which processes do."""
        if (pid := self.pid) is None or self.is_frozen:
            return []
        self.is_frozen = True
        frozen = [pid, *(descendants(pid) if with_children else [])]
        for one in frozen:
            self.journal.signalled(self.name if one == pid else f"child of {self.name}", one, "SIGSTOP")
            send(one, signal.SIGSTOP)
        return frozen

    def thaw(self, frozen: list[int]) -> None:
        """Let it go on, if it is still the process that was frozen."""
        for one in frozen:
            send(one, signal.SIGCONT)
        if frozen and frozen[0] == self.pid:
            self.is_frozen = False
            self.journal.note(self.name, "goes on")

    def end(self) -> int | None:
        """End it in order; says its exit code, None if it was down."""
        if self.process is None or self.process.poll() is not None:
            return None
        self._is_ours = True
        self.process.send_signal(signal.SIGCONT)
        self.process.terminate()
        try:
            return self.process.wait(30)
        except subprocess.TimeoutExpired:
            self.process.kill()
            return self.process.wait()

    def _noticed_its_end(self, process: subprocess.Popen[bytes]) -> None:
        if self._is_ours:
            return
        if self.sign_of_life in self._logged():
            self.journal.violated(f"{self.name} {process.pid} ended by itself with {process.returncode}")
        else:
            # it cannot start while the database is away, and says so
            self.journal.note(self.name, f"{process.pid} did not start ({process.returncode})")

    def _logged(self) -> str:
        with self.log.open("rb") as file:
            file.seek(self._log_from)
            return file.read(65536).decode(errors="replace")


def descendants(parent: int) -> list[int]:
    """Its children, their children, and so on."""
    found = children_of(parent)
    return found + [one for child in found for one in descendants(child)]


def fork_servers(worker: int) -> list[int]:
    """The processes that make a worker's renderer children."""
    return [child for child in children_of(worker) if b"forkserver" in _command_line(child)]


def renderer_children(worker: int) -> list[int]:
    """A worker's renderer children."""
    return sorted(child for server in fork_servers(worker) for child in children_of(server))


def marked(value: str) -> list[int]:
    """Every process that has the run's mark, whoever its parent is by now."""
    mark = f"{MARK}={value}".encode()
    found = []
    for file in Path("/proc").glob("[0-9]*/environ"):
        try:
            if int(file.parent.name) != os.getpid() and mark in file.read_bytes().split(b"\0"):
                found.append(int(file.parent.name))
        except (FileNotFoundError, ProcessLookupError, PermissionError):
            continue
    return found


def _command_line(pid: int) -> bytes:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    except (FileNotFoundError, ProcessLookupError):
        return b""
