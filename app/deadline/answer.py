"""A whole answer, made before it is known whether it will be sent."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

if TYPE_CHECKING:
    # the adapters are used by programs that serve nothing, and should not load a web framework
    from starlette.responses import Response
    from starlette.types import Send

Headers = Sequence[tuple[bytes, bytes]]


@dataclass(frozen=True, slots=True)
class Answer:
    """Status, raw headers and body of a response."""

    status: int
    headers: Headers
    body: bytes

    @classmethod
    def of(cls, response: "Response") -> Self:
        """What this response would send; it must not be a streaming one."""
        return cls(response.status_code, tuple(response.raw_headers), bytes(response.body))

    async def send(self, send: "Send") -> None:
        """Send it."""
        await send({"type": "http.response.start", "status": self.status, "headers": list(self.headers)})
        await send({"type": "http.response.body", "body": self.body})
