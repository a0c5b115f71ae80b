"""The arithmetic: what was useful, what was for nobody, and how long it took to be well again."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import ceil, inf
from typing import Final
from uuid import UUID

from bench.flood.arrivals import Want
from bench.flood.asking import BROKEN, GAVE_UP, Call, Try
from bench.flood.database import Ended

WINDOW: Final = 4.0
"""Seconds of callers that are looked at together for the recovery: about twenty of them."""
AS_BEFORE: Final = 2.0
"""Well again: the 95th percentile of a window is at most so many times that of the calm before the flood."""


def percentile(values: Iterable[float], part: float) -> float:
    """The smallest value that `part` of all do not exceed (nearest rank); `inf` if there are none."""
    ordered = sorted(values)
    return ordered[max(0, ceil(part * len(ordered)) - 1)] if ordered else inf


def of_phase(calls: Iterable[Call], phase: str) -> list[Call]:
    """The callers who came in a phase."""
    return [call for call in calls if call.caller.phase == phase]


def useful(calls: Iterable[Call], want: Want | None = None) -> int:
    """Callers who got what they wanted in time, at whichever try."""
    return sum(call.tries[-1].is_useful for call in calls if want in {None, call.caller.want})


def seconds_of(call: Call) -> float:
    """From a caller's coming to its success, over all its tries; `inf` if it had none."""
    last = call.tries[-1]
    return last.ended_at - call.tries[0].began_at if last.is_useful else inf


def endings(calls: Iterable[Call]) -> Counter[str]:
    """How all tries ended: `useful`, `late`, `shed` (503), `stopped` (504), `gave up`, `broken`, or the status."""
    return Counter(_ending(one) for call in calls for one in call.tries)


def _ending(one: Try) -> str:
    if 200 <= one.status < 300:
        return "useful" if one.is_in_time else "late"
    return {GAVE_UP: "gave up", BROKEN: "broken", 503: "shed", 504: "stopped"}.get(one.status, str(one.status))


@dataclass(frozen=True, slots=True)
class Work:
    """Slow statements that the database did to their end."""

    done: int
    for_nobody: int
    """Of them those that ended when their caller had left or had its answer."""


def work(calls: Iterable[Call], ended: Sequence[Ended]) -> Work:
    """Whose each slow statement was, by the export that it was for.

    A look asks for another export at each try, so its try is known. The tries of a create share one
    export: its statement counts as wanted if it ended within any of them.
    """
    tries: dict[UUID, list[Try]] = {}
    for call in calls:
        for number, one in enumerate(call.tries):
            tries.setdefault(call.caller.job(number), []).append(one)
    wanted = sum(
        any(one.began_at <= statement.at <= one.ended_at for one in tries.get(statement.job, ())) for statement in ended
    )
    return Work(len(ended), len(ended) - wanted)


def recovery(calm: Iterable[Call], after: Sequence[Call], *, flood_ended: float) -> float:
    """Seconds from the flood's end to the first `WINDOW` of callers that fare as well as those before it.

    `flood_ended` is on the schedule's clock, as `Caller.at`. `inf` if no window does, or if the calm was none.
    """
    limit = AS_BEFORE * percentile(map(seconds_of, calm), 0.95)
    for first in after:
        begins = first.caller.at
        window = [call for call in after if begins <= call.caller.at < begins + WINDOW]
        if begins + WINDOW <= after[-1].caller.at and percentile(map(seconds_of, window), 0.95) <= limit < inf:
            return begins - flood_ended
    return inf
