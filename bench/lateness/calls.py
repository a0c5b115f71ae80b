"""Calls at a steady pace to every JSON route, each with a random budget, and what their callers see.

To be run in a process of its own, so that the server's lag and ours cannot be taken for one another. Each
caller is an owner with one connection, who goes round the routes and begins each call at its appointed
instant. So the load is the same whatever the server does, as long as answers come by their deadlines.
"""

import asyncio
import math
import random
import time
from dataclasses import dataclass, field
from itertools import cycle
from typing import Final

from bench.lateness.connection import Connection

ROUND: Final = (
    "POST /v1/exports",
    "GET /v1/exports",
    "GET /v1/exports/{id}",
    "GET /v1/exports/{id}/failures",
    "GET /v1/exports/{id}/manifest",
    "POST /v1/exports/{id}/cancel",
    "DELETE /v1/exports/{id}",
)
"""Every JSON route, in the order in which an export lives."""
SHORTEST, LONGEST = 100, 1000
"""Budgets, in milliseconds."""
HEADERS: Final = (("Grpc-Timeout", "{}m"), ("Connect-Timeout-Ms", "{}"), ("X-Envoy-Expected-Rq-Timeout-Ms", "{}"))
PROBE_EVERY: Final = 0.05
"""Seconds between two probes."""


@dataclass(frozen=True, slots=True)
class Called:
    """What came of one call; late is by how many milliseconds more than it was given, never below zero."""

    route: str
    result: str
    late: float
    """For its caller."""
    late_server: float
    """By the server's own account; endless if it gives none."""


@dataclass(slots=True)
class Caller:
    """An owner: its token, and where its newest export is, as far as it knows."""

    token: str
    turn: int
    """The number of its next call. Those who begin at different numbers are at different routes."""
    export: str = "/v1/exports/00000000-0000-0000-0000-000000000000"


@dataclass(frozen=True, slots=True)
class Load:
    """So many calls by these callers, `rate` of them in a second."""

    url: str
    callers: list[Caller]
    calls: int
    rate: float
    seed: int


@dataclass(slots=True)
class Seen:
    """What came of a load."""

    callers: list[Caller]
    called: list[Called] = field(default_factory=list)
    probes: list[float] = field(default_factory=list)
    """Milliseconds of each probe; endless if it was not answered as a probe is."""
    seconds: float = 0.0


def run(load: Load) -> Seen:
    """Make the calls; returns when all are over."""
    return asyncio.run(_run(load))


async def _run(load: Load) -> Seen:
    seen = Seen(load.callers)
    chance = random.Random(load.seed)
    began = time.monotonic()
    probing = asyncio.create_task(_probe(load.url, seen.probes))
    going_round = []
    for number, caller in enumerate(load.callers):
        count = load.calls // len(load.callers) + (number < load.calls % len(load.callers))
        place = _Place(load, caller, random.Random(chance.random()))
        going_round.append(place.go_round(count, seen.called, begin_at=began + number / load.rate))
    await asyncio.gather(*going_round)
    probing.cancel()
    seen.seconds = time.monotonic() - began
    return seen


class _Place:
    """One caller at work."""

    def __init__(self, load: Load, caller: Caller, chance: random.Random) -> None:
        self._connection = Connection(load.url)
        self._period = len(load.callers) / load.rate
        self._caller = caller
        self._chance = chance

    async def go_round(self, count: int, into: list[Called], *, begin_at: float) -> None:
        for _ in range(count):
            # who was held up does not hurry afterwards
            begin_at = max(begin_at, time.monotonic())
            await asyncio.sleep(begin_at - time.monotonic())
            into.append(await self._call(ROUND[self._caller.turn % len(ROUND)]))
            self._caller.turn += 1
            begin_at += self._period
        self._connection.close()

    async def _call(self, route: str) -> Called:
        caller, given = self._caller, self._chance.randint(SHORTEST, LONGEST)
        header, form = self._chance.choice(HEADERS)
        method, template = route.split(" ")
        body = b'{"document_type":"invoice"}' if route == "POST /v1/exports" else b""
        answer = await self._connection.ask(
            method,
            template.replace("/v1/exports/{id}", caller.export),
            {"Authorization": f"Bearer {caller.token}", header: form.format(given), "Content-Type": "application/json"},
            body,
        )
        problem, timing = answer.problem, answer.timing
        # a create that is refused says what is in its way; one whose end is unknown says where it would be
        caller.export = answer.headers.get("location") or problem.get("export") or caller.export
        return Called(
            route,
            f"{answer.status} {problem.get('code', '')}".strip(),
            late=max(0.0, answer.milliseconds - given),
            late_server=max(0.0, timing["total"] - timing["budget"]) if "budget" in timing else math.inf,
        )


async def _probe(url: str, into: list[float]) -> None:
    """Ask both probes in turn, until cancelled."""
    connection = Connection(url)
    for path in cycle(("/livez", "/readyz")):
        answer = await connection.ask("GET", path, {})
        # 503 is an answer too: after ten seconds without its database a process wants no traffic
        into.append(answer.milliseconds if answer.status in {200, 503} else math.inf)
        await asyncio.sleep(PROBE_EVERY)
