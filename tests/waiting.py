"""Waiting for what a server, a process or a thread does."""

import time
from collections.abc import Callable
from typing import Any, Final

PATIENCE: Final = 20.0
"""Seconds until a test gives up, unless it says otherwise: far more than what it waits for takes."""


def until(is_so: Callable[[], Any], *, within: float = PATIENCE) -> Any:
    """What the question answers as soon as that is true; fails after so many seconds."""
    give_up_at = time.monotonic() + within
    while not (found := is_so()):
        assert time.monotonic() < give_up_at, "what the test waits for never came"
        time.sleep(0.005)
    return found
