"""The client of programs with an event loop: the verbs, awaited."""

from types import TracebackType
from typing import Self

from app.client.transport import OnRetry, Transport
from app.client.verbs import Verbs
from app.client.wire_async import Awaited


class AsyncSheafClient(Verbs):
    """A connection to one server as one owner, for as many tasks of one event loop as you like.

    Takes what `SheafClient` takes. A task that is cancelled ends its call; what an export's download has
    written so far is kept.
    """

    def __init__(
        self,
        url: str,
        token: str,
        *,
        timeout: float = 30.0,
        patience: float = 30.0,
        on_retry: OnRetry | None = None,
    ) -> None:
        transport = Transport(url, token, Awaited, connect_within=timeout, on_retry=on_retry)
        super().__init__(transport, timeout=timeout, patience=patience)

    def __repr__(self) -> str:
        return f"AsyncSheafClient({self.url!r})"

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, _kind: type[BaseException] | None, _error: BaseException | None, _: TracebackType | None
    ) -> None:
        await self.close()
