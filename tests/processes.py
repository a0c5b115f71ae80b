"""What the kernel says of a process's memory."""

from pathlib import Path
from typing import Final

MIB: Final = 1 << 20


def peak_memory(pid: int | str = "self") -> int:
    """The most bytes that a process has had since it began its program; 0 for one that is gone.

    Not the resource usage, which begins with that of the process that forked it.
    """
    return _told(pid, "VmHWM")


def private_memory(pid: int | str = "self") -> int:
    """Bytes that are a process's own now: not files that it reads, not what it shares; 0 for one that is gone."""
    return _told(pid, "RssAnon")


def _told(pid: int | str, name: str) -> int:
    try:
        status = Path(f"/proc/{pid}/status").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return 0
    return next((int(line.split()[1]) << 10 for line in status.splitlines() if line.startswith(f"{name}:")), 0)
