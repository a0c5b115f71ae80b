"""What exports stand on beside the database: the artifacts, Redis."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, Final
from uuid import uuid4

from app.cli.checkup.database import known_artifacts
from app.cli.checkup.lines import Findings, Line, Verdict
from app.cli.checkup.machine import space
from app.settings import Settings

if TYPE_CHECKING:
    from app.artifacts.store import ArtifactStore

PROBE: Final = json.dumps({"probe": "of sheaf doctor"}).encode()
TRIES: Final = 3
"""A sweep that runs just now may take the probe for an orphan, as it should."""


def artifacts(settings: Settings) -> Findings:
    """The place is the one that the other hosts use, and an object can be made, read, listed and removed."""
    from app.artifacts.opening import open_artifacts

    if settings.artifacts is None:
        yield Line(
            "artifacts",
            Verdict.BAD,
            "SHEAF_ARTIFACTS is not set.",
            "Set it to the folder that every host shares, or to s3://bucket/prefix",
        )
        return
    is_bucket = settings.artifacts.startswith("s3://")
    identity = known_artifacts(settings)
    if identity is None:
        yield Line(
            "artifacts",
            Verdict.WARN,
            f"No process has used {settings.artifacts} yet, so nothing was written there to look at.",
            "Start the API or a worker once, then look again",
        )
    else:
        store = open_artifacts(settings.artifacts, identity)
        store.check()
        yield Line("artifacts", Verdict.OK, f"{settings.artifacts} is the place that this installation uses.")
        yield _probe(store)
    folder = Path(settings.artifacts)
    if not is_bucket and folder.is_dir():
        yield space("artifacts", folder, "Make room: exports wait for the disk, none is lost")


def _probe(store: "ArtifactStore") -> Line:
    from app.artifacts.keys import ArtifactKey
    from app.artifacts.store import ArtifactMissing

    for _ in range(TRIES):
        key = str(ArtifactKey(uuid4(), 1, 1))
        try:
            store.put(key, _write_probe)
            with store.open(key) as file:
                is_whole = file.read() == PROBE
            is_listed = key in store.keys(key.partition("/")[0] + "/")
        except ArtifactMissing:
            continue
        finally:
            store.delete(key)
        if is_whole and is_listed:
            return Line("artifacts", Verdict.OK, "An object was written, read back, listed and removed.")
    return Line(
        "artifacts",
        Verdict.BAD,
        "What was written was not there afterwards, or not listed.",
        "The place must show every host at once what one has written",
    )


def _write_probe(file: BinaryIO) -> None:
    file.write(PROBE)


def redis(settings: Settings) -> Findings:
    """The bell. Without it everything works, half a second later."""
    if settings.redis_url is None:
        yield Line("redis", Verdict.OK, "None is set: workers find work by themselves, up to half a second later.")
        return
    import redis as client
    from redis.backoff import NoBackoff
    from redis.retry import Retry

    later = "Nothing is lost without it; work starts up to half a second later. Mend it, or unset SHEAF_REDIS_URL"
    url = settings.redis_url.get_secret_value()
    try:
        server = client.Redis.from_url(url, socket_timeout=2, socket_connect_timeout=2, retry=Retry(NoBackoff(), 0))
    except ValueError:
        yield Line(
            "redis", Verdict.BAD, "SHEAF_REDIS_URL is no address.", "redis://:password@host:6379/0, or rediss://…"
        )
        return
    try:
        with server:
            server.ping()
            release = server.info("server").get("redis_version", "?")
    except client.RedisError as error:
        yield Line("redis", Verdict.WARN, f"It does not answer ({type(error).__name__}).", later)
        return
    yield Line("redis", Verdict.OK, f"Redis {release} answers.")
