"""`sheaf worker --processes N`: that many worker processes, started again when they die."""

import os
import subprocess
import sys
import time
from typing import Final

import structlog

from app.cli.ending import Endings
from app.settings import Settings

log = structlog.get_logger()

SLOWEST_END: Final = 50.0
"""Seconds that a worker may take beyond its grace before it is killed: a database that does not answer, for one."""


def supervise(settings: Settings, *, processes: int, verbose: bool) -> None:
    """Run that many worker processes until told to end, and end them then.

    They hold one end of a pipe whose other end is ours alone: should we be killed, they end in order by themselves.
    """
    lifeline, _ours = os.pipe()
    command = [sys.executable, "-m", "app.cli", "worker", "--lifeline", str(lifeline)]
    if verbose:
        command.append("--verbose")
    endings = Endings()
    children: list[subprocess.Popen[bytes]] = []
    is_ending = False
    try:
        while not is_ending:
            died = [child for child in children if child.poll() is not None]
            for child in died:
                log.warning("worker.died", pid=child.pid, code=child.returncode)
                children.remove(child)
            if died and endings.wait(1.0):  # a worker that cannot start must not spin
                break
            while len(children) < processes:
                children.append(subprocess.Popen(command, pass_fds=[lifeline]))  # noqa: S603 - our own command
            is_ending = endings.wait(0.5)
    finally:
        _end(children, endings, within=settings.shutdown_seconds + SLOWEST_END)


def _end(children: list[subprocess.Popen[bytes]], endings: Endings, *, within: float) -> None:
    for child in children:
        child.terminate()
    give_up_at = time.monotonic() + within
    while (left := [child for child in children if child.poll() is None]) and time.monotonic() < give_up_at:
        # whoever asks us a second time asks them
        if endings.wait(0.1):
            for child in left:
                child.terminate()
    for child in left:
        child.kill()
        child.wait()
