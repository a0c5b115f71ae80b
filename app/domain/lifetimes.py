"""Lifetimes that count only the time in which somebody was there to work."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta


@dataclass(frozen=True, slots=True)
class Span:
    """A stretch of time that counts for nobody."""

    since: datetime
    until: datetime


def began_before(now: datetime, *, lifetime: timedelta, idle: Sequence[Span]) -> datetime:
    """What began before this instant has outlived its lifetime; `idle` spans, oldest first, do not count."""
    left, end = lifetime, now
    for span in reversed(idle):
        counted = max(end - span.until, timedelta())
        if counted >= left:
            break
        left -= counted
        end = min(end, span.since)
    return end - left
