"""What a failing disk raises, in the words of the store."""

import errno
from collections.abc import Iterator
from contextlib import contextmanager

from app.artifacts.store import ArtifactsUnavailable


@contextmanager
def disk_faults() -> Iterator[None]:
    """Turn every `OSError` into `ArtifactsUnavailable`, which tells a full disk from a broken one."""
    try:
        yield
    except OSError as error:
        full = error.errno in (errno.ENOSPC, errno.EDQUOT)
        raise ArtifactsUnavailable(f"{errno.errorcode.get(error.errno or 0, 'EIO')}", disk_full=full) from error
