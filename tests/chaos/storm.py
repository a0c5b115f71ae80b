"""Doing what the script says to the processes of a run, one fault after the other, from one thread."""

import heapq
import itertools
import signal
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from tests.chaos.journal import Journal
from tests.chaos.processes import Kept, fork_servers, renderer_children
from tests.chaos.script import Deed, Fault, Script
from tests.servers import PostgresServer, RedisServer, send

T = TypeVar("T")


@dataclass(slots=True)
class Storm:
    """The faults of a run. Call it from the main thread: servers end with the thread that starts them."""

    script: Script
    journal: Journal
    postgres: PostgresServer
    redis: RedisServer
    api: Kept
    workers: Sequence[Kept]
    has_struck: Callable[[], bool]
    """Whether an unfinished item has a strike: a third one would be its end, by design."""
    done: Counter[Deed] = field(default_factory=Counter)
    _agenda: list[tuple[float, int, Callable[[], None]]] = field(default_factory=list)
    _order: "itertools.count[int]" = field(default_factory=itertools.count)
    _frozen: list[tuple[Kept, list[int]]] = field(default_factory=list)
    _is_redis_down: bool = False

    def rage(self, *, until: Callable[[], bool]) -> None:
        """Do faults as they come due and start what has ended, until told; then set everything right."""
        began = time.monotonic()
        faults = self.script.faults()
        coming = next(faults)
        while not until():
            elapsed = time.monotonic() - began
            if coming.at <= elapsed:
                self._do(coming)
                coming = next(faults)
            self._do_what_is_due()
            self.mend()
            time.sleep(0.02)
        self._cease()

    def mend(self) -> None:
        """Start what has ended."""
        for kept in (self.api, *self.workers):
            kept.look()

    def _cease(self) -> None:
        self.journal.note("storm", "ceases")
        while self._agenda:
            heapq.heappop(self._agenda)[2]()
        for kept, frozen in self._frozen:
            kept.thaw(frozen)

    def _do_what_is_due(self) -> None:
        while self._agenda and self._agenda[0][0] <= time.monotonic():
            heapq.heappop(self._agenda)[2]()

    def _later(self, seconds: float, action: Callable[[], None]) -> None:
        heapq.heappush(self._agenda, (time.monotonic() + seconds, next(self._order), action))

    def _do(self, fault: Fault) -> None:
        match fault.deed:
            case Deed.RESTART_POSTGRES:
                did = self._restart_postgres(fault)
            case Deed.KILL_WORKER:
                did = self._kill(_one_of(self._up(), fault.place))
            case Deed.FREEZE_WORKER | Deed.FREEZE_FAMILY:
                did = self._freeze(fault)
            case Deed.KILL_CHILD:
                did = self._kill_child(fault, renderer_children, "renderer child")
            case Deed.KILL_FORK_SERVER:
                did = self._kill_child(fault, fork_servers, "fork server")
            case Deed.KILL_REDIS:
                did = self._kill_redis(fault)
            case Deed.FLUSH_REDIS:
                did = self._flush_redis()
            case Deed.KILL_API:
                did = self._kill(self.api if self.api.is_up else None)
        if did:
            self.done[fault.deed] += 1

    def _up(self) -> list[Kept]:
        return [worker for worker in self.workers if worker.is_up]

    def _kill(self, kept: Kept | None) -> bool:
        if kept is None:
            return False
        kept.kill()
        return True

    def _freeze(self, fault: Fault) -> bool:
        kept = _one_of([worker for worker in self._up() if not worker.is_frozen], fault.place)
        if kept is None:
            return False
        frozen = kept.freeze(with_children=fault.deed is Deed.FREEZE_FAMILY)
        self._frozen.append((kept, frozen))
        self._later(fault.seconds, lambda: self._thaw(kept, frozen))
        return True

    def _thaw(self, kept: Kept, frozen: list[int]) -> None:
        if (kept, frozen) in self._frozen:
            self._frozen.remove((kept, frozen))
            kept.thaw(frozen)

    def _kill_child(self, fault: Fault, children: Callable[[int], list[int]], what: str) -> bool:
        found = [child for worker in self._up() if worker.pid is not None for child in children(worker.pid)]
        child = _one_of(found, fault.place)
        if child is None or self.has_struck():
            return False
        self.journal.signalled(what, child, "SIGKILL")
        send(child, signal.SIGKILL)
        return True

    def _restart_postgres(self, fault: Fault) -> bool:
        self.journal.signalled("postgres", self.postgres.pid, fault.signal.name)
        began = time.monotonic()
        if fault.signal is signal.SIGKILL:
            self.postgres.kill()
        else:
            self.postgres.stop(by=fault.signal)
        # it is back within this call: no other fault is done while it is down, but customers and workers go on
        time.sleep(fault.seconds / 2)
        self.postgres.start()
        self.journal.note("storm", f"postgres is back after {time.monotonic() - began:.1f} s")
        return True

    def _kill_redis(self, fault: Fault) -> bool:
        if self._is_redis_down:
            return False
        self._is_redis_down = True
        self.journal.signalled("redis", self.redis.pid, "SIGKILL")
        self.redis.kill()
        self._later(fault.seconds, self._start_redis)
        return True

    def _start_redis(self) -> None:
        self.redis.start()
        self._is_redis_down = False

    def _flush_redis(self) -> bool:
        if self._is_redis_down:
            return False
        self.redis.flush()
        self.journal.note("storm", "redis flushed")
        return True


def _one_of(found: Sequence[T], place: float) -> T | None:
    """The one at this place, from 0 up to 1; None if there is none."""
    return found[int(place * len(found))] if found else None
