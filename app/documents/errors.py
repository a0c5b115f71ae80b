"""How the work of a child can end other than well.

PoolError
├── DocumentTimedOut     the work took longer than its limit       ┐
├── ChildDied            the child ended by a signal or an exit    ├ a strike for the item
├── OutOfMemory          the work met the child's memory limit     ┘
├── RenderCancelled      somebody cancelled it
├── PoolClosed           the pool is closed or was closed meanwhile
└── RendererUnavailable  no child can be started: nobody's strike
"""

from datetime import timedelta


class PoolError(Exception):
    """The work has no result. Its child is dead by the time this is raised."""


class DocumentTimedOut(PoolError):
    """The work took longer than its limit."""

    def __init__(self, time_limit: timedelta) -> None:
        self.time_limit = time_limit
        super().__init__(f"Not done after {time_limit.total_seconds():g} s.")


class ChildDied(PoolError):
    """The child ended while it worked: `exit_code` is negative for a signal, None if nobody knows."""

    def __init__(self, exit_code: int | None) -> None:
        self.exit_code = exit_code
        super().__init__(f"The child ended with {exit_code}.")

    @property
    def signal(self) -> int | None:
        """The number of the signal that ended it, or None."""
        return -self.exit_code if self.exit_code is not None and self.exit_code < 0 else None


class OutOfMemory(PoolError):
    """The work met the memory limit of its child."""


class RenderCancelled(PoolError):
    """Somebody cancelled the work."""


class PoolClosed(PoolError):
    """The pool takes no work, or was closed while this was under way."""


class RendererUnavailable(PoolError):
    """No child could be started; the cause tells why."""
