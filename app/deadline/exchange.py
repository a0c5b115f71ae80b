"""One request's messages: what comes is watched for the caller's leaving, what goes out can be shut off.

A server tells of a caller who has left only to whoever asks it, so somebody has to ask all the time.
"""

import asyncio
from collections import deque
from collections.abc import Callable
from typing import Final

from starlette.types import Message, Receive, Send

AHEAD: Final = 1 << 16
"""Bytes of a body that are read before the application asks: what servers buffer themselves."""


class Exchange:
    """Stands between a server and an application for one request.

    `on_start` sees the first message of the answer before it goes out and may change it, or may
    return None and with that forbid the application's answer.
    """

    def __init__(
        self,
        receive: Receive,
        send: Send,
        *,
        on_start: Callable[[Message], Message | None],
        on_gone: Callable[[], None],
        idle: float | None,
        is_lazy: bool,
    ) -> None:
        self._receive = receive
        self._send = send
        self._on_start = on_start
        self._on_gone = on_gone
        self._idle = idle
        self._arrived: deque[Message] = deque()
        self._ahead = 0
        self._news = asyncio.Event()
        self._room = asyncio.Event()
        if not is_lazy:
            self._room.set()
        self.is_shut = False
        """Whether nothing more of the application goes out."""
        self.status = 0
        """Of the answer that began; 0 before."""
        self.is_complete = False
        """Whether the whole answer was handed over."""
        self.stood_still = False
        """Whether the reader took nothing for as long as it may."""
        self._is_waiting_for_body = False
        self._is_sending = False

    @property
    def boundary(self) -> str | None:
        """Whether the application is held up by the caller: `body`, `sending` or None."""
        if self._is_sending:
            return "sending"
        return "body" if self._is_waiting_for_body else None

    async def watch(self) -> None:
        """Read ahead of the application until the caller has left; runs as a task of its own."""
        is_whole = False
        while True:
            if not is_whole:
                await self._room.wait()
            message = await self._receive()
            if message["type"] == "http.disconnect":
                self._put(message)
                # servers say the same when the answer is complete
                if not self.is_complete:
                    self._on_gone()
                return
            is_whole = not message.get("more_body", False)
            self._ahead += len(message.get("body", b""))
            if self._ahead >= AHEAD:
                self._room.clear()
            self._put(message)

    def _put(self, message: Message) -> None:
        self._arrived.append(message)
        self._news.set()

    async def receive(self) -> Message:
        """What the application reads."""
        self._room.set()
        self._is_waiting_for_body = True
        try:
            while not self._arrived:
                self._news.clear()
                await self._news.wait()
        finally:
            self._is_waiting_for_body = False
        if self._arrived[0]["type"] == "http.disconnect":
            return self._arrived[0]  # for everyone who asks again
        message = self._arrived.popleft()
        self._ahead -= len(message.get("body", b""))
        if self._ahead < AHEAD:
            self._room.set()
        return message

    async def send(self, message: Message) -> None:
        """What the application sends; swallowed once the exchange is shut."""
        if self.is_shut:
            return
        if message["type"] == "http.response.start":
            changed = self._on_start(message)
            if changed is None:
                self.is_shut = True
                return
            message = changed
            self.status = message["status"]
        elif message["type"] == "http.response.body" and not message.get("more_body", False):
            self.is_complete = True
        self._is_sending = True
        try:
            if self._idle is None:
                await self._send(message)
            else:
                await self._send_while_taken(message, self._idle)
        finally:
            self._is_sending = False

    async def _send_while_taken(self, message: Message, idle: float) -> None:
        try:
            async with asyncio.timeout(idle) as standing:
                await self._send(message)
        except TimeoutError:
            self.stood_still = standing.expired()
            raise

    def shut(self) -> None:
        """Let nothing more of the application out."""
        self.is_shut = True
