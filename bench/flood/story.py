"""What happens in a run: an installation, a slow database, callers who come as they like, and who looks on."""

import asyncio
import multiprocessing
import tempfile
import time
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import httpx

from bench.flood.arrivals import Caller, Phase, callers
from bench.flood.asking import Address, Call, flood
from bench.flood.database import Ended, SlowDatabase
from bench.flood.lookout import Numbers, Seen, looking, metrics
from tests.installation import distributed
from tests.shop import orders

CALM: Final = "calm"
FLOOD: Final = "flood"
AFTER: Final = "after"


@dataclass(frozen=True, slots=True)
class Story:
    """The same for every run. Times in seconds, rates in callers a second."""

    phases: tuple[Phase, Phase, Phase]
    """Calm, flood, after."""
    slow: float
    """What a statement on an export takes longer."""
    deadline: float
    """How long a caller waits for an answer, which it says in its request."""
    creates: float
    """The part of the callers who create an export; the others look at one."""
    seed: int

    @property
    def flood_begins(self) -> float:
        """On the schedule's clock."""
        return self.phases[0].seconds

    @property
    def flood_ends(self) -> float:
        """On the schedule's clock."""
        return self.flood_begins + self.phases[1].seconds

    def callers(self) -> list[Caller]:
        """Everybody who comes."""
        return callers(self.phases, creates=self.creates, seed=self.seed)


@dataclass(frozen=True, slots=True)
class Run:
    """What one run gave."""

    calls: list[Call]
    ended: list[Ended]
    """Every slow statement that the database did to its end."""
    seen: Seen
    starts_at: float
    """The wall clock's time of the schedule's zero."""
    told: Numbers
    """`/metrics` afterwards."""


def run(story: Story, database: SlowDatabase, redis_url: str, **settings: str) -> Run:
    """One installation with these settings, one flood."""
    coming = story.callers()
    database.renew()
    with (
        tempfile.TemporaryDirectory() as folder,
        distributed(Path(folder), database.url, redis_url, workers=0, **settings) as installation,
    ):
        database.fill(coming)
        headers = {"Authorization": f"Bearer {coming[0].token}"}
        httpx.post(f"{installation.url}/v1/orders/import", json=orders(5), headers=headers).raise_for_status()
        database.slow_down(story.slow)
        assert installation.server is not None
        starts_at = time.time() + 2.0
        seen, calls = asyncio.run(_watched(story, database, installation.url, installation.server.pid, starts_at))
        return Run(calls, database.ended(), seen, starts_at, metrics(installation.url))


async def _watched(
    story: Story, database: SlowDatabase, url: str, pid: int, starts_at: float
) -> tuple[Seen, list[Call]]:
    where = httpx.URL(url)
    address = Address(where.host, where.port or 80, story.deadline)
    # a process of its own: neither the probes' clock nor the server's is the load's
    with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as elsewhere:
        async with looking(url, pid=pid, busy=database.busy) as seen:
            loop = asyncio.get_running_loop()
            calls = await loop.run_in_executor(elsewhere, flood, address, story.callers(), starts_at)
    return seen, calls
