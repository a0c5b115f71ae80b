"""The small interface that every artifact store has."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import BinaryIO, Protocol


class ArtifactMissing(Exception):
    """There is no object with this key."""

    def __init__(self, key: str) -> None:
        super().__init__(key)
        self.key = key


class ArtifactsUnavailable(Exception):
    """The store cannot be reached or is full; nobody's strike, try again later."""

    def __init__(self, reason: str, *, disk_full: bool = False) -> None:
        super().__init__(reason)
        self.disk_full = disk_full


class ArtifactStore(Protocol):
    """Create-only objects under keys of the form `job/step-attempt`.

    An object is visible whole or not at all, and would outlive a crash before `put` returns.
    Every method raises `ArtifactsUnavailable` when the store itself fails.
    """

    @property
    def identity(self) -> str | None:
        """The id that this place must have; None while nobody knows it yet."""

    def identify(self) -> str:
        """The id that tells whether two hosts see one store, made on first use."""

    def check(self) -> None:
        """Raise `ArtifactsUnavailable` unless this is the place with our identity.

        A share that is not mounted leaves an empty folder in its place: nothing may be written there,
        and what is missing there is not lost.
        """

    def put(self, key: str, write: Callable[[BinaryIO], None]) -> None:
        """Create an object from what `write` writes; an object that exists is kept as it is.

        The file that `write` is given can be read too.
        """

    def open(self, key: str) -> BinaryIO:
        """Read an object; raises `ArtifactMissing`."""

    async def read_range(self, key: str, *, start: int, end: int) -> bytes:
        """The bytes from `start` up to `end`, without blocking the event loop; raises `ArtifactMissing`."""

    def size(self, key: str) -> int:
        """The object's length in bytes; raises `ArtifactMissing`."""

    def delete(self, key: str) -> None:
        """Remove an object, or a part by its name; removing what is not there is fine."""

    def clear(self, folder: str, *, keep: str | None) -> int:
        """Remove a folder's objects but `keep`, and what is being written there; says how many went."""

    def keys(self, prefix: str = "") -> Iterator[str]:
        """Keys that begin with `prefix`, in no particular order."""

    def path(self, key: str) -> Path | None:
        """The object as a local file for the web server to send; None if the store has no files."""

    def parts(self) -> Iterator[tuple[str, str]]:
        """What is being written or was left so by a killed writer: its key, and the name that `delete` takes."""
