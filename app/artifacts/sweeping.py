"""What lies in the store, job by job, for those who look for orphans."""

from collections.abc import Iterator
from itertools import groupby
from uuid import UUID

from app.artifacts.keys import ArtifactKey
from app.artifacts.store import ArtifactStore


def jobs_with_artifacts(store: ArtifactStore) -> Iterator[tuple[UUID, list[ArtifactKey]]]:
    """Every job that has objects, with their keys. Objects that we did not name are left alone."""
    named = (ArtifactKey.parse(text) for text in store.keys())  # noqa: SIM118 - a store is no dict
    keys = sorted((key for key in named if key is not None), key=str)
    for job_id, group in groupby(keys, key=lambda key: key.job_id):
        yield job_id, list(group)
