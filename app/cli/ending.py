"""Being told to end: by SIGTERM or SIGINT, or by the end of the process that started us."""

import os
import select
import signal
import time
from contextlib import suppress
from typing import Final

ECHO: Final = 1.0
"""Seconds in which what follows a first request is that request: service managers and terminals signal a whole
group, so that a supervised worker hears of it from them and from its supervisor."""


class Endings:
    """Requests to end, from the moment that this is made. Each is a byte in a pipe: a handler may always write one."""

    def __init__(self, *, lifeline: int | None = None) -> None:
        """Listen; `lifeline` is the reading end of a pipe whose other end the process that started us holds."""
        self._told, self._telling = os.pipe()
        os.set_blocking(self._telling, False)
        self._lifeline = lifeline
        self._first_at: float | None = None
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, lambda *_: self._tell())

    def _tell(self) -> None:
        with suppress(BlockingIOError):  # full of requests that nobody has heard yet
            os.write(self._telling, b".")

    def wait(self, seconds: float | None = None) -> bool:
        """Wait for the first request, or for the next one if one was heard; False if none came in so long."""
        give_up_at = None if seconds is None else time.monotonic() + seconds
        while self._is_told(None if give_up_at is None else max(0.0, give_up_at - time.monotonic())):
            now = time.monotonic()
            if self._first_at is None or now - self._first_at > ECHO:
                self._first_at = self._first_at or now
                self._lifeline = None
                return True
        return False

    def _is_told(self, seconds: float | None) -> bool:
        watched = [end for end in (self._told, self._lifeline) if end is not None]
        ready, _, _ = select.select(watched, [], [], seconds)
        if self._told in ready:
            os.read(self._told, 1)
        return bool(ready)
