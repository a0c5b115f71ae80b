"""How the work of a child can end other than well.

PoolError
├── Strike               the document's own doing, or taken for it: `code` and `reason` say what
│   ├── DocumentTimedOut     the work took longer than its limit
│   ├── ChildDied            the child ended by a signal or an exit
│   └── OutOfMemory          the work met the child's memory limit
├── RenderCancelled      somebody cancelled it
├── PoolClosed           the pool is closed or was closed meanwhile
└── RendererUnavailable  no child can be started: nobody's strike
"""

import signal
from datetime import timedelta
from typing import ClassVar

from app.domain.codes import ItemCode


class PoolError(Exception):
    """The work has no result. Its child is dead by the time this is raised."""


class Strike(PoolError):
    """The work ended its child, or had to be ended with it."""

    code: ClassVar[ItemCode]

    @property
    def reason(self) -> str:
        """What happened, as an item's reason begins."""
        raise NotImplementedError


class DocumentTimedOut(Strike):
    """The work took longer than its limit."""

    code = ItemCode.RENDER_TIMEOUT

    def __init__(self, time_limit: timedelta) -> None:
        self.time_limit = time_limit
        super().__init__(f"Not done after {time_limit.total_seconds():g} s.")

    @property
    def reason(self) -> str:
        """After how many seconds it was given up."""
        return f"Rendering was not done after {self.time_limit.total_seconds():g} seconds"


class ChildDied(Strike):
    """The child ended while it worked: `exit_code` is negative for a signal, None if nobody knows."""

    code = ItemCode.RENDER_CRASHED

    def __init__(self, exit_code: int | None) -> None:
        self.exit_code = exit_code
        super().__init__(f"The child ended with {exit_code}.")

    @property
    def signal(self) -> int | None:
        """The number of the signal that ended it, or None."""
        return -self.exit_code if self.exit_code is not None and self.exit_code < 0 else None

    @property
    def reason(self) -> str:
        """By which signal it ended, if by one."""
        how = "ended" if self.signal is None else f"was ended by {signal.Signals(self.signal).name}"
        return f"The process that rendered this document {how}"


class OutOfMemory(Strike):
    """The work met the memory limit of its child."""

    code = ItemCode.RENDER_OUT_OF_MEMORY

    @property
    def reason(self) -> str:
        """That it was too much."""
        return "Rendering needed more memory than one document may take"


class RenderCancelled(PoolError):
    """Somebody cancelled the work."""


class PoolClosed(PoolError):
    """The pool takes no work, or was closed while this was under way."""


class RendererUnavailable(PoolError):
    """No child could be started; the cause tells why."""
