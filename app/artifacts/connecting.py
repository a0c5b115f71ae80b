"""Reaching S3 through obstore: how long to wait, how often to try, and what its errors mean to us."""

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import Final

from obstore.exceptions import AlreadyExistsError, BaseError
from obstore.store import S3Store

from app.artifacts.store import ArtifactsUnavailable

CONNECT: Final = timedelta(seconds=5)
LONGEST: Final = timedelta(minutes=5)
"""One request at most. Only the end of an upload comes near it: S3 puts the parts together then."""
TRIES: Final = 3
"""Repetitions of a request that met a refused connection or a 5xx; nothing is repeated after a silence."""
ENDPOINTS: Final = ("AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL", "AWS_ENDPOINT")
"""Where obstore looks for another server than Amazon's, in its order."""

_ENDPOINT: Final = re.compile(r"https?://[\w.\-\[\]:]+(?:/[\w.~/-]*)?", re.ASCII)
_REFUSED: Final = re.compile(r"status code: 40[13]\b")
_CODE: Final = re.compile(r"<Code>([A-Za-z0-9]{1,64})</Code>")


def connect(bucket: str, prefix: str, *, silence: timedelta) -> S3Store:
    """A bucket's client; nothing is sent yet. Keys, region and endpoint are obstore's AWS_… variables.

    Raises `ArtifactsUnavailable` for values that cannot be meant.
    """
    name = next((name for name in ENDPOINTS if os.environ.get(name)), None)
    endpoint = os.environ[name] if name else ""
    if name and not _ENDPOINT.fullmatch(endpoint):
        # obstore would panic at the first request, which no handler of errors sees
        raise ArtifactsUnavailable(f"{name} is no address: https://host or http://host:port")
    with s3_faults():
        return S3Store(
            bucket,
            prefix=prefix or None,
            client_options={
                "allow_http": endpoint.startswith("http://"),
                "connect_timeout": CONNECT,
                "read_timeout": silence,
                "timeout": LONGEST,
            },
            retry_config={"max_retries": TRIES, "retry_timeout": silence},
        )


@contextmanager
def s3_faults() -> Iterator[None]:
    """Turn obstore's errors into `ArtifactsUnavailable`; an object that is missing or exists is the caller's."""
    try:
        yield
    except AlreadyExistsError:
        raise
    except (BaseError, ValueError) as error:
        # not chained: obstore's texts hold addresses and key ids, and end in logs
        raise ArtifactsUnavailable(_reason(str(error))) from None


def _reason(told: str) -> str:
    """What logs and operators may see of obstore's text: the server's own code, a name and never a value.

    The text alone tells a refusal from an outage: refused lists and uploads in parts raise the general error.
    """
    what = "S3 refuses our credentials" if _REFUSED.search(told) else "S3 gives no usable answer"
    code = _CODE.search(told)
    return f"{what} ({code[1]})" if code else what
