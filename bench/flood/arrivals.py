"""Who comes when, and what they want: drawn from a seed before anything runs, so that two runs see the same."""

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final
from uuid import UUID, uuid5

from app.domain.identity import job_id

STORE: Final = "flash-sale"
TRIES: Final = 3
"""How often one caller asks before it gives up for good."""
BACK_OFF: Final = 0.1
"""Seconds that a caller waits at most before it asks again, doubled each time, with full jitter. `Retry-After`
is not heeded: many callers do not."""

_NAMESPACE: Final = UUID("b6f7bd0e-5a8e-5d0c-9a35-6d5b8f2f0a11")


class Want(StrEnum):
    """What a caller asks for."""

    LOOK = "look"
    """`GET /v1/exports/{id}`."""
    CREATE = "create"
    """`POST /v1/exports`."""


@dataclass(frozen=True, slots=True)
class Phase:
    """A stretch of time in which callers come at one rate."""

    name: str
    seconds: float
    per_second: float


@dataclass(frozen=True, slots=True)
class Caller:
    """One caller: it owns its token and its exports."""

    number: int
    at: float
    """Seconds after the first phase begins."""
    phase: str
    want: Want
    waits: tuple[float, ...]
    """Seconds between one try's end and the next try."""

    @property
    def owner(self) -> str:
        """The owner in whose name it asks."""
        return f"caller-{self.number}"

    @property
    def token(self) -> str:
        """Its bearer token; long enough, and no secret."""
        return f"sheaf_{'flood-' * 6}{self.number}"

    @property
    def key(self) -> str:
        """Its idempotency key, the same at every try."""
        return f"key-{self.number}"

    def job(self, attempt: int) -> UUID:
        """The export that a try asks for: a look has one for each try, so that the database can tell them apart."""
        if self.want is Want.CREATE:
            return job_id(store=STORE, owner=self.owner, key=self.key)
        return uuid5(_NAMESPACE, f"{self.number}/{attempt}")


def callers(phases: Sequence[Phase], *, creates: float, seed: int) -> list[Caller]:
    """The callers of all phases in the order of their coming; `creates` is the part that wants to create."""
    return list(_drawn(phases, creates, random.Random(seed)))


def _drawn(phases: Sequence[Phase], creates: float, chance: random.Random) -> Iterator[Caller]:
    number, begins_at = 0, 0.0
    for phase in phases:
        at = begins_at + chance.expovariate(phase.per_second)
        while at < begins_at + phase.seconds:
            want = Want.CREATE if chance.random() < creates else Want.LOOK
            waits = tuple(chance.uniform(0, BACK_OFF * 2**tried) for tried in range(TRIES - 1))
            yield Caller(number, at, phase.name, want, waits)
            number += 1
            at += chance.expovariate(phase.per_second)
        begins_at += phase.seconds
