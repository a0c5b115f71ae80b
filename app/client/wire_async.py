"""The wire of programs with an event loop; a file of its own, so that others need not load asyncio."""

import asyncio
from collections.abc import AsyncGenerator, Callable, Iterator, Mapping
from typing import TypeVar

import httpx

from app.client.wire import Attempt, Content
from app.deadline.outgoing_async import AsyncBudgetTransport

T = TypeVar("T")


class Awaited:
    """Gives way to the loop wherever `Direct` blocks; what takes the processor or the disk goes to a thread."""

    def __init__(self, *, headers: Mapping[str, str], proxy: str | None, way_back: float) -> None:
        transport = AsyncBudgetTransport(httpx.AsyncHTTPTransport(proxy=proxy), way_back=way_back)
        self._http = httpx.AsyncClient(headers=headers, transport=transport)

    async def send(self, attempt: Attempt) -> httpx.Response:
        """See `Wire`, here and below."""
        return await self._http.send(attempt.built_by(self._http, _drawn(attempt.content)), stream=True)

    async def read(self, response: httpx.Response) -> None:
        """All of the body, into the response."""
        await response.aread()

    async def pieces(self, response: httpx.Response) -> AsyncGenerator[bytes, None]:
        """The body as it comes."""
        async for piece in response.aiter_raw():
            yield piece

    async def close(self, response: httpx.Response) -> None:
        """Give the connection back, or close it."""
        await response.aclose()

    async def sleep(self, seconds: float) -> None:
        """Let others run."""
        await asyncio.sleep(seconds)

    async def work(self, do: Callable[[], T]) -> T:
        """In a thread."""
        return await asyncio.to_thread(do)

    async def shut(self) -> None:
        """Close the connections."""
        await self._http.aclose()


def _drawn(content: Content) -> bytes | AsyncGenerator[bytes, None] | None:
    return content if content is None or isinstance(content, bytes) else _pieces(content)


async def _pieces(content: Iterator[bytes]) -> AsyncGenerator[bytes, None]:
    # each piece is read from a file and packed: that is no work for the loop
    while (piece := await asyncio.to_thread(next, content, None)) is not None:
        yield piece
