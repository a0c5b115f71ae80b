"""How a request ended, and the refusals that come before one begins. Six outcomes, kept apart."""

from dataclasses import dataclass
from enum import StrEnum


class Outcome(StrEnum):
    """How one request ended. These words stand in log events, metrics and problem codes."""

    COMPLETED = "completed"
    """The handler's answer was handed over in time, whatever its status."""
    CALLER_CANCELLED = "caller_cancelled"
    """The caller left first; there was nobody to answer."""
    DEADLINE_LOCAL = "deadline_local"
    """The deadline passed in our own code or queues, or before anything was begun."""
    DEADLINE_DOWNSTREAM = "deadline_downstream"
    """A dependency used up its share."""
    ADMISSION_DENIED = "admission_denied"
    """Refused before it began: too many at once, or too little time left to be useful."""
    OUTCOME_UNKNOWN = "outcome_unknown"
    """A write was sent and not acknowledged: it may have happened."""


class Reason(StrEnum):
    """Why the room answers itself, instead of the application."""

    HEADER_MALFORMED = "header_malformed"
    """400: a deadline header cannot be read."""
    DEADLINE_LOCAL = "deadline_local"
    """504."""
    DEADLINE_DOWNSTREAM = "deadline_downstream"
    """504."""
    DEADLINE_EXPIRED = "deadline_expired"
    """503: less is left than this route can use, so it was not begun."""
    CONCURRENCY_LIMIT = "concurrency_limit"
    """503: every permit is taken."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """What the room has to say of a request: turned into an answer by one function of the service."""

    reason: Reason
    detail: str
    boundary: str
    """Where the request was: `ingress`, `admission`, `handler`, `sending` or a dependency."""
    header: str | None = None
    """The malformed header, in its usual spelling."""
    retry_after: int | None = None
    """Seconds; for refusals."""
    minimum: float | None = None
    """Seconds that the route needs, if that was the reason."""
