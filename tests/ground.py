"""What a process stands on, for tests that take it away: a clock, a disk, the rights to a folder."""

import os
import shutil
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

import pytest

MINE_ALONE: Final = () if os.geteuid() else ("setpriv", "--bounding-set=-dac_override,-dac_read_search", "--")
"""The words before a command that let permissions count for it, also if we are root."""


def clock_wrong_by(offset: str) -> Mapping[str, str]:
    """The environment of a process whose wall clock is wrong, such as `+1h`; its monotonic clock is right."""
    (library,) = [*Path("/usr/lib").glob("*/faketime/libfaketime.so.1"), None][:1]
    if library is None:
        pytest.skip("no libfaketime on this machine (Debian: libfaketime)")
    sleeping = str(Path(__file__).with_name("wrong_clock"))
    return {
        "LD_PRELOAD": str(library),
        "FAKETIME": offset,
        "FAKETIME_DONT_FAKE_MONOTONIC": "1",
        "PYTHONPATH": sleeping,
    }


@contextmanager
def away(folder: Path) -> Iterator[None]:
    """A folder that is gone for a while, as a share is that is not mounted."""
    elsewhere = folder.with_name(f"{folder.name}.away")
    folder.rename(elsewhere)
    try:
        yield
    finally:
        elsewhere.rename(folder)


@contextmanager
def forbidden(folder: Path) -> Iterator[None]:
    """A folder that its owner may not enter for a while."""
    mode = folder.stat().st_mode
    folder.chmod(0)
    try:
        yield
    finally:
        folder.chmod(mode)


@contextmanager
def small_disk(folder: Path, *, size: int) -> Iterator[None]:
    """A file system of so many bytes of its own at this folder; skips where we may not mount one."""
    folder.mkdir(parents=True)
    mount = ["mount", "-t", "tmpfs", "-o", f"size={size},mode=0700", "tmpfs", str(folder)]
    done = subprocess.run(mount, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        pytest.skip(f"mounting a small file system needs more rights: {done.stderr.strip()}")
    try:
        yield
    finally:
        subprocess.run(["umount", "--lazy", str(folder)], check=True)


@contextmanager
def filled(folder: Path, *, but: int = 0) -> Iterator[None]:
    """A disk that is full for a while, but for so many bytes."""
    filler = folder / "filler"
    left = shutil.disk_usage(folder).free - but
    try:
        with filler.open("wb", buffering=0) as file, suppress(OSError):
            while left > 0:
                left -= file.write(bytes(min(left, 4096)))
        yield
    finally:
        filler.unlink()
