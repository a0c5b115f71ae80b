"""What the client waits for, in one shape for programs with an event loop and for programs without one.

Every verb is written once, as a coroutine over a `Wire`. `Direct` blocks in each of them and never gives way, so
that `now` runs such a coroutine from beginning to end like any function; `wire_async` has the one for event loops.
"""

import time
from collections.abc import (
    AsyncGenerator,
    AsyncIterable,
    AsyncIterator,
    Callable,
    Coroutine,
    Iterable,
    Iterator,
    Mapping,
)
from dataclasses import dataclass
from typing import Any, Final, Protocol, TypeVar

import httpx

from app.deadline.outgoing import BudgetTransport

T = TypeVar("T")

Content = bytes | Iterator[bytes] | None
"""A request's body; pieces are drawn as they are sent."""

_END: Final = object()


@dataclass(frozen=True, slots=True)
class Attempt:
    """One attempt at a call, as it is sent."""

    method: str
    url: str
    params: Mapping[str, Any] | None
    headers: Mapping[str, str]
    content: Content
    timeout: httpx.Timeout
    extensions: dict[str, Any]

    def built_by(
        self, http: httpx.Client | httpx.AsyncClient, content: bytes | Iterable[bytes] | AsyncIterable[bytes] | None
    ) -> httpx.Request:
        """The request, with its content in the form that the client sends."""
        return http.build_request(
            self.method,
            self.url,
            params=self.params,
            headers=self.headers,
            content=content,
            timeout=self.timeout,
            extensions=self.extensions,
        )


class Wire(Protocol):
    """Sends attempts, reads what comes, and lets time pass."""

    async def send(self, attempt: Attempt) -> httpx.Response:
        """The beginning of an answer; its body is still to come."""

    async def read(self, response: httpx.Response) -> None:
        """All of the body, into the response."""

    def pieces(self, response: httpx.Response) -> AsyncGenerator[bytes, None]:
        """The body as it comes, not unpacked."""

    async def close(self, response: httpx.Response) -> None:
        """Give the connection back, or close it if the body was not read."""

    async def sleep(self, seconds: float) -> None:
        """Let that many seconds pass."""

    async def work(self, do: Callable[[], T]) -> T:
        """Do what takes the processor or the disk for long."""

    async def shut(self) -> None:
        """Close the connections."""


class Direct:
    """The wire of programs that have nothing else to do meanwhile."""

    def __init__(self, *, headers: Mapping[str, str], proxy: str | None, way_back: float) -> None:
        transport = BudgetTransport(httpx.HTTPTransport(proxy=proxy), way_back=way_back)
        self._http = httpx.Client(headers=headers, transport=transport)

    async def send(self, attempt: Attempt) -> httpx.Response:
        """See `Wire`, here and below."""
        return self._http.send(attempt.built_by(self._http, attempt.content), stream=True)

    async def read(self, response: httpx.Response) -> None:
        """Blocks."""
        response.read()

    async def pieces(self, response: httpx.Response) -> AsyncGenerator[bytes, None]:
        """Blocks before each piece."""
        for piece in response.iter_raw():
            yield piece

    async def close(self, response: httpx.Response) -> None:
        """Blocks."""
        response.close()

    async def sleep(self, seconds: float) -> None:
        """Blocks."""
        time.sleep(seconds)  # noqa: ASYNC251 - there is no loop

    async def work(self, do: Callable[[], T]) -> T:
        """Blocks."""
        return do()

    async def shut(self) -> None:
        """Blocks."""
        self._http.close()


def now(coroutine: Coroutine[Any, Any, T]) -> T:
    """The result of a coroutine that waits for a `Direct` wire alone."""
    try:
        coroutine.send(None)
    except StopIteration as done:
        result: T = done.value
        return result
    coroutine.close()
    raise RuntimeError("a coroutine of the client gave way to an event loop that is not there")


def each(items: AsyncIterator[T]) -> Iterator[T]:
    """The items of an asynchronous generator that waits for a `Direct` wire alone."""
    try:
        while (item := now(_next(items))) is not _END:
            yield item
    finally:
        if isinstance(items, AsyncGenerator):
            now(_ended(items))


async def _next(items: AsyncIterator[T]) -> Any:
    return await anext(items, _END)


async def _ended(items: AsyncGenerator[T, None]) -> None:
    await items.aclose()
