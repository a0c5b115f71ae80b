"""What the room tells of itself. Labels are bounded: routes, boundaries and reasons; never an id."""

from app.deadline.outcome import Outcome


class Signals:
    """Where measurements go: nowhere, unless a subclass says otherwise.

    Times are seconds. Every method is called on the event loop and must not block.
    """

    def began(self, route: str, *, budget: float) -> None:
        """A request was admitted with this much left."""

    def ended(self, route: str, outcome: Outcome, *, status: int, seconds: float) -> None:
        """A request ended; `status` is 0 if no answer began."""

    def queued(self, queue: str, *, seconds: float) -> None:
        """A request left a queue (`admission`, `pool`) after that long, with or without success."""

    def refused(self, reason: str) -> None:
        """Admission refused a request."""

    def reached(self, boundary: str, *, left: float) -> None:
        """A request reached a dependency with that much left for it (`inf` without a deadline)."""

    def used(self, dependency: str, *, seconds: float) -> None:
        """A dependency was used for that long."""

    def expired(self, boundary: str) -> None:
        """A budget ended here."""

    def stopped(self, *, seconds: float) -> None:
        """A handler stopped that long after it was told to."""

    def finished_late(self, why: str) -> None:
        """A handler did all of its work although nobody waited any more (`deadline` or `caller_left`)."""

    def zombies(self, kind: str, count: int) -> None:
        """So many handlers (`task`) or threads (`thread`) go on although they were told to stop."""

    def ignored(self, header: str) -> None:
        """A header was not usable and was ignored."""
