"""What is seen from outside during a flood: probes as an orchestrator sends them, the pool, the event loop's CPU."""

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Coroutine, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Final

import httpx
from prometheus_client.parser import text_string_to_metric_families

PROBED: Final = ("/livez", "/readyz")
PROBE_EVERY: Final = 0.05
SAMPLE_EVERY: Final = 0.25
READ_EVERY: Final = 1.0
"""`/metrics` costs the server more than a probe does."""
PATIENCE: Final = 5.0
"""Seconds after which a probe counts as failed."""

Numbers = Mapping[str, float]
"""Sums by metric and, behind a colon, by the value of its first label: `sheaf_pool_in_use:database`."""


@dataclass(frozen=True, slots=True)
class Probe:
    """One look at a probe's address."""

    path: str
    at: float
    """On the wall clock."""
    seconds: float
    is_well: bool


@dataclass(frozen=True, slots=True)
class Sample:
    """The API process and its connections at one moment."""

    at: float
    busy: int
    """Connections at work, as the database sees it."""
    on_cpu: float
    """Seconds of CPU that the API's event loop has used in its life."""
    kept_waiting: float
    """Seconds in its life that it could have run and had no CPU: what the neighbours on this machine took."""


@dataclass(frozen=True, slots=True)
class Reading:
    """What `/metrics` said at one moment."""

    at: float
    numbers: Numbers


@dataclass(slots=True)
class Seen:
    """Everything that was noted."""

    probes: list[Probe] = field(default_factory=list)
    samples: list[Sample] = field(default_factory=list)
    readings: list[Reading] = field(default_factory=list)


@asynccontextmanager
async def looking(url: str, *, pid: int, busy: Callable[[], int]) -> AsyncIterator[Seen]:
    """Probe, sample and read while the block runs."""
    seen = Seen()

    async def sample() -> None:
        found = await asyncio.to_thread(busy)
        seen.samples.append(Sample(time.time(), found, *_scheduled(pid)))

    async def read() -> None:
        at = time.time()
        try:
            seen.readings.append(Reading(at, await asyncio.to_thread(metrics, url)))
        except httpx.HTTPError:
            # the server is busy: the next one tells as much
            return

    async with asyncio.TaskGroup() as group:
        rounds = [group.create_task(_every(PROBE_EVERY, group, partial(_probe, seen, url, path))) for path in PROBED]
        rounds.append(group.create_task(_every(SAMPLE_EVERY, group, sample)))
        rounds.append(group.create_task(_every(READ_EVERY, group, read)))
        yield seen
        for task in rounds:
            task.cancel()


async def _every(seconds: float, group: asyncio.TaskGroup, act: Callable[[], Coroutine[None, None, None]]) -> None:
    # by the clock, and not after the answer: a slow answer must not spare the server the next one
    due = asyncio.get_running_loop().time()
    while True:
        group.create_task(act())
        due += seconds
        await asyncio.sleep(due - asyncio.get_running_loop().time())


async def _probe(seen: Seen, url: str, path: str) -> None:
    where = httpx.URL(url)
    at, began = time.time(), time.monotonic()
    is_well = False
    try:
        async with asyncio.timeout(PATIENCE):
            reader, writer = await asyncio.open_connection(where.host, where.port)
            writer.write(f"GET {path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n".encode())
            is_well = b" 200 " in (await reader.read()).partition(b"\r\n")[0]
            writer.close()
    except (TimeoutError, OSError):
        pass
    seen.probes.append(Probe(path, at, time.monotonic() - began, is_well))


def _scheduled(pid: int) -> tuple[float, float]:
    # of the main thread, which is the event loop's: on a CPU, and waiting for one (nanoseconds)
    ran, waited, _ = Path(f"/proc/{pid}/schedstat").read_text().split()
    return int(ran) / 1e9, int(waited) / 1e9


def metrics(url: str) -> Numbers:
    """What the server tells of itself; raises `httpx.HTTPError`."""
    answer = httpx.get(f"{url}/metrics", timeout=PATIENCE)
    answer.raise_for_status()
    numbers: dict[str, float] = {}
    for family in text_string_to_metric_families(answer.text):
        for one in family.samples:
            name = ":".join([one.name, *list(one.labels.values())[:1]])
            numbers[name] = numbers.get(name, 0.0) + one.value
    return numbers
