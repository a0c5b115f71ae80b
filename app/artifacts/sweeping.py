"""What lies in the store, for those who look for orphans: read as it is listed, for it may be very much."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain

from app.artifacts.keys import ArtifactKey
from app.artifacts.store import ArtifactStore


@dataclass(frozen=True, slots=True)
class Found:
    """An object, or the part of one that somebody is writing or has left so."""

    key: ArtifactKey
    name: str
    """What it is deleted by."""

    @property
    def is_part(self) -> bool:
        """Whether it is no whole object."""
        return self.name != str(self.key)


def found_in(store: ArtifactStore) -> Iterator[Found]:
    """Every object and every part of one, as the store lists them. What we did not name is left alone."""
    names = chain(((text, text) for text in store.keys()), store.parts())  # noqa: SIM118 - a store is no dict
    for text, name in names:
        key = ArtifactKey.parse(text)
        if key is not None:
            yield Found(key, name)
