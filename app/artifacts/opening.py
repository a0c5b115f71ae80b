"""From an address in the settings to an artifact store."""

import re
from pathlib import Path
from typing import Final

from app.artifacts.folder import FolderStore
from app.artifacts.store import ArtifactStore

_S3: Final = re.compile(r"s3://(?P<bucket>[a-z0-9][a-z0-9.-]{1,61}[a-z0-9])(?P<prefix>(?:/\w[\w.-]*)*)/?", re.ASCII)
"""Bucket names as S3 has them, and prefixes that need no escape in any address."""


class ArtifactsAddressInvalid(ValueError):
    """The address names no kind of store that we have."""


def open_artifacts(address: str) -> ArtifactStore:
    """A store for a folder path or `s3://bucket/prefix`; raises `ArtifactsAddressInvalid`, `ArtifactsUnavailable`."""
    if address.startswith("s3://"):
        return _open_bucket(address)
    if "://" in address:
        raise ArtifactsAddressInvalid(
            f"SHEAF_ARTIFACTS: `{address.partition('://')[0]}://` is not supported; use a folder or s3://bucket/prefix"
        )
    store = FolderStore(Path(address).absolute())
    store.prepare()
    store.identify()
    return store


def _open_bucket(address: str) -> ArtifactStore:
    # an embedded installation on a folder has no use for the client
    from app.artifacts.s3 import BucketStore  # noqa: PLC0415

    found = _S3.fullmatch(address)
    if found is None:
        # not repeated: somebody may have put a key into it
        raise ArtifactsAddressInvalid("SHEAF_ARTIFACTS: use s3://bucket/prefix, with letters, digits, `.`, `_` and `-`")
    store = BucketStore(found["bucket"], found["prefix"].lstrip("/"))
    store.identify()
    return store
