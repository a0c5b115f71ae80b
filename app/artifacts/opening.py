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


def open_artifacts(address: str, identity: str | None = None) -> ArtifactStore:
    """A store for a folder path or `s3://bucket/prefix`; raises `ArtifactsAddressInvalid`, `ArtifactsUnavailable`.

    Without an `identity` the place is made if it is new. With one nothing is ever made: a place that
    lacks it is not ours, however empty and inviting it looks.
    """
    if address.startswith("s3://"):
        return _open_bucket(address, identity)
    if "://" in address:
        raise ArtifactsAddressInvalid(
            f"SHEAF_ARTIFACTS: `{address.partition('://')[0]}://` is not supported; use a folder or s3://bucket/prefix"
        )
    folder = FolderStore(Path(address).absolute(), identity)
    if identity is None:
        folder.prepare()
        folder.identify()
    return folder


def _open_bucket(address: str, identity: str | None) -> ArtifactStore:
    # an embedded installation on a folder has no use for the client
    from app.artifacts.s3 import BucketStore  # noqa: PLC0415

    found = _S3.fullmatch(address)
    if found is None:
        # not repeated: somebody may have put a key into it
        raise ArtifactsAddressInvalid("SHEAF_ARTIFACTS: use s3://bucket/prefix, with letters, digits, `.`, `_` and `-`")
    bucket = BucketStore(found["bucket"], found["prefix"].lstrip("/"), identity)
    if identity is None:
        bucket.identify()
    return bucket
