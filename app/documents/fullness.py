"""How full a child's memory is: whether it is why the child crashed, as libraries in C do, or time for another one."""

import signal
from collections.abc import Iterable
from datetime import timedelta
from pathlib import Path
from typing import Final

LOOK_EVERY: Final = timedelta(seconds=0.1)
"""A look costs some 30 µs; layout fills 20 MB a second."""

_NEARLY_FULL: Final = 7 / 8
"""Of the limit, at the last look before the crash."""

_CRASHES: Final = frozenset({signal.SIGSEGV, signal.SIGABRT, signal.SIGTRAP, signal.SIGBUS})
"""What code in C ends with that is refused memory: GLib with SIGTRAP. SIGKILL comes from outside."""

_UNIT: Final = 1024

ROOM: Final = 1 / 2
"""Of the limit, what a child must have left for its next document; one that keeps more than the rest is worn."""


class Fullness:
    """How near to its memory limit a child was when it was looked at last."""

    def __init__(self, memory_limit: int) -> None:
        self._limit = memory_limit
        self._seen = 0

    def look(self, pids: Iterable[int]) -> None:
        """Note the private memory of these processes, in bytes: what `RLIMIT_DATA` bounds."""
        for pid in pids:
            self._seen = _private_memory(pid) or self._seen

    def leaves_no_room(self, pids: Iterable[int]) -> bool:
        """Whether these processes keep so much between two documents that an innocent one could come to the limit."""
        self.look(pids)
        return self._seen > (1 - ROOM) * self._limit

    def explains(self, exit_code: int | None) -> bool:
        """Whether an end of this kind is what a full memory does."""
        was_crash = exit_code is not None and -exit_code in _CRASHES
        return was_crash and self._seen >= _NEARLY_FULL * self._limit


def _private_memory(pid: int) -> int | None:
    """`VmData` of Linux (proc_pid_status(5)) in bytes; None for a process that is gone, or elsewhere."""
    try:
        status = (Path("/proc") / str(pid) / "status").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return None
    return next((int(line.split()[1]) * _UNIT for line in status.splitlines() if line.startswith("VmData:")), None)
