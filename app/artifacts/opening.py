"""From an address in the settings to an artifact store."""

from pathlib import Path

from app.artifacts.folder import FolderStore
from app.artifacts.store import ArtifactStore


class ArtifactsAddressInvalid(ValueError):
    """The address names no kind of store that we have."""


def open_artifacts(address: str) -> ArtifactStore:
    """A store for a folder path; raises `ArtifactsAddressInvalid` for anything else."""
    if "://" in address:
        raise ArtifactsAddressInvalid(
            f"SHEAF_ARTIFACTS: `{address.partition('://')[0]}://` is not supported; use a folder"
        )
    store = FolderStore(Path(address).absolute())
    store.prepare()
    store.identify()
    return store
