"""What a run does. Its seed decides all that is decided: faults, their moments and victims, what customers want."""

import heapq
import random
import signal
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final

LEASE: Final = 4.0
"""Seconds of a claim in these runs: short, so that many lapse."""


class Deed(StrEnum):
    """A kind of fault."""

    RESTART_POSTGRES = "restart postgres"
    KILL_WORKER = "kill worker"
    FREEZE_WORKER = "freeze worker"
    """The process alone: its renderer children go on."""
    FREEZE_FAMILY = "freeze worker and children"
    """As a machine that stands still would."""
    KILL_CHILD = "kill renderer child"
    KILL_FORK_SERVER = "kill fork server"
    KILL_REDIS = "kill redis"
    FLUSH_REDIS = "flush redis"
    KILL_API = "kill api"


RHYTHMS: Final[Mapping[Deed, tuple[float, float]]] = {
    Deed.RESTART_POSTGRES: (5.0, 20.0),
    Deed.KILL_WORKER: (6.0, 18.0),
    Deed.FREEZE_WORKER: (10.0, 30.0),
    Deed.FREEZE_FAMILY: (15.0, 45.0),
    Deed.KILL_CHILD: (1.0, 5.0),
    Deed.KILL_FORK_SERVER: (20.0, 60.0),
    Deed.KILL_REDIS: (8.0, 24.0),
    Deed.FLUSH_REDIS: (4.0, 16.0),
    Deed.KILL_API: (20.0, 60.0),
}
"""Seconds from one fault of a kind to the next, at least and at most. Two cores start a worker in three seconds."""

POSTGRES_ENDS: Final = (signal.SIGINT, signal.SIGQUIT, signal.SIGKILL)
"""Fast, immediate, and not asked at all."""


@dataclass(frozen=True, slots=True, order=True)
class Fault:
    """One fault: when (seconds from the beginning), what, to whom and for how long."""

    at: float
    deed: Deed
    place: float
    """Which of those that could be meant: 0 the first, nearly 1 the last."""
    seconds: float
    """How long it is away or stands still."""
    signal: signal.Signals


@dataclass(frozen=True, slots=True)
class Errand:
    """One export that a customer wants, and whether it changes its mind that many seconds later."""

    number: int
    selection: int
    cancel_after: float | None
    key: str


@dataclass(frozen=True, slots=True)
class Script:
    """A run: so many exports of so many owners, at most so many minutes."""

    jobs: int
    owners: int
    seed: int
    minutes: float
    pace: float = 1.0
    """The seconds between faults are multiplied by this: more than 1 on a machine that is slow or busy.

    PostgreSQL's restarts keep their seconds: they cost a machine little, and everybody else much.
    """
    workers: int = 3

    def faults(self) -> Iterator[Fault]:
        """Every fault in its order, without end."""
        return heapq.merge(*(self._faults(deed) for deed in RHYTHMS))

    def errands(self, owner: int) -> Iterator[Errand]:
        """What one owner asks for, one after the other."""
        for number in range(owner, self.jobs, self.owners):
            chance = random.Random(f"{self.seed} errand {number}")
            yield Errand(
                number,
                chance.choices(range(len(SELECTIONS)), [weight for weight, _body in SELECTIONS])[0],
                chance.uniform(0.0, 3.0) if chance.random() < 0.08 else None,
                f"{self.seed}-{number}",
            )

    def _faults(self, deed: Deed) -> Iterator[Fault]:
        chance = random.Random(f"{self.seed} {deed}")
        pace = 1.0 if deed is Deed.RESTART_POSTGRES else self.pace
        least, most = (seconds * pace for seconds in RHYTHMS[deed])
        # the first of each kind comes early, so that short runs have some of all
        at = chance.uniform(1.0, least)
        while True:
            yield Fault(at, deed, chance.random(), self._seconds(deed, chance), self._signal(deed, chance))
            at += chance.uniform(least, most)

    @staticmethod
    def _seconds(deed: Deed, chance: random.Random) -> float:
        match deed:
            case Deed.FREEZE_WORKER | Deed.FREEZE_FAMILY:
                return LEASE + chance.uniform(0.5, 4.0)
            case _:
                return chance.uniform(0.0, 2.0)

    @staticmethod
    def _signal(deed: Deed, chance: random.Random) -> signal.Signals:
        match deed:
            case Deed.RESTART_POSTGRES:
                return chance.choice(POSTGRES_ENDS)
            case Deed.FREEZE_WORKER | Deed.FREEZE_FAMILY:
                return signal.SIGSTOP
            case _:
                return signal.SIGKILL


ORDERS: Final = 12
"""In the store; the last of them is in the trash."""


def _of(*numbers: int) -> dict[str, Any]:
    return {"document_type": "invoice", "selection": {"order_ids": [5000 + number for number in numbers]}}


SELECTIONS: Final[tuple[tuple[int, dict[str, Any]], ...]] = (
    (30, _of(1)),
    (30, _of(2, 3)),
    (10, {**_of(5, 4, 6, 7), "sort": "number"}),
    (10, _of(8, 777)),
    (10, _of(9, ORDERS)),
    (5, _of(10, 778, 1, 11)),
    (5, _of(779)),
)
"""How often each is asked for, and its body. 777 to 779 do not exist: failed items, or a failed export."""
