"""Ways to make the same documents, taking turns: each in a process of its own that rests while another has its block.

The machine's noise comes and goes within seconds, so every way meets the same of it.
"""

import os
import statistics
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from multiprocessing import get_context
from multiprocessing.connection import Connection
from typing import Any

Make = Callable[[Any], bytes]
"""What a way is given of a document in, its PDF out."""


@dataclass(frozen=True)
class Way:
    """One way to make documents: `begin` gives what makes one, in a process of its own."""

    name: str
    begin: Callable[[], Make]
    given: Sequence[Any]
    """Something for each document, the same documents for all ways."""


BLOCK = 5
"""Documents in one turn of a process."""

TOGETHER = 4
"""Blocks that a pool makes at once, when the processes have had theirs: else its children would wait for the last."""


@dataclass
class Taken:
    """What one way took: seconds of each document, and of each of its turns."""

    name: str
    documents: list[float] = field(default_factory=list)
    turns: list[float] = field(default_factory=list)
    size: int = 0

    @property
    def rate(self) -> float:
        """Documents a second over all turns."""
        return len(self.documents) / sum(self.turns)

    def percentile(self, percent: int) -> float:
        """Milliseconds of one document."""
        return statistics.quantiles(self.documents, n=100)[percent - 1] * 1000

    def times(self, other: "Taken") -> tuple[float, float, float]:
        """How many times faster than the other: over all, and the quartiles of turn by turn."""
        each = [theirs / mine for theirs, mine in zip(other.turns, self.turns, strict=True)]
        low, _, high = statistics.quantiles(each, n=4)
        return sum(other.turns) / sum(self.turns), low, high


class Runner:
    """One way in its own process, ready when made."""

    def __init__(self, way: Way, *, core: int | None = None) -> None:
        self.taken = Taken(way.name)
        self._given = way.given
        self._here, there = get_context("spawn").Pipe()
        self._process = get_context("spawn").Process(target=_serve, args=(way.begin, there, core), daemon=True)
        self._process.start()
        there.close()
        assert self._here.recv() == "ready"

    def turn(self, first: int) -> None:
        """Make the documents of a block and note what they took."""
        self._here.send(self._given[first : first + BLOCK])
        seconds, size = self._here.recv()
        self.taken.documents.extend(seconds)
        self.taken.turns.append(sum(seconds))
        self.taken.size += size

    def end(self) -> None:
        """End the process."""
        self._here.close()
        self._process.join(10)


class PoolRunner:
    """What runs several documents at once, called by as many threads."""

    def __init__(self, way: Way, *, callers: int) -> None:
        self.taken = Taken(way.name)
        self._given = way.given
        self._make = way.begin()
        self._threads = ThreadPoolExecutor(callers)

    def turn(self, first: int) -> None:
        """Make the documents of the last few blocks and note what they took."""
        if (first // BLOCK + 1) % TOGETHER:
            return
        began = time.perf_counter()
        made = list(self._threads.map(self._timed, self._given[first + BLOCK - TOGETHER * BLOCK : first + BLOCK]))
        seconds = time.perf_counter() - began
        self.taken.documents.extend(one for one, _ in made)
        self.taken.size += sum(size for _, size in made)
        self.taken.turns.extend([seconds / TOGETHER] * TOGETHER)

    def _timed(self, one: Any) -> tuple[float, int]:
        began = time.perf_counter()
        size = len(self._make(one))
        return time.perf_counter() - began, size

    def end(self) -> None:
        """Let the threads go."""
        self._threads.shutdown()


class Fleet:
    """One way in as many processes as there are cores, all at work at once."""

    def __init__(self, way: Way, *, processes: int) -> None:
        self.taken = Taken(f"{way.name}, {processes} processes")
        self._runners = [Runner(way, core=None) for _ in range(processes)]
        for runner in self._runners:
            runner.turn(0)
            runner.taken = Taken(way.name)

    def turn(self, first: int) -> None:
        """Make the documents of the last few blocks, each process some of them, and note what they took."""
        if (first // BLOCK + 1) % TOGETHER:
            return
        began = time.perf_counter()
        blocks = [first + BLOCK * (place + 1 - TOGETHER) for place in range(TOGETHER)]
        with ThreadPoolExecutor(len(self._runners)) as threads:
            list(threads.map(self._some, self._runners, [blocks[at :: len(self._runners)] for at in range(TOGETHER)]))
        self.taken.turns.extend([(time.perf_counter() - began) / TOGETHER] * TOGETHER)
        self.taken.documents = [one for runner in self._runners for one in runner.taken.documents]
        self.taken.size = sum(runner.taken.size for runner in self._runners)

    @staticmethod
    def _some(runner: Runner, blocks: Sequence[int]) -> None:
        for first in blocks:
            runner.turn(first)

    def end(self) -> None:
        """End the processes."""
        for runner in self._runners:
            runner.end()


def _serve(begin: Callable[[], Make], to: Connection, core: int | None) -> None:
    if core is not None:
        os.sched_setaffinity(0, {core})  # for what it starts, too
    make = begin()
    to.send("ready")
    while True:
        try:
            block = to.recv()
        except EOFError:
            os._exit(0)  # whatever it started ends with its pipe
        seconds, size = [], 0
        for one in block:
            began = time.perf_counter()
            size += len(make(one))
            seconds.append(time.perf_counter() - began)
        to.send((seconds, size))


def taking_turns(
    ways: Sequence[Way], pools: Sequence[PoolRunner | Fleet] = (), *, core: int | None = None
) -> list[Taken]:
    """Have all ways make all documents, block by block; the order of the ways turns round with each block.

    `core`: each way has no other, whatever it starts.
    """
    runners: list[Runner | PoolRunner | Fleet] = [*(Runner(way, core=core) for way in ways), *pools]
    try:
        for runner in runners:
            runner.turn(0)
            runner.taken = Taken(runner.taken.name)
        for number, first in enumerate(range(0, len(ways[0].given), BLOCK)):
            for runner in runners if number % 2 else reversed(runners):
                runner.turn(first)
    finally:
        for runner in runners:
            runner.end()
    return [runner.taken for runner in runners]


def lines(taken: Sequence[Taken]) -> list[str]:
    """A row for each way, compared with the first."""
    head = (
        f"{'one process each':44} {'docs/s':>7} {'× first':>8} {'quartiles':>12} {'p50 ms':>8} {'p99 ms':>8} {'kB':>6}"
    )
    rows = [head]
    for one in taken:
        times, low, high = one.times(taken[0])
        rows.append(
            f"{one.name:44} {one.rate:7.1f} {times:8.2f} {f'{low:.2f}–{high:.2f}':>12} {one.percentile(50):8.0f}"
            f" {one.percentile(99):8.0f} {one.size / len(one.documents) / 1000:6.1f}"
        )
    return rows
