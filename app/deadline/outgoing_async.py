"""The same as `outgoing` for httpx's async client: every wait ends with the budget, whatever it waits for.

A file of its own, so that programs without an event loop need not load asyncio.
"""

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import httpx

from app.deadline.budget import Clock, DependencyTimedOut
from app.deadline.outgoing import OUTGOING, WAY_BACK, Attempt, attempt_of


class AsyncBudgetTransport(httpx.AsyncBaseTransport):
    """Bounds another transport by `request.extensions["budget"]`; see `BudgetTransport`.

    What is cut amid a TLS handshake is closed by the garbage collector: httpcore 1.0 forgets it there.
    """

    def __init__(
        self,
        inner: httpx.AsyncBaseTransport,
        *,
        name: str = OUTGOING,
        way_back: float = WAY_BACK,
        clock: Clock = time.monotonic,
    ) -> None:
        self._inner = inner
        self._name = name
        self._way_back = way_back
        self._clock = clock

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """Send one attempt."""
        attempt = attempt_of(request, name=self._name, clock=self._clock)
        if attempt is None:
            return await self._inner.handle_async_request(request)
        bounded = attempt.bound(request, way_back=self._way_back)
        async with _ending(attempt):
            response = await self._inner.handle_async_request(bounded)
        assert isinstance(response.stream, httpx.AsyncByteStream)  # noqa: S101 - for the type: httpx asserts it too
        response.stream = _BoundedStream(response.stream, attempt)
        return response

    async def aclose(self) -> None:
        """Close the connections."""
        await self._inner.aclose()


class _BoundedStream(httpx.AsyncByteStream):
    def __init__(self, inner: httpx.AsyncByteStream, attempt: Attempt) -> None:
        self._inner = inner
        self._attempt = attempt

    async def __aiter__(self) -> AsyncIterator[bytes]:
        pieces = aiter(self._inner)
        while True:
            async with _ending(self._attempt):
                piece = await anext(pieces, None)
            if piece is None:
                return
            # a piece that lay ready is had without waiting, and so without a time-out
            self._attempt.check()
            # outside of the time-out, which would end in whatever the reader does meanwhile
            yield piece

    async def aclose(self) -> None:
        await self._inner.aclose()


@asynccontextmanager
async def _ending(attempt: Attempt) -> AsyncIterator[None]:
    with attempt.telling():
        try:
            async with asyncio.timeout(attempt.left()) as end:
                yield
        except TimeoutError as error:
            if not end.expired():
                raise
            raise DependencyTimedOut(attempt.name) from error
