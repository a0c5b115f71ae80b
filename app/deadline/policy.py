"""What a route may take of its caller's time: one row for each route, in one table of the service."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum, IntEnum
from math import inf

from app.deadline.budget import Budget


class Kind(Enum):
    """Which clock a route lives by."""

    CALL = "call"
    """The whole of it ends by the deadline."""
    UPLOAD = "upload"
    """No deadline unless the caller sends one; the body may not stand still. Each dependency has its cap."""
    STREAM = "stream"
    """The deadline ends when the answer begins; after that the reader may not stand still."""


class Priority(IntEnum):
    """Who gets a permit first, and whose permits nobody else can take."""

    PROBE = 0
    """Has permits of its own."""
    HIGH = 1
    """What ends or watches work: it may use every shared permit."""
    NORMAL = 2
    LOW = 3
    """What can wait; it may use half of the shared permits."""
    WAITING = 4
    """Calls that mostly sleep; they have permits of their own."""


@dataclass(frozen=True, slots=True)
class RoutePolicy:
    """One row of the table. Times are seconds."""

    route: str
    """The route's name in metrics and logs: a template, never an address with ids."""
    kind: Kind = Kind.CALL
    priority: Priority = Priority.NORMAL
    maximum: float = 10.0
    """The budget when the caller sends none, and the most that a caller gets; `inf` for none."""
    minimum: float = 0.05
    """Less than this is of no use: the request is refused before it begins."""
    reserve: float = 0.04
    """Kept from every dependency, so that their lateness can still be answered."""
    caps: Mapping[str, float] = field(default_factory=dict)
    """The most that one use of a dependency may take, whatever is left."""
    idle: float = 30.0
    """How long the reader of an answer may take nothing of it."""

    def share(self, parent: Budget, dependency: str, *, is_nested: bool, now: float) -> Budget:
        """What a dependency may use of `parent`. The reserve is kept once, at the outermost level."""
        reserve = 0.0 if is_nested else self.reserve
        return parent.child(reserve=reserve, cap=self.caps.get(dependency, inf), now=now)
