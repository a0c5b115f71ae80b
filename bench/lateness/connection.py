"""One kept-alive connection of plain HTTP/1.1: a client that costs next to nothing."""

import asyncio
import json
import re
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final
from urllib.parse import urlsplit

PATIENCE: Final = 10.0
"""Seconds after which an answer is taken for lost."""

_STATUS: Final = re.compile(rb"HTTP/1\.1 (\d{3})")
_HEADER: Final = re.compile(rb"\r\n([A-Za-z-]+): ([^\r]*)")
_DURATION: Final = re.compile(r"(\w+);dur=([0-9.]+)")


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer that was read to its end; status 0 if none came."""

    status: int
    headers: Mapping[str, str]
    body: bytes
    milliseconds: float

    @property
    def problem(self) -> dict[str, str]:
        """The members of a problem; empty for anything else."""
        is_problem = self.headers.get("content-type") == "application/problem+json"
        return json.loads(self.body) if is_problem else {}

    @property
    def timing(self) -> dict[str, float]:
        """`Server-Timing`, in milliseconds."""
        return {name: float(spent) for name, spent in _DURATION.findall(self.headers.get("server-timing", ""))}


class Connection:
    """Opened when it is needed, and again after it was closed."""

    def __init__(self, url: str) -> None:
        self._host, self._port = urlsplit(url).hostname, urlsplit(url).port
        self._streams: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None

    async def ask(self, method: str, path: str, headers: Mapping[str, str], body: bytes = b"") -> Answer:
        """Send a request and read its answer."""
        lines = {"Host": f"{self._host}:{self._port}", "Content-Length": str(len(body)), **headers}
        head = [f"{method} {path} HTTP/1.1", *(f"{name}: {value}" for name, value in lines.items()), "", ""]
        began = time.monotonic()
        try:
            async with asyncio.timeout(PATIENCE):
                status, found, content = await self._exchange("\r\n".join(head).encode() + body)
        except (TimeoutError, OSError, EOFError):
            status, found, content = 0, {}, b""
        milliseconds = (time.monotonic() - began) * 1000
        if status == 0 or found.get("connection") == "close":
            self.close()
        return Answer(status, found, content, milliseconds)

    async def _exchange(self, request: bytes) -> tuple[int, Mapping[str, str], bytes]:
        if self._streams is None:
            self._streams = await asyncio.open_connection(self._host, self._port)
        reader, writer = self._streams
        writer.write(request)
        head = await reader.readuntil(b"\r\n\r\n")
        headers = {name.decode().lower(): value.decode() for name, value in _HEADER.findall(head)}
        status = _STATUS.match(head)
        assert status is not None, head
        return int(status[1]), headers, await reader.readexactly(int(headers.get("content-length", "0")))

    def close(self) -> None:
        """Let go of it."""
        if self._streams is not None:
            self._streams[1].close()
            self._streams = None
