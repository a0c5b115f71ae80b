"""Sending an object, or the part of it that was asked for, whether the store has files or not."""

from collections.abc import AsyncIterator, Mapping
from pathlib import Path
from typing import Final

from fastapi import Request, Response
from fastapi.responses import FileResponse, StreamingResponse
from starlette.types import Receive, Scope, Send

from app.api.problems import ProblemError
from app.api.ranges import Part, RangeMalformed, RangeNotSatisfiable, requested_part
from app.artifacts.store import ArtifactStore, ArtifactsUnavailable
from app.deadline.current import spending
from app.domain.codes import Problem

PIECE: Final = 4 << 20
"""Bytes asked of the store at once: what one download takes of memory, twice while they are passed on."""


def file_response(
    request: Request, path: Path, *, size: int, headers: Mapping[str, str], media_type: str
) -> FileResponse:
    """A local file, sent by the framework; otherwise as `stored_response`."""
    part = part_of(request, etag=headers["ETag"], size=size)
    kind = _WholeFile if part is None else FileResponse
    return kind(path, headers=headers, media_type=media_type)


class _WholeFile(FileResponse):
    """All of a file: left to itself, the framework would answer ranges that we do not."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send it."""
        headers = [pair for pair in scope["headers"] if pair[0] != b"range"]
        await super().__call__({**scope, "headers": headers}, receive, send)


def stored_response(
    request: Request, store: ArtifactStore, key: str, *, size: int, headers: Mapping[str, str], media_type: str
) -> Response:
    """The object, or the part of it that `Range` and `If-Range` ask for; `headers` hold its strong `ETag`."""
    part = part_of(request, etag=headers["ETag"], size=size)
    status, told = 200, {**headers, "Accept-Ranges": "bytes"}
    if part is None:
        part = Part(0, size)
    else:
        status = 206
        told["Content-Range"] = f"bytes {part.start}-{part.end - 1}/{size}"
    told["Content-Length"] = str(part.end - part.start)
    if request.method == "HEAD":
        return Response(status_code=status, headers=told, media_type=media_type)
    return StreamingResponse(_pieces(store, key, part), status_code=status, headers=told, media_type=media_type)


def part_of(request: Request, *, etag: str, size: int) -> Part | None:
    """What `Range` and `If-Range` ask for; raises problems for a range that is malformed or empty."""
    if request.method == "HEAD":
        # RFC 9110, section 14.2: ranges are for GET alone
        return None
    asked = request.headers
    try:
        return requested_part(asked.get("range"), asked.get("if-range"), etag=etag, size=size)
    except RangeMalformed:
        raise ProblemError(Problem.PARAMETER_INVALID, "`Range` takes bytes=FIRST-LAST, FIRST- or -COUNT.") from None
    except RangeNotSatisfiable:
        raise ProblemError(Problem.RANGE_NOT_SATISFIABLE, headers={"Content-Range": f"bytes */{size}"}) from None


async def _pieces(store: ArtifactStore, key: str, part: Part) -> AsyncIterator[bytes]:
    for start in range(part.start, part.end, PIECE):
        end = min(start + PIECE, part.end)
        async with spending("artifacts"):
            piece = await store.read_range(key, start=start, end=end)
        if len(piece) != end - start:
            # a short body must break off, never look whole
            raise ArtifactsUnavailable("the object is shorter than it was")
        yield piece
