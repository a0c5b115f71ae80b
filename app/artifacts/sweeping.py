"""What lies in the store, job by job, for those who look for orphans."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby
from uuid import UUID

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


def jobs_with_artifacts(store: ArtifactStore) -> Iterator[tuple[UUID, list[Found]]]:
    """Every job that has objects or parts of some, with all of them. What we did not name is left alone."""
    names = [*((text, text) for text in store.keys()), *store.parts()]  # noqa: SIM118 - a store is no dict
    named = ((ArtifactKey.parse(text), name) for text, name in names)
    found = sorted((Found(key, name) for key, name in named if key is not None), key=lambda one: one.name)
    for job_id, group in groupby(found, key=lambda one: one.key.job_id):
        yield job_id, list(group)
