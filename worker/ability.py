"""Whether this host can render: its fonts are there and a child starts. A host that cannot claims nothing."""

import threading
from typing import Final

import structlog

from app.documents.ability import why_not
from app.documents.errors import PoolClosed, RenderCancelled
from worker.context import WorkerContext

log = structlog.get_logger()

LOOK_AGAIN: Final = 30.0
"""Seconds until a host that could not render is asked again: somebody may have installed what it lacks."""


class Ability:
    """Finds out in a thread of its own, so that a process starts at once."""

    def __init__(self, context: WorkerContext) -> None:
        self._context = context
        self._ending = threading.Event()
        self._thread = threading.Thread(target=self._run, name="ability", daemon=True)
        self.can_render: bool | None = None
        """None until it is known."""

    def start(self) -> None:
        """Begin to find out."""
        self._thread.start()

    def end(self) -> None:
        """Stop asking; the thread ends with the pool's closing."""
        self._ending.set()

    def _run(self) -> None:
        while not self._ending.is_set():
            reason = self._why_not()
            if self._ending.is_set():
                return
            self.can_render = reason is None
            if reason is None:
                return
            # boxes instead of letters would be worse than no document
            log.error("renderer.unable", host=self._context.host, reason=reason)
            self._ending.wait(LOOK_AGAIN)

    def _why_not(self) -> str | None:
        try:
            return why_not(self._context.pool)
        except (PoolClosed, RenderCancelled):
            self._ending.set()  # this process ends
            return None
