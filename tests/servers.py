"""Private PostgreSQL and Redis servers: started on free ports of 127.0.0.1, ended by whoever started them.

For example:

    with running_postgres() as postgres, running_redis() as redis:
        url = postgres.url(postgres.create_database())
        postgres.freeze()  # every process of it stands still, connections stay open
        postgres.thaw()
        postgres.kill()  # SIGKILL, as a crash would
        postgres.start()  # the same port, the same data
"""

import os
import pwd
import random
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final, TypeVar
from uuid import uuid4

import psycopg
import redis

# Below the range that the kernel gives to outgoing connections, so that no client takes
# the port of a server while it is down between a kill and a start.
PORTS: Final = range(20_000, 32_000)
READY_WITHIN_S: Final = 60.0
STOPPED_WITHIN_S: Final = 20.0

# What a test of behaviour wants: no wait for the disk, whatever is lost with the machine.
FAST: Final[Mapping[str, str]] = {"fsync": "off", "full_page_writes": "off", "synchronous_commit": "on"}
# What a test that kills the server wants: the promises of a real installation.
DURABLE: Final[Mapping[str, str]] = {"fsync": "on", "full_page_writes": "on", "synchronous_commit": "on"}


AnyServer = TypeVar("AnyServer", bound="Server")


class ServerMissing(Exception):
    """This machine has no program for the server; the text says which package brings it."""


class ServerFailed(Exception):
    """The server did not start or did not answer; the text ends with its log."""


class Server(ABC):
    """A server process of our own, its port, its folder and its log."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.log = folder / "log"
        self.port = free_port()
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def pid(self) -> int:
        """The id of the main process; raises `ServerFailed` while it is down."""
        if self._process is None:
            raise ServerFailed(f"{type(self).__name__} is not running")
        return self._process.pid

    def start(self) -> None:
        """Start on the port and the data of before, and wait until it answers.

        From a thread that stays: the server's life is tied to it, so that no server outlives a killed pytest.
        """
        with self.log.open("ab") as log:
            # A session of its own: Ctrl-C in the terminal is for pytest, which then ends us in order.
            self._process = subprocess.Popen(
                self.command(), stdout=log, stderr=log, cwd=self.folder, start_new_session=True
            )
        give_up_at = time.monotonic() + READY_WITHIN_S
        while not self.is_answering():
            if self._process.poll() is not None or time.monotonic() > give_up_at:
                self.kill()
                raise ServerFailed(f"{type(self).__name__} did not start:\n{self.log_tail()}")
            time.sleep(0.02)

    def stop(self, *, by: signal.Signals | None = None) -> None:
        """End it in order (or by another signal that its main process heeds), thawed first; the data stays."""
        if self._process is None:
            return
        self.thaw()
        self._process.send_signal(by or self.stop_signal)
        try:
            self._process.wait(STOPPED_WITHIN_S)
        except subprocess.TimeoutExpired:
            self.kill()
        self._process = None

    def kill(self) -> None:
        """End every process of it at once, as a crash would; the data stays as it was.

        Returns when all are gone: one that still dies holds the memory without which the next start is refused.
        """
        pids = self.pids()
        for pid in pids:
            send(pid, signal.SIGKILL)
        if self._process is not None:
            self._process.wait(STOPPED_WITHIN_S)
        self._process = None
        give_up_at = time.monotonic() + STOPPED_WITHIN_S
        while not all(is_gone(pid) for pid in pids) and time.monotonic() < give_up_at:
            time.sleep(0.01)

    def freeze(self) -> None:
        """Let every process of it stand still: connections stay open, nothing is answered."""
        for pid in self.pids():
            send(pid, signal.SIGSTOP)

    def thaw(self) -> None:
        """Let it go on after `freeze`."""
        for pid in self.pids():
            send(pid, signal.SIGCONT)

    def pids(self) -> list[int]:
        """The main process, which must be signalled first so that it forks no more, then its children."""
        return [] if self._process is None else [self._process.pid, *children_of(self._process.pid)]

    def log_tail(self, *, lines: int = 40) -> str:
        """The last lines that it logged."""
        written = self.log.read_text(errors="replace") if self.log.exists() else ""
        return "\n".join(written.splitlines()[-lines:])

    @property
    @abstractmethod
    def stop_signal(self) -> signal.Signals:
        """The signal that ends it in order without waiting for its clients."""

    @abstractmethod
    def command(self) -> Sequence[str]:
        """The command line that runs it in the foreground."""

    @abstractmethod
    def is_answering(self) -> bool:
        """Whether a client gets an answer now."""


class PostgresServer(Server):
    """PostgreSQL with one superuser, `sheaf`, that needs no password."""

    stop_signal = signal.SIGINT

    def __init__(self, folder: Path, settings: Mapping[str, str]) -> None:
        super().__init__(folder)
        self.programs = postgres_programs()
        self.settings = {"max_connections": "200", "log_line_prefix": "%m [%p] %d ", **settings}
        self._run("initdb", "--pgdata=data", "--username=sheaf", "--auth=trust", "--encoding=UTF8",
                  "--locale=C.UTF-8", "--no-sync")  # fmt: skip

    def url(self, database: str) -> str:
        """The SQLAlchemy URL of one of its databases."""
        return f"postgresql+psycopg://sheaf@127.0.0.1:{self.port}/{database}"

    def create_database(self, *, template: str = "template1") -> str:
        """Make a database and return its name: an empty one, or a copy of `template`, which nobody may be using."""
        name = f"t_{uuid4().hex}"
        self.execute(f'CREATE DATABASE "{name}" TEMPLATE "{template}"')
        return name

    def drop_database(self, name: str) -> None:
        """Drop a database and whatever connections it has."""
        self.execute(f'DROP DATABASE IF EXISTS "{name}" WITH (FORCE)')

    def execute(self, statement: str) -> None:
        """Run one statement as superuser, outside any transaction."""
        with self._connect() as connection:
            connection.execute(statement.encode())

    def command(self) -> Sequence[str]:
        settings = {"port": str(self.port), "listen_addresses": "127.0.0.1",
                    "unix_socket_directories": str(self.folder), **self.settings}  # fmt: skip
        options = [option for key, value in settings.items() for option in ("-c", f"{key}={value}")]
        # SIGQUIT also when we are killed ourselves and cannot end it.
        return [*unprivileged(signal.SIGQUIT), str(self.programs / "postgres"), "-D", "data", *options]

    def is_answering(self) -> bool:
        try:
            self._connect().close()
        except psycopg.OperationalError:
            return False
        return True

    def _connect(self) -> "psycopg.Connection[tuple[object, ...]]":
        return psycopg.connect(
            host="127.0.0.1", port=self.port, user="sheaf", dbname="postgres", autocommit=True, connect_timeout=10
        )

    def _run(self, program: str, *arguments: str) -> None:
        command = [*unprivileged(signal.SIGKILL), str(self.programs / program), *arguments]
        done = subprocess.run(command, cwd=self.folder, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise ServerFailed(f"{program} failed:\n{done.stdout}{done.stderr}")


class RedisServer(Server):
    """Redis that keeps nothing on disk: a start after a kill finds it empty."""

    stop_signal = signal.SIGTERM

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self.program = shutil.which("redis-server")
        if self.program is None:
            raise ServerMissing("no redis-server on this machine (Debian: redis-server)")

    @property
    def url(self) -> str:
        """The URL of its database 0."""
        return f"redis://127.0.0.1:{self.port}/0"

    def flush(self) -> None:
        """Forget everything."""
        with redis.Redis(port=self.port) as client:
            client.flushall()

    def command(self) -> Sequence[str]:
        options = {"port": str(self.port), "bind": "127.0.0.1", "save": "", "appendonly": "no"}
        arguments = [argument for key, value in options.items() for argument in (f"--{key}", value)]
        return [*unprivileged(signal.SIGKILL), str(self.program), *arguments]

    def is_answering(self) -> bool:
        try:
            with redis.Redis(port=self.port, socket_timeout=5) as client:
                return bool(client.ping())
        except redis.RedisError:
            return False


@contextmanager
def running_postgres(settings: Mapping[str, str] = FAST) -> Iterator[PostgresServer]:
    """A new, empty PostgreSQL with these settings; raises `ServerMissing` if it is not installed."""
    postgres_programs()
    with server_folder("sheaf-pg-") as folder:
        yield from running(PostgresServer(folder, settings))


@contextmanager
def running_redis() -> Iterator[RedisServer]:
    """A new, empty Redis; raises `ServerMissing` if it is not installed."""
    with server_folder("sheaf-redis-") as folder:
        yield from running(RedisServer(folder))


def running(server: AnyServer) -> Iterator[AnyServer]:
    """Start a server, and stop it whatever happens."""
    try:
        server.start()
        yield server
    finally:
        server.stop()


@contextmanager
def server_folder(prefix: str) -> Iterator[Path]:
    """A folder that the server's user owns, with a path short enough for a socket in it (107 bytes)."""
    folder = Path(tempfile.mkdtemp(prefix=prefix, dir="/tmp"))
    try:
        if os.geteuid() == 0:
            account = server_account()
            os.chown(folder, account.pw_uid, account.pw_gid)
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def postgres_programs() -> Path:
    """The folder of initdb and postgres: the newest that Debian installed, else what PATH finds."""
    versioned = [p for p in Path("/usr/lib/postgresql").glob("[0-9]*/bin") if (p / "initdb").exists()]
    if versioned:
        return max(versioned, key=lambda p: int(p.parent.name))
    found = shutil.which("initdb")
    if found is None:
        raise ServerMissing("no PostgreSQL on this machine (Debian: postgresql)")
    return Path(found).resolve().parent


def unprivileged(when_we_die: signal.Signals) -> list[str]:
    """The words before a command that drop root, which PostgreSQL refuses, and tie its life to ours."""
    if shutil.which("setpriv") is None:
        raise ServerMissing("no setpriv on this machine (Debian: util-linux)")
    words = ["setpriv", "--pdeathsig", when_we_die.name.removeprefix("SIG")]
    if os.geteuid() == 0:
        account = server_account()
        words += ["--reuid", str(account.pw_uid), "--regid", str(account.pw_gid), "--clear-groups"]
    return [*words, "--"]


def server_account() -> pwd.struct_passwd:
    """Whom the servers run as when we are root: PostgreSQL's own user, else nobody."""
    for name in ("postgres", "nobody"):
        try:
            return pwd.getpwnam(name)
        except KeyError:
            continue
    raise ServerMissing("no user to run servers as: neither postgres nor nobody")


def free_port() -> int:
    """A port of 127.0.0.1 that nobody listens on."""
    for port in random.sample(PORTS, k=200):
        with socket.socket() as probe:
            try:
                probe.bind(("127.0.0.1", port))
            except OSError:
                continue
            return port
    raise ServerFailed("no free port on 127.0.0.1")


def children_of(parent: int) -> list[int]:
    """The ids of its child processes, as the kernel lists them now."""
    found: list[int] = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            # pid (name, which may hold spaces and brackets) state ppid …
            fields = stat.read_text(errors="replace").rpartition(")")[2].split()
        except (FileNotFoundError, ProcessLookupError):
            continue
        if int(fields[1]) == parent:
            found.append(int(stat.parent.name))
    return found


def is_stopped(pid: int) -> bool:
    """Whether the kernel says that the process stands still (SIGSTOP); False if it is gone."""
    return state_of(pid) == "T"


def is_gone(pid: int) -> bool:
    """Whether the process has ended, be it that nobody has asked for its end yet."""
    return state_of(pid) in {"", "Z"}


def state_of(pid: int) -> str:
    """The kernel's letter for what a process does, such as R, S, T or Z; empty if it is gone."""
    try:
        return Path(f"/proc/{pid}/stat").read_text(errors="replace").rpartition(")")[2].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return ""


def send(pid: int, number: signal.Signals) -> None:
    """Signal a process that may already be gone."""
    try:
        os.kill(pid, number)
    except ProcessLookupError:
        return
