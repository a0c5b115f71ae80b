"""Artifacts in a folder, on one machine or shared by every host."""

import asyncio
import errno
import os
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import BinaryIO

from app.artifacts.faults import disk_faults
from app.artifacts.store import ArtifactMissing, ArtifactsUnavailable

MARKER = "sheaf-folder-id"
"""The file that tells whether two hosts see one folder."""
PART = ".part"
"""Ending of files that are still being written; they are never listed or read."""


class FolderStore:
    """One file per object; a link makes it visible only when all of it is on the disk."""

    def __init__(self, root: Path, identity: str | None = None) -> None:
        self.root = root
        self._identity = identity

    @property
    def identity(self) -> str | None:
        """The id that the folder must have; None while nobody knows it yet."""
        return self._identity

    def check(self) -> None:
        """Raise `ArtifactsUnavailable` unless the folder is there, with our id in it."""
        with disk_faults():
            try:
                found = (self.root / MARKER).read_text().strip()
            except FileNotFoundError:
                raise ArtifactsUnavailable("the artifacts folder is not there") from None
        if self._identity not in (None, found):
            raise ArtifactsUnavailable("another folder stands where the artifacts were")

    def prepare(self) -> None:
        """Make the folder, readable by its owner alone: it holds customers' documents."""
        with disk_faults():
            self.root.mkdir(mode=0o700, parents=True, exist_ok=True)

    def identify(self) -> str:
        """The id that lies in the folder, made on first use: tells whether two hosts see one folder."""
        name = self.root / MARKER
        with disk_faults():
            if not name.exists():
                self._create(name, lambda file: _write_text(file, str(uuid.uuid4())))
            return name.read_text().strip()

    def put(self, key: str, write: Callable[[BinaryIO], None]) -> None:
        """Create an object from what `write` writes; an object that exists is kept as it is."""
        self.check()
        with disk_faults():
            self._create(self._file(key), write)
        # the share may have gone meanwhile: then what was written lies elsewhere
        self.check()

    def _create(self, target: Path, write: Callable[[BinaryIO], None]) -> None:
        target.parent.mkdir(mode=0o700, exist_ok=True)
        part = target.with_name(f"{target.name}.{uuid.uuid4().hex}{PART}")
        try:
            with part.open("x+b") as file:
                write(file)
                file.flush()
                os.fsync(file.fileno())
            try:
                target.hardlink_to(part)  # fails if it exists: create-only, in one step
            except FileExistsError:
                return
            _sync_folder(target.parent)
        finally:
            part.unlink(missing_ok=True)

    def open(self, key: str) -> BinaryIO:
        """Read an object; raises `ArtifactMissing`."""
        with disk_faults():
            try:
                return self._file(key).open("rb")
            except FileNotFoundError:
                self.check()
                raise ArtifactMissing(key) from None

    async def read_range(self, key: str, *, start: int, end: int) -> bytes:
        """The bytes from `start` up to `end`; raises `ArtifactMissing`."""
        return await asyncio.to_thread(self._read_range, key, start, end)

    def _read_range(self, key: str, start: int, end: int) -> bytes:
        with self.open(key) as file, disk_faults():
            file.seek(start)
            return file.read(end - start)

    def size(self, key: str) -> int:
        """The object's length in bytes; raises `ArtifactMissing`."""
        with disk_faults():
            try:
                return self._file(key).stat().st_size
            except FileNotFoundError:
                self.check()
                raise ArtifactMissing(key) from None

    def delete(self, key: str) -> None:
        """Remove an object, or a part by its name; its job's folder goes with the last one."""
        file = self._file(key)
        with disk_faults():
            file.unlink(missing_ok=True)
            _remove_if_empty(file.parent)

    def clear(self, folder: str, *, keep: str | None) -> int:
        """Remove a folder's objects but `keep`, and what is being written there; says how many went."""
        gone = 0
        with disk_faults():
            for file in list((self.root / folder).glob("*")):
                if f"{folder}/{file.name}" != keep:
                    file.unlink(missing_ok=True)
                    gone += 1
            _remove_if_empty(self.root / folder)
        return gone

    def keys(self, prefix: str = "") -> Iterator[str]:
        """Keys that begin with `prefix`."""
        with disk_faults():
            for folder in self.root.glob(prefix.partition("/")[0] + "*/" if prefix else "*/"):
                for name in _names_in(folder):
                    key = f"{folder.name}/{name}"
                    if key.startswith(prefix) and not key.endswith(PART):
                        yield key

    def path(self, key: str) -> Path | None:
        """The object's file; raises `ArtifactMissing`."""
        self.size(key)
        return self._file(key)

    def parts(self) -> Iterator[tuple[str, str]]:
        """What is being written or was left so by a killed writer: its key, and the name that `delete` takes."""
        with disk_faults():
            for part in self.root.glob(f"*/*{PART}"):
                folder = part.parent.name
                yield f"{folder}/{part.name.partition('.')[0]}", f"{folder}/{part.name}"

    def _file(self, key: str) -> Path:
        return self.root / key


def _names_in(folder: Path) -> list[str]:
    try:
        return [file.name for file in folder.iterdir()]
    except FileNotFoundError:
        return []  # its last object went while we listed others


def _write_text(file: BinaryIO, text: str) -> None:
    file.write(text.encode())


def _remove_if_empty(folder: Path) -> None:
    try:
        folder.rmdir()
    except OSError as error:
        if error.errno not in (errno.ENOTEMPTY, errno.EEXIST, errno.ENOENT):
            raise


def _sync_folder(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
