"""Reading request bodies: bounded, and with errors that say where."""

import json
import zlib
from asyncio import timeout
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from typing import Any

from fastapi import Request
from starlette.requests import ClientDisconnect

from app.api.problems import ProblemError
from app.domain.codes import Problem

MAX_DEPTH = 16
"""Levels of a request body; ours have four."""
_MANY_BRACKETS = 10_000
_LARGE = 1 << 16
_JSON_TYPES = ("application/json", "application/x-ndjson", "application/ndjson", "application/jsonl", "text/json")


@dataclass(frozen=True, slots=True)
class JsonBody:
    """A body that was read."""

    value: Any
    is_large: bool
    """Whether looking through it takes long enough to be done in a thread, beside the other requests."""


async def read_json(request: Request, *, at_most: int, idle: float) -> JsonBody:
    """The body as JSON; raises problems for its size, its media type, its syntax, and for standing still."""
    _require_json(request)
    body = await read_body(request, at_most=at_most, idle=idle)
    if body.count(b"[") + body.count(b"{") > _MANY_BRACKETS:
        # nothing of ours looks so, and reading it would hold up every other request for half a second
        raise ProblemError(Problem.MALFORMED_JSON, f"The body has more than {_MANY_BRACKETS} lists and objects.")
    try:
        found = json.loads(body)
    except json.JSONDecodeError as error:
        raise ProblemError(Problem.MALFORMED_JSON, f"Line {error.lineno}, column {error.colno}: {error.msg}.") from None
    except (UnicodeDecodeError, RecursionError, ValueError) as error:
        raise ProblemError(Problem.MALFORMED_JSON, f"The body cannot be read: {type(error).__name__}.") from None
    if _is_deeper(found, MAX_DEPTH):
        raise ProblemError(Problem.MALFORMED_JSON, f"The body is nested deeper than {MAX_DEPTH} levels.")
    return JsonBody(found, len(body) > _LARGE)


async def read_body(request: Request, *, at_most: int, idle: float) -> bytearray:
    """The body as it is; raises problems for its size and for standing still (`idle` seconds)."""
    body = bytearray()
    async for chunk in read_chunks(request, idle=idle):
        body += chunk
        if len(body) > at_most:
            raise ProblemError(Problem.PAYLOAD_TOO_LARGE, f"This body may have at most {at_most} bytes.")
    return body


def _is_deeper(value: Any, depth: int) -> bool:
    """Whether a JSON value is nested deeper than `depth`; what is too deep would exhaust whoever walks it."""
    level = [value]
    for _ in range(depth):
        level = [
            child
            for parent in level
            if isinstance(parent, dict | list)
            for child in (parent.values() if isinstance(parent, dict) else parent)
            if isinstance(child, dict | list)
        ]
        if not level:
            return False
    return True


async def read_bytes(request: Request, *, at_most: int, idle: float, media_types: Sequence[str]) -> bytes:
    """The body as it is; raises problems for its size, its media type, and for standing still."""
    media_type = _media_type(request)
    if media_type not in media_types:
        raise ProblemError(Problem.UNSUPPORTED_MEDIA_TYPE, f"This takes {' or '.join(media_types)}.")
    return bytes(await read_body(request, at_most=at_most, idle=idle))


async def read_upload(request: Request, *, at_most: int, idle: float) -> AsyncIterator[bytes]:
    """The body in pieces, unpacked if gzip. `at_most` counts unpacked bytes.

    An upload has no deadline, but it may not stand still: `idle` seconds without a byte end it.
    """
    _require_json(request)
    unpack = _unpacker(request)
    async for piece in _unpacked(read_chunks(request, idle=idle), unpack, at_most=at_most):
        yield piece


async def unpack_file(pieces: AsyncIterator[bytes], *, at_most: int) -> AsyncIterator[bytes]:
    """The pieces of a file, unpacked if its first two bytes are gzip's (RFC 1952); `at_most` as in `read_upload`."""
    head = b""
    async for piece in pieces:
        head += piece
        if len(head) > 1:
            break

    async def again() -> AsyncIterator[bytes]:
        yield head
        async for piece in pieces:
            yield piece

    unpack = _Gzip() if head[:2] == b"\x1f\x8b" else _Plain()
    async for piece in _unpacked(again(), unpack, at_most=at_most):
        yield piece


async def _unpacked(chunks: AsyncIterator[bytes], unpack: "_Plain | _Gzip", *, at_most: int) -> AsyncIterator[bytes]:
    total = 0
    async for chunk in chunks:
        for piece in unpack.feed(chunk):
            total += len(piece)
            if total > at_most:
                raise ProblemError(Problem.PAYLOAD_TOO_LARGE, f"An import may have at most {at_most} bytes, unpacked.")
            yield piece
    unpack.finish()


async def read_chunks(request: Request, *, idle: float) -> AsyncIterator[bytes]:
    """The body as it comes; ends early when the sender leaves, who will then see no answer either."""
    stream = request.stream().__aiter__()
    while True:
        try:
            async with timeout(idle):
                chunk = await anext(stream, None)
        except TimeoutError:
            raise ProblemError(Problem.UPLOAD_STALLED, f"Nothing came for {idle:g} seconds.") from None
        except ClientDisconnect:
            return
        if chunk is None:
            return
        yield chunk


class _Plain:
    def feed(self, chunk: bytes) -> list[bytes]:
        return [chunk] if chunk else []

    def finish(self) -> None:
        return


class _Gzip:
    """Unpacks in bounded pieces, so that a small upload cannot become a large one at once."""

    PIECE = 1 << 18

    def __init__(self) -> None:
        self._stream = zlib.decompressobj(wbits=31)
        self._began = False

    def feed(self, chunk: bytes) -> Any:
        while chunk:
            self._began = True
            if self._stream.eof:
                self._stream = zlib.decompressobj(wbits=31)  # members one after another are one file
            try:
                piece = self._stream.decompress(chunk, self.PIECE)
            except zlib.error:
                raise ProblemError(Problem.UPLOAD_BROKEN, "The upload is not gzip, or its gzip is damaged.") from None
            if piece:
                yield piece
            chunk = self._stream.unconsumed_tail or self._stream.unused_data

    def finish(self) -> None:
        if self._began and not self._stream.eof:
            raise ProblemError(Problem.UPLOAD_BROKEN, "The upload's gzip ends before it is complete.")


def _unpacker(request: Request) -> _Plain | _Gzip:
    encoding = request.headers.get("content-encoding", "identity").strip().lower()
    if encoding == "identity":
        return _Plain()
    if encoding in ("gzip", "x-gzip"):
        return _Gzip()
    raise ProblemError(Problem.UNSUPPORTED_MEDIA_TYPE, f"`Content-Encoding: {encoding[:40]}` is not supported.")


def _media_type(request: Request) -> str:
    return request.headers.get("content-type", "application/json").partition(";")[0].strip().lower()


def _require_json(request: Request) -> None:
    media_type = _media_type(request)
    if media_type not in _JSON_TYPES and not media_type.endswith("+json"):
        raise ProblemError(Problem.UNSUPPORTED_MEDIA_TYPE, f"`{media_type[:60]}` is not JSON.")
