"""A `sheaf serve` of our own: a child process that ends with whoever started it."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Final

from app.cli.failing import Refused

_READY_WITHIN: Final = 60.0
"""Seconds: a cold machine compiles every module first."""

_ENDS_WITHIN: Final = 30.0
"""Seconds: its own grace for steps in hand, and something over."""

_NOT_OURS: Final = frozenset(
    f"SHEAF_{name}" for name in ("DATABASE_URL", "REDIS_URL", "ARTIFACTS", "HOST", "PORT", "ROOT_PATH")
)
"""Settings of another installation, which a folder of our own must not reach."""


@contextmanager
def own_server(folder: Path) -> Iterator[str]:
    """Serve a data folder on a free port; the address. Its log is `server.log` in the folder."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    log = folder / "server.log"
    command = [sys.executable, "-m", "app.cli", "serve", "--data", str(folder), "--host", "127.0.0.1"]
    environment = {name: value for name, value in os.environ.items() if name not in _NOT_OURS}
    with log.open("wb") as written, log.open(errors="replace") as read:
        process = subprocess.Popen(  # noqa: S603 - our own command
            [*command, "--port", "0"],
            stdin=subprocess.DEVNULL,
            stdout=written,
            stderr=written,
            env=environment,
            # Ctrl-C is for us, who then end it in order
            start_new_session=True,
        )
        try:
            yield _address(process, read, log)
        finally:
            _end(process)


def _address(process: "subprocess.Popen[bytes]", read: IO[str], log: Path) -> str:
    give_up_at = time.monotonic() + _READY_WITHIN
    lines = ""
    while time.monotonic() < give_up_at:
        has_ended = process.poll() is not None
        lines += read.read()
        for line in lines.splitlines(keepends=True):
            if line.startswith("Sheaf serves ") and line.endswith("\n"):
                return line.split()[2]
        if has_ended:
            break
        time.sleep(0.05)
    last = "\n".join(f"  {line}" for line in lines.splitlines()[-10:])
    what = "ended" if process.poll() is not None else "is not ready"
    raise Refused(f"The server {what}. The last lines of {log}:\n{last}")


def _end(process: "subprocess.Popen[bytes]") -> None:
    process.send_signal(signal.SIGTERM)
    try:
        process.wait(_ENDS_WITHIN)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
